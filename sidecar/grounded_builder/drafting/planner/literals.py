"""Finds the literal values of a clause: addresses, links, channels, quoted texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from grounded_builder.catalog.synonyms import is_verb
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.reading import LITERAL, Reading, Word
from grounded_builder.ir.intent import Value

_CHANNEL = re.compile(r"(?<![\w&/#])#[a-zA-Z0-9][\w-]{0,79}")
_PHONE = re.compile(r"(?<![\w+])\+\d[\d -]{6,16}\d\b")
# The methods of RFC 9110, section 9, and RFC 5789, in capitals as they are written there.
_METHOD = re.compile(r"(?<![\w-])(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?![\w-])")
METHOD = "method"
"""The kind of an HTTP method."""
# What is no word of English, or is written as a name behind "called".
_IDENTIFIER = re.compile(
    r"(?<![^\s(])(?=[\w.-]{0,60}[\d_/])[A-Za-z0-9][\w.-]{0,60}(?:/[\w.-]{1,60})?\b"
)
_TITLE = re.compile(r"\b(?:called|named|titled)\s+([A-Z][\w-]{0,60})")
_NAMED = frozenset({"called", "named", "titled", "saying", "says", "is"})
PLACING = frozenset({"to", "into", "in", "onto", "on", "from", "of", "for", "at"})
_SENDER = frozenset({"from", "by"})
MESSAGE = "message"
"""The kind of a quoted text that no noun names."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A value of a clause and the characters that state it.

    ``noun`` is where the noun begins that names it and may name what is done as well: a sheet
    called "Stock".
    """

    value: Value
    start: int
    end: int
    noun: int | None = None

    def find_value(self, text: str) -> tuple[int, int]:
        """Returns where the value itself begins and ends, without the noun that names it."""
        begin = max(text.find(self.value.text, self.start, self.end), self.start)
        return begin, begin + len(self.value.text)


def literals_in(reading: Reading, start: int, end: int) -> Iterator[Literal]:
    """Yields the literal values of a part, each with the kind of input that takes it.

    The noun beside a quoted text is its kind: ``subject "Hello"``, ``"Sheet1" sheet``.
    """
    for match in LITERAL.finditer(reading.text, start, end):
        text = match[0]
        before = reading.words(start, match.start())[-2:]
        if "@" in text and text[0] not in "\"'`\u201c":
            sender = before and before[-1].folded_text in _SENDER
            yield Literal(Value("from" if sender else "to", text), *match.span())
        elif text.startswith("http"):
            plain = text.rstrip(".,!?")
            yield Literal(Value("url", plain), match.start(), match.start() + len(text))
        else:
            yield _read_quotation(reading, match, before, end)
    for match in _METHOD.finditer(reading.masked, start, end):
        yield Literal(Value(METHOD, match[0]), *match.span())
    yield from _bare_names(reading, start, end)
    for pattern, kind in ((_CHANNEL, "channel"), (_PHONE, "to")):
        for match in pattern.finditer(reading.masked, start, end):
            first = match.start()
            words = reading.words(start, first)[-1:]
            if (
                words
                and words[0].folded_text == kind
                and not reading.masked[words[0].end : first].strip()
            ):
                first = words[0].start
            behind = reading.words(match.end(), end)[:1]
            last = behind[0].end if behind and behind[0].folded_text == kind else match.end()
            yield Literal(Value(kind, match[0]), first, last)


def _bare_names(reading: Reading, start: int, end: int) -> Iterator[Literal]:
    """Yields names without quotation marks that stand right behind the noun of their place.

    Only names that are no words (``base appX12``), or written as a name (a sheet called Leads).
    """
    for match in _IDENTIFIER.finditer(reading.masked, start, end):
        nouns = [w for w in reading.words(start, match.start())[-1:] if w.text[0].isalpha()]
        is_named = bool(nouns) and nouns[0].folded_text != MESSAGE
        if is_named and _is_beside(reading, nouns[0], nouns[0].end, match.start()):
            value = Value(nouns[0].folded_text, match[0])
            yield Literal(value, nouns[0].start, match.end())
    for match in _TITLE.finditer(reading.masked, start, end):
        nouns = reading.words(start, match.start())[-1:]
        if nouns and _is_beside(reading, nouns[0], nouns[0].end, match.start()):
            yield Literal(
                Value(nouns[0].folded_text, match[1]), match.start(), match.end(), nouns[0].start
            )


def _read_quotation(
    reading: Reading, match: re.Match[str], before: list[Word], end: int
) -> Literal:
    """Returns a quoted text with the noun right before or behind it as its kind."""
    first, last, kind = match.start(), match.end(), MESSAGE
    words = list(before)
    if words and words[-1].folded_text in _NAMED:
        first = words.pop().start
        if reading.text[first:].startswith("say"):
            return Literal(Value(kind, match[0][1:-1]), first, last)
        noun = words[-1] if words else None
        if noun is not None and _is_beside(reading, noun, noun.end, first):
            is_title = reading.text[first:].startswith("titled")
            kind = "title" if is_title else noun.folded_text
            return Literal(Value(kind, match[0][1:-1]), first, last, noun.start)
    if words and words[-1].folded_text in PLACING and kind == MESSAGE:
        kind = words[-1].folded_text  # where to, from or on what: no text of a message
    behind = reading.words(last, end)[:1]
    is_noun = len(words) > 1 or (words and not is_verb(words[-1].folded_text))
    if is_noun and _is_beside(reading, words[-1], words[-1].end, first):
        kind, first = words[-1].folded_text, words[-1].start
    elif behind and _is_beside(reading, behind[0], last, behind[0].start):
        kind, last = behind[0].folded_text, behind[0].end
    return Literal(Value(kind, match[0][1:-1]), first, last)


def _is_beside(reading: Reading, word: Word, start: int, end: int) -> bool:
    """Returns whether a noun stands right beside a quoted text."""
    return word.folded_text not in GRAMMAR and not reading.masked[start:end].strip(" :")
