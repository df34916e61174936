"""Adds what starts a workflow: a schedule, an event of a service, or a phrase of the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grounded_builder.catalog.synonyms import is_bare_verb
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.clauses import ClauseReader
from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.operations import Service, event_of, operation_of
from grounded_builder.drafting.planner.reading import Clause, Reading, Word
from grounded_builder.drafting.planner.schedules import schedule_at
from grounded_builder.drafting.planner.step_writer import StepWriter
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.intent import Schedule

_TIMED = frozenset({"on", "every", "each", "after", "if"})
_NEW = frozenset({"new", "incoming", "time"})


@dataclass
class StartReader:
    """Reads the starts of one request into its draft."""

    reading: Reading
    box: ToolFacts
    draft: Draft
    reader: ClauseReader
    writer: StepWriter

    def read(self, clause: Clause, *, first: bool, is_chain: bool) -> bool:
        """Adds what a clause says of the start; returns whether it says anything of it."""
        reading, role = self.reading, self.reader.role(clause)
        schedule = schedule_at(reading.masked, clause.start, clause.end)
        if schedule is not None:
            return self._add_schedule(*schedule)
        arrow = first and is_chain
        phrases = self.reader.phrases(clause, starts=True)
        mentions = self.reader.mentions(clause)
        inside = [span for _, *span in phrases[:1]]
        named = any(
            self.box.starter(mention)
            for mention in mentions
            if not any(begin <= clause.start + mention.at < end for begin, end in inside)
        )
        if phrases and (role in ("start", "if") or first) and not named:
            phrase, begin, end = phrases[0]
            reading.take(begin, end)
            self.reader.take_lead(clause)
            step = self.draft.add(phrase.tool, phrase.params, begin, self.reader.quote(clause))
            self.writer.fill(step, clause)
            return True
        titled = self.box.find_by_title(reading.quote(clause.start, clause.end)) if arrow else None
        if titled is not None and self.box.is_trigger(titled):
            self.reading.take_words(reading.words(clause.start, clause.end))
            self.draft.add(titled, {}, clause.start)
            return True
        lead = reading.words(clause.start, clause.end)[:1]
        is_later = not first and any(word.folded_text == "after" for word in lead)
        if (
            (role == "start" and not is_later)
            or (role == "if" and first)
            or (first and self._waits(clause))
        ):
            return self.event(clause)
        return arrow and not self._begins_with_deed(clause) and self.event(clause, surely=True)

    def _begins_with_deed(self, clause: Clause) -> bool:
        words = self.reading.open_words(clause.start, clause.end)
        return (
            bool(words) and not is_new_thing(words[:1]) and self.box.is_deed(words[0].folded_text)
        )

    def _waits(self, clause: Clause) -> bool:
        """Returns whether what a clause takes is new things of a service that gives them as events.

        As in "take new attachments": no operation of the service has the verb.
        """
        words = self.reading.open_words(clause.start, clause.end)
        mentions = self.reader.mentions(clause)
        tool = self.box.acting(mentions[0]) if len(mentions) == 1 else None
        is_new = is_new_thing(words[1:2])
        return tool is not None and is_new and not operation_of(self.box.operations(tool), words)

    def _add_schedule(self, schedule: Schedule, begin: int, end: int, lacks: str) -> bool:
        tool = self.box.scheduler()
        if tool is None:
            return False
        spec = self.box.spec(tool)
        params = self.box.domain.prompting.parameters_for(spec, {}, schedule)
        if not params:
            return False
        self.reading.take(begin, end)
        step = self.draft.add(tool, params, begin, self.reading.quote(begin, end))
        if lacks:
            self.draft.note(
                step, f'"{self.reading.text[begin:end]}" leaves open when: {lacks} is supposed'
            )
        return True

    def event(self, clause: Clause, *, surely: bool = False) -> bool:
        """Adds the start of the one service that a clause names, with the event that it states.

        With ``surely`` nothing is added unless one event is stated.
        """
        mentions = self.reader.mentions(clause)
        tool = self.box.starter(mentions[0]) if len(mentions) == 1 else None
        if tool is None:
            return False
        operations = self.box.operations(tool)
        begin = clause.start + mentions[0].at
        end = begin + len(mentions[0].text)
        lead, *rest = self.reading.words(clause.start, clause.end)
        words = [
            word
            for word in self.reading.open_words(clause.start, clause.end)
            if not begin <= word.start < end and (surely or word != lead)
        ]
        context = split_identifier(self.box.row(tool).name)
        service = Service(frozenset(map(stem, context)))
        chosen = event_of(operations, words, service) if words else None
        is_new = is_new_thing(rest[:1])
        has_deed = any(is_bare_verb(word.folded_text) for word in words)
        if chosen is None and has_deed and not is_new_thing([lead]):
            return False  # what the service is to do: "when it is down send Slack messages"
        if chosen is None and (
            (surely and not is_new_thing([lead])) or (lead.folded_text in _TIMED and not is_new)
        ):
            return False  # "on Monday", "every customer": a time or all of something, no event
        self.reader.take_lead(clause)
        step = self.draft.add(
            tool, chosen.params if chosen else {}, begin, self.reader.quote(clause)
        )
        self.writer.take_mention(mentions[0], clause, step)
        if chosen is not None:
            self.reading.take_words(chosen.words)
            if chosen.lacks:
                self.draft.note(step, f'"{chosen.name}" of {mentions[0].text} is supposed')
        elif operations:
            self.draft.note(step, f"which event of {mentions[0].text} starts it was not read")
        else:
            known = self.box.described_words(tool, [word.folded_text for word in words])
            self.reading.take_words(word for word in words if word.folded_text in known)
        self.writer.fill(step, clause)
        return True

    def begin(self, *, is_stated: bool = False) -> None:
        """Puts the usual start before a graph without one, and notes whether one is stated."""
        speech = self.box.domain.prompting
        steps = [step for step in self.draft.steps if not step.get("for")]
        if not steps or self.box.is_trigger(steps[0]["tool"]):
            return
        tool = speech.trigger_of_step.get(steps[0]["tool"], speech.default_trigger)
        if tool not in self.box.registry.tools:
            return
        start = self.draft.add(tool, {}, -1)
        start["id"] = "start"
        self.draft.places["start"] = -1
        self.draft.steps.insert(0, self.draft.steps.pop())
        for step in steps:
            if not step["inputs"]:
                step["inputs"] = ["start"]
        name = self.box.row(tool).name
        how = "was not read" if is_stated else "is not stated"
        self.draft.note("start", f"what starts it {how}: {name} is supposed")


def is_new_thing(words: Sequence[Word]) -> bool:
    """Returns whether words say that what they are of is new, and so an event."""
    return any(word.folded_text in _NEW for word in words)
