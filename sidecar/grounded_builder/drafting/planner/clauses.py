"""Take a request apart into clauses: what is asked, one thing each, and how they hang together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from grounded_builder.catalog.tokenize import is_verb, split_identifier
from grounded_builder.drafting.planner.conditions import choice_at
from grounded_builder.drafting.planner.schedules import schedule_in
from grounded_builder.drafting.planner.sentences import prose_of

Role = Literal["start", "act", "if", "else", "each"]

_MOST_CLAUSES = 40
# What introduces a request and asks for nothing itself.
_PREAMBLE = re.compile(
    r"^(?:please\s+|hi\b[ ,]*|can you\s+|could you\s+|i(?:'d| would)? (?:want|like|need)(?: you)?"
    r"(?: to)?\s+|how (?:to|do i|can i)\s+)*"
    r"(?:(?:create|build|make|design|develop|set up|generate|write|give me)\s+(?:me\s+)?)?"
    r"(?:(?:this|an?|the)\s+)?(?:[\w-]+\s+){0,3}(?:work ?flow|automation|pipeline)s?"
    r"(?:\s+(?:that|which|to|where|will|shows? how to|demonstrates? how to"
    r"|helps? (?:you )?)|:)+\s*",
    re.IGNORECASE,
)
_POLITE = re.compile(r"^(?:please|hi|hello|hey|can you|could you|i want(?: you)? to|i need to"
                     r"|i(?:'d| would) like(?: you)? to)\b[\s,:]*", re.IGNORECASE)  # fmt: skip
_JOINT = re.compile(
    r"\s*(?:->|=>|→|➡️?|\|)\s*"
    r"|\s*,?\s*\b(?:and then|then|afterwards|after that|and also|and finally|finally|next)\b,?\s*"
    r"|\s*,\s*(?:and\s+)?|\s+(?:and|&|plus|before|while)\s+"
    r"|\s+or\s+(?=(?:when(?:ever)?|every|upon|on (?:a|an|demand)|manually)\b)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"^(?:for (?:each|every|all)\b[^,]*?|loop (?:over|through)\b[^,]*?|one by one)"
    r"(?:,|:|$|\s+(?=do\b))",
    re.IGNORECASE,
)
_IF = re.compile(r"^(?:if|only if|in case|unless)\b", re.IGNORECASE)
_IF_BEHIND = re.compile(r"^(?P<act>.+?)\s+(?P<if>(?:only\s+)?(?:if|unless)\s+.+)$", re.IGNORECASE)
_ELSE = re.compile(r"^(?:otherwise|else|if not|or else)\b[\s,:]*", re.IGNORECASE)
_ELSE_INSIDE = re.compile(r"[,;]?\s*\b(?:otherwise|or else|else|if not)\b[,:]?\s*", re.IGNORECASE)
_START = re.compile(
    r"^(?:when(?:ever)?|once|every|each|after|as soon as|on|upon|if (?:a|an|there)|trigger\w*|"
    r"start\w*|watch|monitor|listen\w*|take new|get new|check for new|new)\b",
    re.IGNORECASE,
)
LONGEST_CLAUSE = 1_000
"""A start behind what is done is looked for in clauses of so many characters, no longer ones."""
_START_BEHIND = re.compile(
    r"^(?P<act>.+?)[\s,]+(?P<start>(?:when(?:ever)?|as soon as|each time|every time|"
    r"(?:for|on|upon) (?:(?:a|an|each|every|any|all) )?new)\s+.+"
    r"|(?:every|each)\s+.+)$",
    re.IGNORECASE,
)
# The end of an event; what begins with a verb behind it is done then, with no comma between.
_HAPPENED = re.compile(
    r"\b(?:(?:is|are|was|were|gets?|been)\s+(?:\w+ly\s+)?(?:\w+ed|sent|made|paid|found)"
    r"|arrives?|comes? in|happens|fails)\s+(?=\w)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:in|into|on|onto|to|at|from|by|of|for|with|via|through|under)\s", re.IGNORECASE
)
_DEED = re.compile(
    r"\b([a-z]+)\s+(?=(?:an?|the|it|them|my|our|their|all|each|every|this|that)\b|[A-Z])"
)
# What stands before a noun: "the post", "of mail".
_LEADS = frozenset(
    "a an the my our their your its this that all each every new in on to at from by of for with"
    " via through and or".split()
)
_MEANWHILE = re.compile(
    r"^(?:and )?(?:in parallel|at the same time|simultaneously|meanwhile)\b[\s,]*(?=\S)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"^(?:you|it|they|there|note|we|i|our|my|your|the|this|that|these|those|here|how|what|why|who|"
    r"make sure|be sure|feel free|thanks?|no|with this|in this)\b",
    re.IGNORECASE,
)
# What somebody is given to use: the names that follow belong to it.
_GIVEN = re.compile(
    r"\b(?:access to|equipped with|can (?:use|access)|using (?:the )?tools|with tools)\b",
    re.IGNORECASE,
)
_GIVES = re.compile(r"^(?:and )?(?:has|have|having|with) access\b", re.IGNORECASE)
_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing asked for; ``sentence`` counts the sentences, from 0.

    ``beside``: it is done at the same time as what is asked before it.
    """

    text: str
    role: Role
    sentence: int
    beside: bool = False


