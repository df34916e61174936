"""Cuts a request into clauses (start, condition, action), and finds tool names in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from grounded_builder.catalog.synonyms import is_bare_verb
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.drafting.planner.function_words import (
    CONDITIONALS,
    GRAMMAR,
    OBJECT_LEADS,
    is_finite,
    is_negation,
)
from grounded_builder.drafting.planner.reading import HIDDEN, Clause, Reading, Word, cut
from grounded_builder.drafting.planner.schedules import schedule_at
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import ReadPhrase
from grounded_builder.resolve.mentions import Mention, is_everyday

_LONGEST_NAME = 3
Role = Literal["start", "if", "act"]
_SUBORDINATE = (
    r"(?:when(?:ever)?|as soon as|once|after|if|unless|until|except|otherwise|else|"
    r"(?:for )?(?:every|each) (?:new|time))\b"
)
_JOINTS = re.compile(
    r"\s*(?:->|=>|\u2192|\u27a1\ufe0f?)\s*"
    r"|\s*,?\s*\b(?:and then|but then|then|afterwards|after that|finally)\b,?\s*"
    r"|\s*,\s*(?:and\s+|but\s+)?|\s+(?:and|but|plus|&)\s+|:\s+"
    rf"|\s+(?={_SUBORDINATE})",
    re.IGNORECASE,
)
LEAD: Mapping[str, Role] = {
    "when": "start", "whenever": "start", "once": "start", "upon": "start", "on": "start",
    "after": "start", "every": "start", "each": "start", "if": "if",
}  # fmt: skip
LISTED = ("", "and", ",", ", and", "plus", "&")
"""What joins the parts of a list."""
_ARROWS = ("->", "=>", "\u2192", "\u27a1", "\u27a1\ufe0f")


@dataclass
class ClauseReader:
    """Cuts one request into clauses, and finds the names and phrases in them."""

    reading: Reading
    facts: ToolFacts

    def cut_clauses(self) -> list[Clause]:
        """Returns the clauses in the order of the request, each with its kind."""
        clauses = self._merge_values(self._cut())
        return [replace(clause, kind=self._find_kind(clause)) for clause in clauses]

    def _find_kind(self, clause: Clause) -> Literal["order", "start", ""]:
        """Returns "order" for a clause that begins with a verb, or stands between arrows."""
        if self.role(clause) == "start":
            return "start"
        words = self.reading.words(clause.start, clause.end)
        words = [word for word in words if word.folded_text not in GRAMMAR]
        is_act = bool(words) and words[0].folded_text not in CONDITIONALS
        is_order = clause.joint in _ARROWS or (
            is_act and self.facts.is_action_word(words[0].folded_text)
        )
        return "order" if is_act and is_order else ""

    def _cut(self) -> Iterator[Clause]:
        """Yields the clauses; a schedule is one of its own."""
        reading = self.reading
        spans, at = [], 0
        while (schedule := schedule_at(reading.masked, at)) is not None:
            spans.append((schedule[1], schedule[2]))
            at = schedule[2]
        for clause in cut(reading, _JOINTS, spans):
            inside = [span for span in spans if clause.start <= span[0] and span[1] <= clause.end]
            at = clause.start
            for begin, end in inside:
                if reading.masked[at:begin].strip(" ,:"):
                    yield Clause(at, begin, clause.sentence, clause.joint)
                joint = "" if at != clause.start else clause.joint
                yield Clause(begin, end, clause.sentence, joint)
                at = end
            if reading.masked[at : clause.end].strip(" ,:"):
                joint = "" if inside else clause.joint
                yield from self._split_start(Clause(at, clause.end, clause.sentence, joint))

    def _split_start(self, clause: Clause) -> Iterator[Clause]:
        """Yields a clause, what is done right behind a start as one of its own."""
        action = self._find_action_behind(clause) if self.role(clause) in ("start", "if") else None
        if action is None:
            yield clause
        else:
            yield Clause(clause.start, action.start, clause.sentence, clause.joint)
            yield Clause(action.start, clause.end, clause.sentence, "then")

    def _find_action_behind(self, clause: Clause) -> Word | None:
        """Returns the verb that asks for something right behind what happens or holds.

        It follows a phrase of the domain, or is a verb with its object behind another that is
        finite: "when it was lost send a ...".
        """
        for _, _, end in self.phrases(clause, starts=True)[:1]:
            behind = self.reading.words(end, clause.end)[:1]
            if behind and self.facts.is_action_word(behind[0].folded_text):
                return behind[0]
        words = self.reading.words(clause.start, clause.end)
        is_stated = False
        for before, word, after in zip(words, words[1:], words[2:], strict=False):
            is_stated = is_stated or is_finite(before.folded_text)
            has_object = after.folded_text in OBJECT_LEADS or after.text[0].isdigit()
            is_noun = before.folded_text in GRAMMAR and not is_finite(before.folded_text)
            if is_stated and has_object and not is_noun and is_bare_verb(word.folded_text):
                return word
        return None

    def _merge_values(self, clauses: Iterable[Clause]) -> Iterator[Clause]:
        """Yields the clauses, those that only go on with the action before joined to it."""
        last: Clause | None = None
        for clause in clauses:
            is_act = (
                last is not None
                and last.sentence == clause.sentence
                and self.role(last) == "act"
                and not self._has_schedule(last)
            )
            if last is not None and is_act and not self._begins_anew(clause):
                last = Clause(last.start, clause.end, last.sentence, last.joint)
                continue
            if last is not None:
                yield last
            last = clause
        if last is not None:
            yield last

    def _has_schedule(self, clause: Clause) -> bool:
        return schedule_at(self.reading.masked, clause.start, clause.end) is not None

    def _begins_anew(self, clause: Clause) -> bool:
        """Returns whether a clause names or asks for something of its own."""
        words = self.reading.words(clause.start, clause.end)
        return (
            clause.joint in _ARROWS
            or clause.joint.endswith(("then", "but", "afterwards", "finally", "that"))
            or bool(words and self._introduces(words[0]) and not self._names_text(words[0]))
            or any(is_negation(word.folded_text) for word in words[:2])
            or self._has_schedule(clause)
            or bool(self.mentions(clause))
            or any(self.phrases(clause, starts=starts) for starts in (True, False))
        )

    def _names_text(self, word: Word) -> bool:
        """Returns whether a word is the noun of the quoted text behind it: message "Hello"."""
        is_quoted = self.reading.masked[word.end :].lstrip(" :").startswith(HIDDEN)
        return is_quoted and not is_bare_verb(word.folded_text)

    def _introduces(self, word: Word) -> bool:
        """Returns whether a word begins something of its own: an action, a start, a flow tool."""
        flow = {split_identifier(self.facts.row(tool).name)[0] for tool in self.flow_tools}
        first = word.folded_text
        return self.facts.is_action_word(first) or first in LEAD or first in flow

    @cached_property
    def flow_tools(self) -> tuple[str, ...]:
        """The tools of the product itself that need no account."""
        return self.facts.flow_tools()

    def role(self, clause: Clause) -> Role:
        """Returns the part that a clause plays, by its first word."""
        written = self.reading.words(clause.start, clause.end, self.reading.written)
        words = [word.folded_text for word in written[:2]]
        return "start" if words == ["as", "soon"] else LEAD.get("".join(words[:1]), "act")

    def is_chain(self, clause: Clause) -> bool:
        """Returns whether arrows join the parts of a clause's sentence."""
        sentence = [c for c in self.reading.clauses if c.sentence == clause.sentence]
        return any(other.joint in _ARROWS for other in sentence)

    def find_title(self, clause: Clause) -> str | None:
        """Returns the tool that a whole clause is the name of, an article before it left out."""
        words = self.reading.words(clause.start, clause.end)
        if words and words[0].folded_text in ("a", "an", "the"):
            words = words[1:]
        if not words:
            return None
        return self.facts.find_by_title(self.reading.quote(words[0].start, clause.end))

    def quote(self, clause: Clause) -> str:
        """Returns the beginning of a clause as written."""
        return self.reading.quote(clause.start, clause.end)[:80]

    def mentions(self, clause: Clause) -> list[Mention]:
        """Returns the tools that a clause names, in its order, quoted texts left out."""
        text = self.reading.masked[clause.start : clause.end]
        named = self.facts.mentions(text)
        words = self.reading.words(clause.start, clause.end) if clause.joint in _ARROWS else []
        for size in range(min(_LONGEST_NAME, len(words)) if not named else 0, 0, -1):
            # Between arrows a name may begin in small letters: "-> postgres insert".
            name = self.reading.masked[words[0].start : words[size - 1].end]
            tool = self.facts.find_by_title(name)
            if tool is not None and not is_everyday(name.casefold()):
                return [Mention((tool,), name, words[0].start - clause.start)]
        return named

    def phrases(self, clause: Clause, *, starts: bool) -> list[tuple[ReadPhrase, int, int]]:
        """Returns the domain's phrases that a clause has, with their places."""
        results = []
        for phrase in self.facts.domain.prompting.read_phrases:
            if phrase.starts != starts or not self.facts.is_installed(phrase.tool):
                continue
            pattern = re.compile(rf"\b(?:{phrase.pattern})", re.IGNORECASE)
            match = pattern.search(self.reading.masked, clause.start, clause.end)
            if match:
                results.append((phrase, *match.span()))
        return results
