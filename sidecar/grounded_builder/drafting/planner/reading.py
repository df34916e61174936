"""Splits a request into sentences, clauses and words, and records which words are used.

Every word is accounted for: a step, a value or a pattern takes the words that it stands for, and
what is neither taken nor grammar alone is named as not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from grounded_builder.catalog.text_cleaning import shorten_gaps
from grounded_builder.drafting.planner.function_words import (
    CONDITIONALS,
    EXCEPTIONS,
    GRAMMAR,
    is_negation,
)

LONGEST_REQUEST = 6_000
"""Characters of a request that are read; the rest is one clause that is not."""
MOST_CLAUSES = 60
"""Clauses of a request that are read; the rest of it is one more that is not."""
# "Then" as a time, and not as what joins: "from then on".
_THEN = re.compile(r"\b(?:from|by|since|until|till|before|after)\s+(then)\b", re.IGNORECASE)
HIDDEN = "\ue000"
"""What stands for each character of a quoted text, a link or an address."""
CLOSED = "\ue001"
"""What stands for each character of a closed clause: no word, space or mark."""
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
DENIED = "the planner draws nothing for what a request denies or excepts"
"""The reason why a negated clause has no step."""
CONDITION = "the planner does not read conditions"
"""The reason why a clause with a condition has no step."""
_LONGEST_QUOTE = 80


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
    """A part of a sentence, and what joins it to the part before: a mark or a word, or nothing.

    ``kind`` is "order" for one that asks for something of its own, "start" for one that states when
    the rest is done, else empty.
    """

    start: int
    end: int
    sentence: int
    joint: str = ""
    kind: Literal["order", "start", ""] = ""


@dataclass(slots=True)
class Reading:
    """A request while it is read; ``masked`` hides quoted texts, links and addresses.

    ``text`` and ``masked`` have nothing of a closed clause, ``written`` has all that was written.
    ``clauses`` are cut once; ``closed`` has by the begin of each closed one the reason why nothing
    is drawn for it.
    """

    text: str
    rest: str = ""
    masked: str = ""
    written: str = ""
    clauses: Sequence[Clause] = ()
    closed: dict[int, str] = field(default_factory=dict)
    _taken: bytearray = field(default_factory=bytearray)
    _opening: bytes = b""

    def renew(self) -> None:
        """Marks all but the opening of the request as not read, for the next reading."""
        self._taken[:] = self._opening = self._opening or bytes(self._taken)

    def close(self, clause: Clause, reason: str) -> None:
        """Hides a clause of which nothing is to be drawn; the first reason stands."""
        if clause.start not in self.closed:
            self.closed[clause.start] = reason
            hidden = CLOSED * (clause.end - clause.start)
            self.text = self.text[: clause.start] + hidden + self.text[clause.end :]
            self.masked = self.masked[: clause.start] + hidden + self.masked[clause.end :]

    def close_unread(self, clause: Clause, reason: str) -> None:
        """Closes a clause that is not read, and what it may change.

        One that asks for something of its own changes nothing else. Any other may change its
        sentence; a start or a condition also changes all that follows, and a sentence of a
        condition alone the sentence before.
        """
        beside = [other for other in self.clauses if other.sentence == clause.sentence]
        words = self.words(beside[0].start, beside[-1].end, self.written)
        is_condition = any(word.folded_text in CONDITIONALS for word in words)
        self.close(clause, reason)
        if clause.kind == "order" and not is_condition:
            return
        is_alone = not any(other.kind == "order" for other in beside)
        first = clause.sentence - (is_condition and is_alone)
        leads_on = is_condition or clause.kind == "start"
        quote = self.quote(clause.start, clause.end)
        quote = quote if len(quote) <= _LONGEST_QUOTE else f"{quote[:_LONGEST_QUOTE]}..."
        for other in self.clauses:
            if first <= other.sentence and (leads_on or other.sentence <= clause.sentence):
                self.close(other, f'it may depend on "{quote}", which was not read')

    def is_closed(self, clause: Clause) -> bool:
        """Returns whether nothing is to be drawn for a clause."""
        return clause.start in self.closed

    def is_complete(self) -> bool:
        """Returns whether nothing but denials is closed."""
        return all(reason == DENIED for reason in self.closed.values())

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

    def is_taken(self, start: int, end: int) -> bool:
        """Returns whether any of these characters has been read."""
        return any(self._taken[start:end])

    def words(self, start: int, end: int, text: str = "") -> list[Word]:
        """Returns the words of a part, those in quoted texts left out, or those of ``text``."""
        return [
            Word(match[0], match.start(), match.end())
            for match in _WORD.finditer(text or self.masked, start, end)
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
        return self.written[start:end].strip(" .,:;!?\n\t-")


def read_request(request: str, product: str) -> Reading:
    """Returns the reading of a request, its courtesies and its opening taken.

    The opening may name the ``product`` that the graph is for, and no other tool.
    """
    request = shorten_gaps(request)
    text = request[:LONGEST_REQUEST]
    masked = LITERAL.sub(lambda match: HIDDEN * len(match[0]), text)
    masked = _LIST_MARK.sub(lambda match: ";".rjust(len(match[0])), masked)
    rest = request[LONGEST_REQUEST:].strip()
    reading = Reading(text, rest, masked, text, _taken=bytearray(len(text)))
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
    if len(clauses) > MOST_CLAUSES:
        last = clauses[MOST_CLAUSES - 1]
        clauses[MOST_CLAUSES - 1 :] = [Clause(last.start, len(reading.masked), last.sentence)]
    return clauses


def keep_clauses(reading: Reading, clauses: Sequence[Clause]) -> None:
    """Keeps the clauses of a request, those that are negated closed.

    A denial holds to the end of its sentence; one with a condition (unless) is a condition.
    """
    reading.clauses, sentence = clauses, -1
    for clause in clauses:
        folded = {word.folded_text for word in reading.words(clause.start, clause.end)}
        if folded & EXCEPTIONS:
            reading.close_unread(clause, CONDITION)
            return
        if clause.sentence == sentence or any(map(is_negation, folded)):
            sentence = clause.sentence
            reading.close(clause, DENIED)