def clauses_of(request: str, speaks: Callable[[str], bool]) -> tuple[Clause, ...]:
    """The clauses of a request in order; ``speaks`` says whether a piece names something.

    A piece that neither names anything nor begins with a verb belongs to the one before.
    Sentences that ask nothing are left out, unless there are no others.
    """
    prose = prose_of(request)
    sentences = [_plain(one) for one in prose.sentences]
    sentences = [one for one in sentences if len(one) >= _SHORTEST]
    asks = _describes if prose.is_document else _is_no_remark
    asking = [one for one in sentences if speaks(one) or asks(one)] or sentences
    found: list[Clause] = []
    for number, sentence in enumerate(asking):
        found += _clauses(sentence, number, speaks)
    if prose.is_document:
        found = [one for one in found if speaks(one.text) or _describes(one.text)] or found
    return tuple(found[:_MOST_CLAUSES])


def _is_no_remark(sentence: str) -> bool:
    return _REMARK.match(sentence) is None


def _describes(sentence: str) -> bool:
    """Whether a sentence of a description tells what is done: it begins with a verb."""
    return _is_no_remark(sentence) and (_begins_with_verb(sentence) or _leads(sentence))


def _plain(sentence: str) -> str:
    sentence = sentence.strip(" .,:*#\t").strip('"').strip()
    for lead in (_POLITE, _PREAMBLE):
        sentence = lead.sub("", sentence, count=1).strip(" ,:")
    return sentence


def _clauses(sentence: str, number: int, speaks: Callable[[str], bool]) -> Iterator[Clause]:
    otherwise = _ELSE.match(sentence)
    if otherwise:
        yield from _branch(sentence[otherwise.end() :], "else", number, speaks)
        return
    if _IF.match(sentence) and not _START.match(sentence):
        yield from _decision(sentence, number, speaks)
        return
    each = _EACH.match(sentence)
    if each:
        yield Clause(each[0].strip(" ,:"), "each", number)
        yield from _clauses(sentence[each.end() :].strip(" ,:"), number, speaks)
        return
    parted = _pieces(sentence, speaks)
    for place, piece in enumerate(parted):
        if place and (_IF.match(piece) or _ELSE.match(piece) or _EACH.match(piece)):
            rest = sentence[sentence.find(piece) :]
            yield from _clauses(rest, number, speaks)
            return
        yield from _moved(piece, number)


def _decision(sentence: str, number: int, speaks: Callable[[str], bool]) -> Iterator[Clause]:
    """``if C, A and B, otherwise D``: the condition, what is done then, what is done else."""
    halves = _ELSE_INSIDE.split(sentence, maxsplit=1)
    begin = re.split(r"\s*,\s*(?:then\s+)?|\s+then\s+", halves[0], maxsplit=1)
    condition = begin[0]
    act = begin[1] if len(begin) > 1 else ""
    if not act:
        verb = _first_verb(condition)
        condition, act = condition[:verb].strip(), condition[verb:].strip()
    yield Clause(condition, "if", number)
    yield from _branch(act, "act", number, speaks)
    if len(halves) > 1:
        yield from _branch(halves[1], "else", number, speaks)


def _branch(text: str, role: Role, number: int, speaks: Callable[[str], bool]) -> Iterator[Clause]:
    for piece in _pieces(text, speaks):
        yield Clause(piece, role, number)
        role = "act" if role == "if" else role


