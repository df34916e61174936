"""Read a request as prose: its sentences, without marks of layout and what tells of other things.

A long description has headings; what stands under one that speaks of setting up, of readers or
of contacts asks for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.catalog.sanitize import shorten_gaps

LONGEST_REQUEST = 8_000
_MANY_SENTENCES = 8
_LONGEST_HEADING = 70
_STRAIGHT = str.maketrans("\u201c\u201d\u2018\u2019\u00a0", "\"\"'' ")
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:gt|lt|amp|nbsp|quot);|^\s*>+", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__|(?<![\w*])\*(?=[^\W\d])|(?<=[^\W\d])\*(?![\w*])")
_RULE = re.compile(r"^\s*[-=*_\u2014]{3,}\s*$", re.MULTILINE)
_HEADING = re.compile(r"^\s*#{1,6}\s*(?P<told>.+?)\s*#*\s*$")
_BOLD_LINE = re.compile(r"^\s*(?:\*\*|__)(?P<told>[^*]+?):?(?:\*\*|__):?\s*$")
_LABEL_LINE = re.compile(r"^\s*(?P<told>[^\w\s]{0,3}\s*[A-Z][\w' ?&/-]{2,50})[:?]\s*$")
_BULLET = re.compile(r"^\s*(?:\(?\d{1,2}[.)]|[-*•\u2013+])\s+")
_NUMBERING = re.compile(r"(?<=\s)(?:\(?\d{1,2}[.)]|[*•\u2013])\s+(?=[A-Z])")
_SENTENCE = re.compile(r"[;\n]+|[.!?](?=\s|$|[\"'])")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|approx|incl|no)|\b[A-Z])$")
# Headings of what is not done by the graph: for whom, before, how to set up, whom to ask.
_ASIDE = re.compile(
    r"\b(?:pre-?requisites?|requirements?|required|you(?:'ll)? need|need(?:ed)? help|set ?-?up|set"
    r" (?:it|this) up|install\w*|config\w*|how to (?:use|set|config\w*|run|import|adapt|custom\w*|"
    r"modify|change|get started)|using this|getting started|quick ?start|before you|custom\w*|"
    r"adapt\w*|modif\w+|credentials?|who(?:'s| is|m)?|audience|why|benefits?|advantages|"
    r"features?|highlights|capabilities|use cases?|user cases?|ideal for|perfect for|notes?|tips?|"
    r"hints?|faqs?|questions|troubleshoot\w*|resources?|references?|links|support|contact|"
    r"connect with|about|"
    r"disclaimer|warnings?|important|caution|security|examples?|sample|samples|screenshots?|"
    r"preview|video|tutorial|demo|context|background|challenge|problem|pain|limitations?|"
    r"known issues|next steps|extend\w*|extension|enhance\w*|improve\w*|tags?|category|author|"
    r"credits?|license|version|changelog|pricing|costs?|community|follow|learn more|documentation|"
    r"best practices|results?|impact|value|roi|stay|feedback|difficulty|good to know|keywords)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\b(?:how (?:it|this|the \w+) works|how does (?:it|this|the \w+) work|"
    r"what (?:it|this|the|does)[^?]*\bdo(?:es)?\b|process|"
    r"steps?(?! to)|flow|workflow|pipeline|nodes|"
    r"under the hood|logic|"
    r"stages|phases|breakdown|walkthrough|description|overview|summary|mechanism|execution|"
    r"automation)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Prose:
    """The sentences of a request in order; ``is_document`` where it describes at length."""

    sentences: tuple[str, ...]
    is_document: bool


@dataclass(slots=True)
class _Section:
    heading: str
    lines: list[str]

    @property
    def is_aside(self) -> bool:
        return bool(_ASIDE.search(self.heading)) and not re.search(
            r"how (?:it|this|the \w+) works", self.heading, re.IGNORECASE
        )

    @property
    def is_work(self) -> bool:
        return not self.is_aside and bool(_WORK.search(self.heading))


def prose_of(request: str) -> Prose:
    """Split a request into sentences, leaving out sections that ask for nothing."""
    text = shorten_gaps(request)[:LONGEST_REQUEST].translate(_STRAIGHT)
    text = _RULE.sub("\n", _FENCE.sub("\n", text))
    for mark, instead in ((_PICTURE, "\n"), (_LINK, r"\1"), (_TAG, "\n"), (_ENTITY, " ")):
        text = mark.sub(instead, text)
    sections = _sections(text)
    has_headings = len(sections) > 1
    kept = [one for one in sections if not one.is_aside]
    if not any(_told(one) for one in kept):
        kept = sections
    elif any(one.is_work and _told(one) for one in kept):
        kept = [one for one in kept if one.is_work or not one.heading]
    sentences: list[str] = []
    for section in kept:
        sentences += _told(section)
    return Prose(tuple(sentences), has_headings or len(sentences) > _MANY_SENTENCES)


def _sections(text: str) -> list[_Section]:
    found = [_Section("", [])]
    lines = text.split("\n")
    for number, line in enumerate(lines):
        heading = _HEADING.match(line) or _BOLD_LINE.match(line)
        follows = any(one.strip() for one in lines[number + 1 : number + 3])
        if heading is None and follows and not _BULLET.match(line):
            heading = _LABEL_LINE.match(line)
        if heading is not None and len(heading["told"]) <= _LONGEST_HEADING:
            found.append(_Section(_EMPHASIS.sub("", heading["told"]), []))
        else:
            found[-1].lines.append(line)
    # A request that is nothing but headings is what they say.
    if not any(line.strip() for one in found for line in one.lines):
        return [_Section("", [one.heading for one in found])]
    return found if any(found[0].lines) or found[0].heading else found[1:]


def _told(section: _Section) -> list[str]:
    text = "\n".join(_EMPHASIS.sub("", _BULLET.sub("", line)) for line in section.lines)
    return [
        sentence for sentence in _sentences(_NUMBERING.sub("\n", text)) if len(sentence.strip()) > 1
    ]


def _sentences(text: str) -> Iterator[str]:
    begin = 0
    for match in _SENTENCE.finditer(text):
        before = text[begin : match.start()]
        # A mark between quotes ends no sentence, nor does one behind an abbreviation.
        if match[0] not in "\n;" and (before.count('"') % 2 or _ABBREVIATION.search(before)):
            continue
        if "\n" in match[0] or ";" in match[0] or before.strip():
            yield before
            begin = match.end()
    yield text[begin:]
