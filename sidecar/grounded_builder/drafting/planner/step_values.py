"""Writes the values that a clause states into its step, and marks their words as read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import stem
from grounded_builder.drafting.planner.clauses import ClauseReader
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.literals import MESSAGE, Literal, literals_in
from grounded_builder.drafting.planner.operations import object_of
from grounded_builder.drafting.planner.reading import Clause
from grounded_builder.drafting.planner.schedules import duration_at
from grounded_builder.ir.intent import Reference, Value
from grounded_builder.resolve.mentions import Mention

_ALL = "all"
_RESULTS = frozenset(
    {"it", "answer", "reply", "response", "responses", "result", "results", "output", "data"}
)
"""Nouns for what the step before gives: "the result"."""
_POINTING = frozenset({"the", "its", "this", "that", "these", "those"})


@dataclass
class ValueWriter:
    """Writes the values of clauses into the steps of one draft."""

    reader: ClauseReader
    draft: Draft

    def take_mention(self, mention: Mention, clause: Clause, step: Step | None = None) -> int:
        """Marks a name as read, returns where it begins, and notes what a short name stands for."""
        begin = clause.start + mention.at
        self.reader.reading.take(begin, begin + len(mention.text))
        if step is not None:
            name = self.reader.facts.row(step["tool"]).name.removesuffix(" Trigger")
            if name.split(" ")[1:] == [mention.text]:
                self.draft.note(step, f'"{mention.text}" is assumed to be {name}')
        return begin

    def literals(self, clause: Clause) -> Iterator[Literal]:
        """Yields the literal values of a clause."""
        return literals_in(self.reader.reading, clause.start, clause.end)

    def fill(self, step: Step, clause: Clause) -> None:
        """Puts the values of a clause where its tool has a parameter of their name."""
        duration = duration_at(self.reader.reading.masked, clause.start, clause.end)
        if duration is not None:
            self._set(step, duration[0], duration[1:])
        for literal in self.literals(clause):
            begin = literal.start if literal.noun is None else literal.noun
            for kind in self._kinds(step, literal.value.kind):
                if self._set(step, Value(kind, literal.value.text), (begin, literal.end)):
                    break
        for word in self.reader.reading.words(clause.start, clause.end):
            if word.folded_text == _ALL:
                self._set(step, Value(_ALL, word.text), (word.start, word.end))
        self._refer_to_result(step, clause)

    def _refer_to_result(self, step: Step, clause: Clause) -> None:
        """Sets the text of the step before where it is known, and reads the words for a result."""
        reading, domain = self.reader.reading, self.reader.facts.domain
        words = reading.words(clause.start, clause.end)
        passed = [
            word
            for before, word in zip([None, *words], words, strict=False)
            if word.folded_text == "it"
            or (word.folded_text in _RESULTS and before and before.folded_text in _POINTING)
        ]
        sources = [input_ for input_ in step["inputs"] if isinstance(input_, str)]
        before = next((s for s in self.draft.steps if sources == [s["id"]]), None)
        if not passed or before is None:
            return
        name = domain.prompting.text_output_fields.get(before["tool"])
        if name and self._set(step, Reference(MESSAGE, before["id"], name), None):
            reading.take_words(passed)
            return
        for word in passed:
            if word.folded_text != "it" and not reading.is_taken(word.start, word.end):
                reading.take(word.start, word.end)
                tool = self.reader.facts.row(before["tool"]).name
                self.draft.note(
                    step, f'which fields of {tool} "the {word.text}" stands for is left open'
                )

    def _kinds(self, step: Step, kind: str) -> tuple[str, ...]:
        """Returns the kinds of input for what a noun names: a name, where it is what is made."""
        if kind in ("to", "from"):
            return kind, f"{kind} email"
        operations = self.reader.facts.operations_of(step["tool"], step["params"])
        objects = {
            stem(object_of(operation.name))
            for operation in operations
            if "execute" not in synonym_groups(stem(operation.name.split(" ")[0].casefold()))
        }
        is_name = kind != MESSAGE and stem(kind) in objects
        return ("name", "title") if is_name else (kind,)

    def _set(self, step: Step, meaning: Any, span: tuple[int, int] | None) -> bool:
        """Sets the parameters for a meaning if none of them is set; returns whether it did."""
        facts = self.reader.facts
        made: Mapping[str, Any] = facts.domain.prompting.parameters_for(
            facts.spec(step["tool"]), step["params"], meaning
        )
        if not made or not made.keys().isdisjoint(step["params"]):
            return False
        step["params"].update(made)
        if span is not None:
            self.reader.reading.take(*span)
        return True