def _moved(piece: str, number: int) -> Iterator[Clause]:
    """A start or condition behind what is done comes before it."""
    meanwhile = _MEANWHILE.match(piece)
    if meanwhile:
        yield Clause(piece[meanwhile.end() :].strip(" ,"), "act", number, beside=True)
        return
    behind = _START_BEHIND.match(piece) if len(piece) <= LONGEST_CLAUSE else None
    if behind and not _START.match(piece) and _is_start(behind["start"]):
        yield Clause(behind["start"], "start", number)
        piece = behind["act"]
    happened = _HAPPENED.search(piece) if _START.match(piece) else None
    deed = _deed(piece, happened.end()) if happened else None
    if deed is not None:
        yield Clause(piece[:deed].strip(), "start", number)
        piece = piece[deed:]
    condition = _IF_BEHIND.match(piece)
    if condition and not _START.match(piece):
        yield Clause(condition["if"], "if", number)
        piece = condition["act"]
    yield Clause(piece.strip(" ,"), "start" if _START.match(piece) else "act", number)


def _deed(text: str, at: int) -> int | None:
    """Where what is done begins behind an event that ends at ``at``, with its place between.

    "is added | in the list of orders | send an email": the verb has its object behind it, and
    nothing before it that would make it a noun.
    """
    if _is_deed(text[at:]):
        return at
    if not _PLACE.match(text, at):
        return None
    for match in _DEED.finditer(text, at):
        before = text[: match.start()].rsplit(maxsplit=1)[-1].casefold()
        if is_verb(match[1]) and not match[1].endswith(("s", "ed", "ing")) and before not in _LEADS:
            return match.start()
    return None


def _is_deed(text: str) -> bool:
    """Whether a text begins with a verb that has its object behind it."""
    return _begins_with_verb(text) and len(text.split()) > 1


def _is_start(text: str) -> bool:
    """An event, or a time: "every file" is neither."""
    return (
        not re.match(r"(?:every|each)\s+(?!time\b)", text, re.IGNORECASE)
        or schedule_in(text) is not None
    )


def _pieces(sentence: str, speaks: Callable[[str], bool]) -> list[str]:
    """A sentence cut where something new is asked; quoted texts and links stay whole."""
    quoted = [
        match.span() for match in re.finditer(r'"[^"]*"|\'[^\']*\'(?!\w)|https?://\S+', sentence)
    ]
    listed = choice_at(sentence)
    quoted += [listed] if listed is not None else []
    pieces: list[str] = []
    begin = 0
    joint = ""
    for match in [*_JOINT.finditer(sentence), None]:
        if match and any(start < match.end() and match.start() < end for start, end in quoted):
            continue
        piece = sentence[begin : match.start() if match else None].strip(" .,:")
        if len(piece) >= _SHORTEST:
            asks = not _GIVES.match(piece) and (
                _begins_with_verb(piece) or speaks(piece) or _leads(piece)
            )
            lists = pieces and _GIVEN.search(pieces[-1]) and not _begins_with_verb(piece)
            if pieces and (lists or not (asks and _stands(pieces[-1], speaks))):
                pieces[-1] += joint + piece
            else:
                pieces.append(piece)
        if match:
            begin, joint = match.end(), match[0]
    return pieces


def _stands(piece: str, speaks: Callable[[str], bool]) -> bool:
    """Whether a piece asks for something by itself; a lone verb has its object behind it."""
    is_lone = all(is_verb(word) for word in split_identifier(piece)) and not speaks(piece)
    return not is_lone and (_begins_with_verb(piece) or speaks(piece) or _leads(piece))


def _leads(piece: str) -> bool:
    return any(one.match(piece) for one in (_IF, _ELSE, _EACH, _START, _MEANWHILE))


def _begins_with_verb(piece: str) -> bool:
    first = split_identifier(piece)[:1]
    return bool(first) and is_verb(first[0])


def _first_verb(text: str) -> int:
    """Where the doing begins in ``if X do Y``; the end where nothing is done."""
    words = list(re.finditer(r"[^\W_]+", text))
    for match in words[3:]:
        if is_verb(match[0].casefold()) and not match[0].endswith(("s", "ed")):
            return match.start()
    return len(text)
