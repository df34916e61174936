"""Writes the values that a clause states into its step, and marks their words as used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
_RESULTS = frozenset({"it", "answer", "reply", "response", "result", "output"})


@dataclass
class StepWriter:
    """Writes the values of clauses into the steps of one draft."""

    reader: ClauseReader
    draft: Draft

    def take_mention(self, mention: Mention, clause: Clause, step: Step | None = None) -> int:
        """Takes a name and returns where it begins; notes what a short name is supposed to be."""
        begin = clause.start + mention.at
        self.reader.reading.take(begin, begin + len(mention.text))
        name = (
            "" if step is None else self.reader.box.row(step["tool"]).name.removesuffix(" Trigger")
        )
        if step is not None and name.split(" ")[1:] == [mention.text]:
            self.draft.note(step, f'"{mention.text}" is supposed to be {name}')
        return begin

    def literals(self, clause: Clause) -> Iterator[Literal]:
        """Yields the literal values of a clause."""
        return literals_in(self.reader.reading, clause.start, clause.end)

    def fill(self, step: Step, clause: Clause) -> None:
        """Puts the values of a clause where its tool has a place of their name."""
        speech, spec = self.reader.box.domain.prompting, self.reader.box.spec(step["tool"])
        duration = duration_at(self.reader.reading.masked, clause.start, clause.end)
        if duration is not None:
            self._add(step, speech.parameters_for(spec, step["params"], duration[0]), duration[1:])
        for literal in self.literals(clause):
            for kind in self._kinds(step, literal.value.kind):
                made = speech.parameters_for(spec, step["params"], Value(kind, literal.value.text))
                begin = literal.start if literal.noun is None else literal.noun
                if self._add(step, made, (begin, literal.end)):
                    break
        words = self.reader.reading.words(clause.start, clause.end)
        for word in words:
            if word.folded_text == _ALL:
                made = speech.parameters_for(spec, step["params"], Value(_ALL, word.text))
                self._add(step, made, (word.start, word.end))
        passed = [word for word in words if word.folded_text in _RESULTS]
        sources = [input_ for input_ in step["inputs"] if isinstance(input_, str)]
        before = next((s for s in self.draft.steps if sources == [s["id"]]), None)
        if passed and before is not None:
            name = speech.text_output_fields.get(before["tool"])
            if name:
                reference = Reference(MESSAGE, before["id"], name)
                made = speech.parameters_for(spec, step["params"], reference)
                for word in passed if self._add(step, made, None) else ():
                    self.reader.reading.take(word.start, word.end)

    def _kinds(self, step: Step, kind: str) -> tuple[str, ...]:
        """Returns the kinds of input for what a noun names: a name, where it is what is made."""
        operations = self.reader.box.operations_of(step["tool"], step["params"])
        objects = {stem(object_of(operation.name)) for operation in operations}
        is_name = kind != MESSAGE and stem(kind) in objects
        return ("name", "title") if is_name else (kind,)

    def _add(self, step: Step, made: Mapping[str, Any], span: tuple[int, int] | None) -> bool:
        fresh = {key: value for key, value in made.items() if key not in step["params"]}
        if fresh and len(fresh) == len(made):
            step["params"].update(fresh)
            if span is not None:
                self.reader.reading.take(*span)
            return True
        return False
