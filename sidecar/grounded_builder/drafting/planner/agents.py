"""Attaches the model, memory and tools that a request names to an agent or a similar node."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.synonyms import is_verb, synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.clauses import LEAD, LISTED
from grounded_builder.drafting.planner.draft import Step
from grounded_builder.drafting.planner.literals import literals_in
from grounded_builder.drafting.planner.reading import Clause
from grounded_builder.drafting.planner.step_values import ValueWriter
from grounded_builder.ir.intent import Task, Value
from grounded_builder.resolve.mentions import Mention

_GIVEN = frozenset(
    {"ask", "run", "use", "uses", "using", "access", "equipped", "connected", "called"}
)
"""Verbs between a host and its parts."""


@dataclass
class AgentReader:
    """Reads the clauses about one host after another."""

    writer: ValueWriter
    host: tuple[Step, Clause] | None = None
    is_chat: bool = False

    def __post_init__(self) -> None:
        """Sets up what all methods use."""
        self.reader, self.draft = self.writer.reader, self.writer.draft
        self.facts, self.reading = self.reader.facts, self.reader.reading

    def furnish(self, step: Step, clause: Clause, mention: Mention) -> None:
        """Gives a host the parts that its clause names, and its task."""
        begin = clause.start + mention.at
        self.host = (step, clause)
        self._add_parts(step, Clause(begin + len(mention.text), clause.end, clause.sentence))
        ahead = self.reading.open_words(clause.start, begin)[:1]  # "ask the agent to ..."
        self.reading.take_words(word for word in ahead if word.folded_text in _GIVEN)
        speech = self.facts.domain.prompting
        tools = {item["tool"] for item in self.draft.steps}
        if not tools.isdisjoint(speech.trigger_of_step.values()):
            self.is_chat = True  # the host answers what is written to it
            self._take_answers(clause)
            return
        task = Task(self.reading.text[clause.start : clause.end])
        made = speech.parameters_for(self.facts.spec(step["tool"]), step["params"], task)
        others = [item for item in self.reader.mentions(clause) if item.at != mention.at]
        is_task = bool(ahead) and self.facts.is_action_word(ahead[0].folded_text)
        if made and is_task and all(self._is_read(other, clause) for other in others):
            step["params"].update(made)
            self.reading.take(clause.start, clause.end)

    def goes_on(self, clause: Clause) -> bool:
        """Reads a clause that goes on listing what a host is given; returns whether it does."""
        if self.host is None:
            return False
        step, before = self.host
        words = self.reading.words(clause.start, clause.end)
        first = words[0].folded_text if words else "then"
        is_listed = clause.sentence == before.sentence and clause.joint in LISTED
        if not is_listed or is_verb(first) or first in LEAD:
            self.host = None
            return False
        self._add_parts(step, clause)
        if self.is_chat:
            self._take_answers(clause)
        return True

    def _take_answers(self, clause: Clause) -> None:
        """Marks the words by which the host of a chat answers as read."""
        words = self.reading.open_words(clause.start, clause.end)
        self.reading.take_words(
            word for word in words if "reply" in synonym_groups(stem(word.folded_text))
        )

    def _is_read(self, mention: Mention, clause: Clause) -> bool:
        begin = clause.start + mention.at
        return self.reading.is_taken(begin, begin + len(mention.text))

    def _add_parts(self, host: Step, clause: Clause) -> None:
        """Attaches to a host what a clause names for it, by the kinds of part that it takes."""
        has_parts = False
        for kind in self.facts.takes(host["tool"], host["params"]):
            noun = split_identifier(kind.partition("_")[2] or kind)[-1]
            before = ("", 0)
            for tool, begin, end in self._find_parts(kind, clause):
                has_parts = True
                self.reading.take(begin, end)
                if tool == before[0] and not self.reading.text[before[1] : begin].strip():
                    continue  # a maker and its model: "Anthropic Claude"
                before = (tool, end)
                step = self.draft.add(tool, {}, begin)
                step.update({"for": host["id"], "as": kind})
                row = self.facts.row(tool)
                names = {stem(part) for part in split_identifier(row.name)} | {*row.keywords, noun}
                for word in self.reading.open_words(end, clause.end)[:2]:
                    if not {stem(word.folded_text), word.folded_text}.isdisjoint(names):
                        self.reading.take_words([word])
                self._set_model(step, Clause(begin, clause.end, clause.sentence))
                nouns = self.reading.open_words(clause.start, clause.end)
                self.reading.take_words(w for w in nouns if stem(w.folded_text) == stem(noun))
        if has_parts:
            behind = self.reading.open_words(clause.start, clause.end)
            self.reading.take_words(word for word in behind if word.folded_text in {*_GIVEN, "as"})

    def _set_model(self, step: Step, clause: Clause) -> None:
        """Sets the model that stands right behind the name of its maker: OpenAI gpt-4o-mini."""
        speech, spec = self.facts.domain.prompting, self.facts.spec(step["tool"])
        for literal in literals_in(self.reading, clause.start, clause.end):
            kind = "model" if literal.start == clause.start else literal.value.kind
            made = speech.parameters_for(spec, step["params"], Value(kind, literal.value.text))
            if made and kind == "model":
                step["params"].update(made)
                self.reading.take(literal.start, literal.end)

    def _find_parts(self, kind: str, clause: Clause) -> list[tuple[str, int, int]]:
        """Returns the tools of a kind that a clause names, by brand or name, with their places."""
        text = self.reading.masked[clause.start : clause.end]
        parts = [
            (tool, clause.start + begin, clause.start + end)
            for tool, begin, end in self.facts.brands(text, kind)
            if not self.reading.is_taken(clause.start + begin, clause.start + end)
        ]
        for mention in self.reader.mentions(clause):
            begin = clause.start + mention.at
            end = begin + len(mention.text)
            is_known = any(a < end and begin < b for _, a, b in parts)
            if is_known or self.reading.is_taken(begin, end):
                continue
            variants = (self.facts.variant(tool, kind) for tool in mention.tools)
            parts += [(tool, begin, end) for tool in [next(filter(None, variants), None)] if tool]
        return parts
