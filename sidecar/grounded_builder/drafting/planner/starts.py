"""Recognizes what starts a workflow, and adds the trigger for its schedule, event or phrase."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.synonyms import ARRIVALS, is_bare_verb
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.operations import NEW, Service, choose_event, name_likely
from grounded_builder.drafting.planner.reading import Clause, Word
from grounded_builder.drafting.planner.schedules import schedule_at
from grounded_builder.drafting.planner.step_values import ValueWriter
from grounded_builder.ir.intent import Schedule

_TIMED = frozenset({"on", "every", "each", "after", "if"})


@dataclass
class StartReader:
    """Reads the start of one request into its draft."""

    writer: ValueWriter

    def __post_init__(self) -> None:
        """Sets up what all methods use."""
        self.reader, self.draft = self.writer.reader, self.writer.draft
        self.facts, self.reading = self.reader.facts, self.reader.reading

    def is_start(self, clause: Clause) -> bool:
        """Returns whether a clause states when or by what the workflow starts."""
        is_first = clause == self.reading.clauses[0]
        role = self.reader.role(clause)
        if schedule_at(self.reading.masked, clause.start, clause.end) is not None:
            return True
        if role == "start" or (role == "if" and is_first):
            return True
        titled = self.reader.find_title(clause)
        words = self.reading.words(clause.start, clause.end)
        return is_first and (
            bool(self.reader.phrases(clause, starts=True))
            or (titled is not None and self.facts.is_trigger(titled))
            or any(word.folded_text in NEW for word in words[:1])
        )

    def read(self, clause: Clause) -> bool:
        """Adds the start that a clause states; returns whether it is read."""
        schedule = schedule_at(self.reading.masked, clause.start, clause.end)
        if schedule is not None:
            return self._add_schedule(*schedule)
        if self._add_phrase(clause) or self._add_titled(clause):
            return True
        words = self.reading.words(clause.start, clause.end)
        # "... after something": it may be done before the step, and is no event for certain.
        is_after = any(word.folded_text == "after" for word in words[:1])
        is_first = clause == self.reading.clauses[0]
        return (is_first or not is_after) and self._add_event(clause)

    def _add_schedule(self, schedule: Schedule, begin: int, end: int, lacks: str) -> bool:
        tool = self.facts.find_schedule_tool()
        if tool is None:
            return False
        params = self.facts.domain.prompting.parameters_for(self.facts.spec(tool), {}, schedule)
        if not params:
            return False
        quote = self.reading.quote(begin, end)
        self.reading.take(begin, end)
        step = self.draft.add(tool, params, begin, quote)
        if lacks:
            self.draft.note(step, f'"{quote}" does not state the time: {lacks} is assumed')
        return True

    def _add_phrase(self, clause: Clause) -> bool:
        """Adds the trigger of the domain's own phrase, where no service with events is named."""
        for phrase, begin, end in self.reader.phrases(clause, starts=True)[:1]:
            if any(
                self.facts.find_trigger_tool(mention)
                for mention in self.reader.mentions(clause)
                if not begin <= clause.start + mention.at < end
            ):
                return False
            self.reading.take(begin, end)
            self._take_lead(clause)
            step = self.draft.add(phrase.tool, phrase.params, begin, self.reader.quote(clause))
            self.writer.fill(step, clause)
            return True
        return False

    def _add_titled(self, clause: Clause) -> bool:
        """Adds the trigger that a whole clause is the name of."""
        tool = self.reader.find_title(clause)
        if tool is None or not self.facts.is_trigger(tool):
            return False
        self.reading.take(clause.start, clause.end)
        self.draft.add(tool, {}, clause.start)
        return True

    def _add_event(self, clause: Clause) -> bool:
        """Adds the trigger of the one service that a clause names, with the event that it states.

        The trigger of a tool without a list of events is drawn for something new alone.
        """
        mentions = self.reader.mentions(clause)
        tool = self.facts.find_trigger_tool(mentions[0]) if len(mentions) == 1 else None
        if tool is None:
            return False
        begin = clause.start + mentions[0].at
        end = begin + len(mentions[0].text)
        lead, *rest = self.reading.words(clause.start, clause.end)
        is_led = self.reader.role(clause) != "act"
        words = [
            word
            for word in self.reading.open_words(clause.start, clause.end)
            if not begin <= word.start < end and not (is_led and word == lead)
        ]
        is_new = any(word.folded_text in NEW for word in (rest if is_led else [lead])[:1])
        if lead.folded_text in _TIMED and not is_new:
            return False  # "on Monday", "every customer": a time or all of something, no event
        operations = self.facts.operations(tool)
        context = frozenset(map(stem, split_identifier(self.facts.row(tool).name)))
        chosen = choose_event(operations, words, Service(context)) if words else None
        taken = list(chosen.words) if chosen else []
        if chosen is None and operations:
            name, events = self.facts.row(tool).name, name_likely(operations, words)
            self.draft.unclear[begin] = (
                f"which event of {name} is meant is not clear; its events are {events}"
            )
            return True
        if not operations:
            known = self.facts.described_words(tool, [word.folded_text for word in words])
            taken = [w for w in words if w.folded_text in known or stem(w.folded_text) in ARRIVALS]
            if any(is_bare_verb(w.folded_text) and w.folded_text not in NEW for w in taken):
                return False  # what the service is to do
        self._take_lead(clause)
        params = chosen.params if chosen else {}
        step = self.draft.add(tool, params, begin, self.reader.quote(clause))
        self.writer.take_mention(mentions[0], clause, step)
        self.reading.take_words(taken)
        if chosen is not None and chosen.lacks:
            self.draft.note(step, f'the event "{chosen.name}" of {mentions[0].text} is assumed')
        self.writer.fill(step, clause)
        return True

    def _take_lead(self, clause: Clause) -> None:
        """Marks the word that introduces a start as read."""
        words: list[Word] = self.reading.words(clause.start, clause.end)[:1]
        if self.reader.role(clause) != "act":
            self.reading.take_words(words)
