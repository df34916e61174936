"""A request as sentences, clauses and words, with what of it has been read.

Every word is accounted for: a step, a value or a pattern takes the words that it stands for, and
what is neither taken nor grammar alone is named as not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from grounded_builder.catalog.sanitize import shorten_gaps
from grounded_builder.catalog.synonyms import is_verb
from grounded_builder.drafting.planner.function_words import EXCEPTIONS, GRAMMAR, is_negation

LONGEST_REQUEST = 6_000
"""Characters of a request that are read; the rest is one clause that is not."""
_MOST_CLAUSES = 60
# "Then" as a time, and not as what joins: "from then on".
_THEN = re.compile(r"\b(?:from|by|since|until|till|before|after)\s+(then)\b", re.IGNORECASE)
_HIDDEN = "\ue000"
LITERAL = re.compile(
    r"\"[^\"\n]{0,300}\"|\u201c[^\u201d\n]{0,300}\u201d|`[^`\n]{0,300}`|(?<!\w)'[^'\n]{1,300}'(?!\w)"
    r"|\bhttps?://[^\s,;\"'<>)]{0,500}|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}"
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|;(?![^\[\]]{0,80}\])|\n")
_LIST_MARK = re.compile(r"(?m)^[ \t]*(?:\d{1,2}[.)]|[-*\u2022])(?=[ \t])")
_WORD = re.compile(r"[^\W_](?:[\w'\u2019]|[-+.](?=\w))*|[#$%&\u20ac@][\w-]*|[<>=]+")
_COURTESY = re.compile(
    r"\s*(?:(?:please|hi|hello|hey)\b[\s,!]*)*"
    r"(?:(?:(?:can|could|would) you|i (?:want|need|would like)(?: you)? to"
    r"|i'd like(?: you)? to)\s+)?"
    r"(?:please\s+)?",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(
    r"(?:(?:create|build|make|design|set up|model|give me|i (?:want|need))\s+(?:me\s+)?)?"
    r"(?:(?:an?|the|this)\s+)?(?:(?:new|simple|small)\s+)?"
    r"(?:(?P<product>\w[\w.+-]{0,40})\s+)?(?:work ?flow|automation|flow|model)"
    r"(?:\s*:\s*|\s+(?:that|which|to|where|in which|of|with)\s+)",
    re.IGNORECASE,
)
_DENIED_NOUNS = frozenset({"no", "without", "neither"})
_NOTHING = frozenset({"nothing", "none", "nobody"})
NARROWING = frozenset({"only", "just"})
DENIED = "what is denied or excepted is not drawn"
"""The reason why a negated clause has no step."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written, from character ``start`` to ``end`` of the request."""

    text: str
    start: int
    end: int

    @property
    def folded_text(self) -> str:
        """The word in small letters."""
        return self.text.casefold()


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence, and what joins it to the part before: a mark or a word, or nothing."""

    start: int
    end: int
    sentence: int
    joint: str = ""


@dataclass(slots=True)
class Reading:
    """A request while it is read; ``masked`` hides quoted texts, links and addresses."""

    text: str
    rest: str = ""
    masked: str = ""
    _taken: bytearray = field(default_factory=bytearray)

    def take(self, start: int, end: int) -> None:
        """Marks characters as read."""
        self._taken[start:end] = b"\x01" * (end - start)

    def take_words(self, words: Iterable[Word]) -> None:
        """Marks words as read."""
        for word in words:
            self.take(word.start, word.end)

    def give_back(self, start: int, end: int) -> None:
        """Marks characters as not read."""
        self._taken[start:end] = bytes(end - start)

    def state(self) -> bytes:
        """Returns what has been read so far, for ``restore``."""
        return bytes(self._taken)

    def restore(self, state: bytes) -> None:
        """Goes back to what had been read at an earlier ``state``."""
        self._taken[:] = state

    def is_taken(self, start: int, end: int) -> bool:
        """Returns whether any of these characters has been read."""
        return any(self._taken[start:end])

    def words(self, start: int, end: int) -> list[Word]:
        """Returns the words of a part, those in quoted texts left out."""
        return [
            Word(match[0], match.start(), match.end())
            for match in _WORD.finditer(self.masked, start, end)
        ]

    def open_words(self, start: int, end: int) -> list[Word]:
        """Returns the words of a part that are neither read nor grammar alone."""
        times = {match.start(1) for match in _THEN.finditer(self.masked, start, end)}
        return [
            word
            for word in self.words(start, end)
            if (word.folded_text not in GRAMMAR or word.start in times)
            and not self.is_taken(word.start, word.end)
        ]

    def unread(self, start: int, end: int) -> list[str]:
        """Returns what of a part is not read, words that follow each other as one quotation."""
        spans = [(word.start, word.end) for word in self.open_words(start, end)]
        spans += [
            match.span()
            for match in LITERAL.finditer(self.text, start, end)
            if not self.is_taken(*match.span())
        ]
        joined: list[tuple[int, int]] = []
        for begin, stop in sorted(spans):
            if joined and not self.text[joined[-1][1] : begin].strip(" -"):
                joined[-1] = (joined[-1][0], stop)
            else:
                joined.append((begin, stop))
        return [self.text[begin:stop] for begin, stop in joined]

    def quote(self, start: int, end: int) -> str:
        """Returns a part as written, without the marks around it."""
        return self.text[start:end].strip(" .,:;!?\n\t-")


def read_request(request: str, product: str) -> Reading:
    """Returns the reading of a request, its courtesies and its opening taken.

    The opening may name the ``product`` that the graph is for, and no other tool.
    """
    request = shorten_gaps(request)
    text = request[:LONGEST_REQUEST]
    masked = LITERAL.sub(lambda match: _HIDDEN * len(match[0]), text)
    masked = _LIST_MARK.sub(lambda match: ";".rjust(len(match[0])), masked)
    reading = Reading(text, request[LONGEST_REQUEST:].strip(), masked, bytearray(len(text)))
    for start, _ in sentences(reading):
        courtesy = _COURTESY.match(masked, start)
        if courtesy:
            reading.take(start, courtesy.end())
        opening = _PREAMBLE.match(masked, courtesy.end() if courtesy else start)
        if opening and (opening["product"] or product).casefold() == product:
            reading.take(*opening.span())
    return reading


def sentences(reading: Reading) -> Iterator[tuple[int, int]]:
    """Yields where each sentence begins and ends."""
    start = 0
    for match in _SENTENCE_END.finditer(reading.masked):
        if reading.masked[start : match.start()].strip():
            yield start + _gap(reading.masked, start), match.start()
        start = match.end()
    if reading.masked[start:].strip():
        yield start + _gap(reading.masked, start), len(reading.masked)


def _gap(text: str, start: int) -> int:
    return len(text[start:]) - len(text[start:].lstrip())


def cut(reading: Reading, joints: re.Pattern[str], fixed: Iterable[tuple[int, int]] = ()) -> list[
    Clause
]:  # fmt: skip
    """Returns the clauses of a request, cut at ``joints`` but not inside of ``fixed`` parts."""
    whole = [*fixed, *(match.span() for match in _THEN.finditer(reading.masked))]
    clauses: list[Clause] = []
    for number, (begin, end) in enumerate(sentences(reading)):
        start, joint = begin, ""
        for match in joints.finditer(reading.masked, begin, end):
            inside = any(a < match.end() and match.start() < b for a, b in whole)
            if inside or match.start() < start:
                continue
            if reading.masked[start : match.start()].strip(" ,:"):
                clauses.append(Clause(start, match.start(), number, joint))
                joint = match[0].strip(" ,").casefold() or match[0].strip()
            start = match.end()
        if reading.masked[start:end].strip(" ,:"):
            clauses.append(Clause(start, end, number, joint))
    return clauses[:_MOST_CLAUSES]


def denied_clauses(reading: Reading, clauses: Sequence[Clause]) -> frozenset[Clause]:
    """Returns the clauses that are negated.

    A denial holds to the end of its sentence, except for what follows "but" or "then", and for
    what stands behind a comma where the denial has all that it needs before: a verb ("do not
    reply, send a card") or a noun of its own ("no scope, a display"). A list that goes on with
    "or" or "and" is denied as a whole. An exception (unless) is of what stands before it, which
    is not read without it; one that begins a sentence is of all that follows in it.
    """
    results: list[Clause] = []
    sentence, before, holds, is_whole, leads = -1, None, False, False, False
    for at, clause in enumerate(clauses):
        words = reading.words(clause.start, clause.end)
        is_fresh = clause.joint.endswith(("but", "then", "instead"))
        if words and is_whole and clause.joint == "," and not _goes_on(clauses[at + 1 :], clause):
            is_fresh = is_verb(words[0].folded_text) or words[0].folded_text in NARROWING
        if clause.sentence != sentence:
            leads = bool(words) and words[0].folded_text in EXCEPTIONS
        if clause.sentence != sentence or (is_fresh and not leads):
            sentence, holds, is_whole = clause.sentence, False, False
        denials = [at for at, word in enumerate(words) if is_negation(word.folded_text)]
        if denials:
            holds = True
            first = words[denials[0]]
            behind = words[denials[0] + 1 : denials[0] + 2]
            is_whole = words[-1].folded_text in _NOTHING or (
                denials[0] == 0
                if first.folded_text in _DENIED_NOUNS
                else any(is_verb(word.folded_text) for word in behind)
            )
        if holds:
            results.append(clause)
            is_exception = bool(words) and words[0].folded_text in EXCEPTIONS
            if is_exception and before is not None and before.sentence == clause.sentence:
                results.append(before)
        before = clause
    return frozenset(results)


def _goes_on(behind: Sequence[Clause], clause: Clause) -> bool:
    """Returns whether a list goes on behind a clause, so that it is no fresh demand."""
    return any(
        other.sentence == clause.sentence and other.joint.endswith(("and", "or"))
        for other in behind[:1]
    )
