"""Attaches the parts that a request gives to a host node: a model, a memory, tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from grounded_builder.catalog.synonyms import is_verb, synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.clauses import LEAD, LISTED, ClauseReader
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.function_words import GRAMMAR
from grounded_builder.drafting.planner.literals import literals_in
from grounded_builder.drafting.planner.reading import Clause, Word
from grounded_builder.ir.intent import Task, Value
from grounded_builder.resolve.mentions import Mention

_GIVEN = frozenset(
    {"ask", "run", "use", "uses", "using", "access", "equipped", "connected", "called"}
)


@dataclass
class HostReader:
    """Reads the clauses about one host after another; ``guessed`` are steps that were supposed."""

    clauses: ClauseReader
    draft: Draft
    host: tuple[Step, Clause] | None = None
    guessed: set[str] = field(default_factory=set)

    # Hosts and what works for them

    def furnish(self, step: Step, clause: Clause, mention: Mention) -> None:
        """Gives a host what its clause names, its task, and what it cannot work without."""
        box, reading = self.clauses.box, self.clauses.reading
        begin = clause.start + mention.at
        self.host = (step, clause)
        self._parts(step, Clause(begin + len(mention.text), clause.end, clause.sentence))
        ahead = reading.open_words(clause.start, begin)[:1]  # "ask the agent to ..."
        self.clauses.reading.take_words(word for word in ahead if word.folded_text in _GIVEN)
        speech, spec = box.domain.prompting, box.spec(step["tool"])
        tools = {item["tool"] for item in self.draft.steps}
        if not tools.isdisjoint(speech.trigger_of_step.values()):
            # A talk: the host answers what is written to it.
            words = reading.open_words(clause.start, clause.end)
            self.clauses.reading.take_words(
                word for word in words if "reply" in synonym_groups(stem(word.folded_text))
            )
        else:
            made = speech.parameters_for(spec, step["params"], Task(self.clauses.text(clause)))
            others = [item for item in self.clauses.mentions(clause) if item.at != mention.at]
            is_task = bool(ahead) and box.is_deed(ahead[0].folded_text)
            if made and is_task and not any(self._is_open(other, clause) for other in others):
                step["params"].update(made)
                reading.take(clause.start, clause.end)
        for kind in box.wants(step["tool"], step["params"]):
            if not any(s.get("for") == step["id"] and s["as"] == kind for s in self.draft.steps):
                self._suppose(step, kind, begin)

    def _is_open(self, mention: Mention, clause: Clause) -> bool:
        begin = clause.start + mention.at
        return not self.clauses.reading.is_taken(begin, begin + len(mention.text))

    def goes_on(self, clause: Clause) -> bool:
        """Reads a clause that goes on listing what a host is given; returns whether it does."""
        if self.host is None:
            return False
        step, before = self.host
        words = self.clauses.reading.words(clause.start, clause.end)
        goes_on = clause.sentence == before.sentence and clause.joint in LISTED
        if (
            not goes_on
            or not words
            or is_verb(words[0].folded_text)
            or words[0].folded_text in LEAD
        ):
            self.host = None
            return False
        self._parts(step, clause)
        subs = [item for item in self.draft.steps if item.get("for") == step["id"]]
        for old in [sub for sub in subs if sub["id"] in self.guessed]:
            if sum(sub["as"] == old["as"] for sub in subs) > 1:
                self.draft.steps.remove(old)
                self.draft.notes = [note for note in self.draft.notes if note[0] != old["id"]]
        return True

    def _parts(self, host: Step, clause: Clause) -> None:
        """Hangs on a host what a clause names for it: models, memories, tools."""
        text = self.clauses.reading.masked[clause.start : clause.end]
        parts = False
        for kind in self.clauses.box.takes(host["tool"], host["params"]):
            words = split_identifier(kind.partition("_")[2] or kind)
            nouns = [
                word
                for word in self.clauses.reading.open_words(clause.start, clause.end)
                if stem(word.folded_text) == stem(words[-1])
            ]
            made = False
            for tool, begin, end in self._of_kind(text, kind, clause):
                self.clauses.reading.take(begin, end)
                self._hang(host, tool, kind, begin)
                made = parts = True
                row = self.clauses.box.row(tool)
                name = {stem(part) for part in split_identifier(row.name)} | {*row.keywords}
                behind = self.clauses.reading.open_words(end, clause.end)[:2]
                self.clauses.reading.take_words(
                    word
                    for word in behind
                    if stem(word.folded_text) in name or word.folded_text in name
                )
                self._fill(self.draft.steps[-1], Clause(begin, clause.end, clause.sentence))
            if made:
                self.clauses.reading.take_words(nouns)
                self.clauses.reading.take_words(self._roles(nouns, clause))
            elif nouns and not self.clauses.box.is_rendered(kind):
                self.clauses.reading.take_words(nouns)
                if kind not in self.clauses.box.wants(host["tool"]):
                    self._suppose(host, kind, nouns[0].start)
                parts = True
        if parts:
            behind = self.clauses.reading.open_words(clause.start, clause.end)
            self.clauses.reading.take_words(word for word in behind if word.folded_text in _GIVEN)

    def _fill(self, step: Step, clause: Clause) -> None:
        """Sets the model that stands right behind the name of its maker: OpenAI gpt-4o-mini."""
        box, reading = self.clauses.box, self.clauses.reading
        speech, spec = box.domain.prompting, box.spec(step["tool"])
        for literal in literals_in(reading, clause.start, clause.end):
            kind = "model" if literal.start == clause.start else literal.value.kind
            made = speech.parameters_for(spec, step["params"], Value(kind, literal.value.text))
            if made and kind == "model":
                step["params"].update(made)
                reading.take(literal.start, literal.end)

    def _roles(self, nouns: Iterable[Word], clause: Clause) -> Iterator[Word]:
        """Yields the "as" before the noun of a kind: as model."""
        words = self.clauses.reading.words(clause.start, clause.end)
        for before, word in pairwise(w for w in words if w.folded_text not in GRAMMAR):
            if word in nouns and before.folded_text == "as":
                yield before

    def _of_kind(self, text: str, kind: str, clause: Clause) -> list[tuple[str, int, int]]:
        """Returns the tools of a kind that a clause names, by brand or name, with their places."""
        brands = [
            (tool, clause.start + begin, clause.start + end)
            for tool, begin, end in self.clauses.box.brands(text, kind)
            if not self.clauses.reading.is_taken(clause.start + begin, clause.start + end)
        ]
        for mention in self.clauses.mentions(clause):
            begin = clause.start + mention.at
            end = begin + len(mention.text)
            overlaps = any(a < end and begin < b for _, a, b in brands)
            if overlaps or self.clauses.reading.is_taken(begin, end):
                continue
            variants = (
                variant
                for tool in mention.tools
                if (variant := self.clauses.box.variant(tool, kind))
            )
            tool = next(variants, None)
            if tool is not None:
                brands.append((tool, begin, end))
        return brands

    def _hang(self, host: Step, tool: str, kind: str, at: int) -> Step:
        step = self.draft.add(tool, {}, at)
        step.update({"for": host["id"], "as": kind})
        return step

    def _suppose(self, host: Step, kind: str, at: int) -> None:
        tool = self.clauses.box.usual(kind, self.clauses.reading.text)
        if tool is None:
            return
        step = self._hang(host, tool, kind, at)
        self.guessed.add(step["id"])
        word = split_identifier(kind.partition("_")[2] or kind)[-1]
        name = self.clauses.box.row(tool).name
        self.draft.note(step, f"which {word} it has was not read: {name} is supposed")
