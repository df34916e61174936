"""Plans a workflow clause by clause: its start, its actions, and agents with their parts.

A clause becomes a step only where it names one tool and its first word is the verb of one
operation, or where it is a phrase of the domain, or the name of a tool between arrows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, split_identifier, stem
from grounded_builder.catalog.tool import Operation
from grounded_builder.drafting.planner.agents import AgentReader
from grounded_builder.drafting.planner.clauses import ClauseReader
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.function_words import CONDITIONALS
from grounded_builder.drafting.planner.literals import MESSAGE, METHOD
from grounded_builder.drafting.planner.operations import (
    NEW,
    Chosen,
    Service,
    choose_operation,
    find_carried_verb,
    has_verb,
    is_destructive,
    is_writing,
    name_likely,
)
from grounded_builder.drafting.planner.reading import (
    CONDITION,
    DENIED,
    Clause,
    Reading,
    Word,
    keep_clauses,
)
from grounded_builder.drafting.planner.schedules import is_schedule, schedule_at
from grounded_builder.drafting.planner.starts import StartReader
from grounded_builder.drafting.planner.step_values import ValueWriter
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import ReadPhrase
from grounded_builder.resolve.mentions import Mention

_MOST_STEPS = 40
_INTO = frozenset({"to", "into", "in", "onto", "on"})
_OUT_OF = frozenset({"from", "of"})
_PLACING = _INTO | {"from"}
_BY = frozenset({"via", "with", "through", "using", "by"})
_LONGEST_NOUN = 14
_READS = ("read", "download")
_ENDING = _BY | {"and", "as", "for"}


@dataclass
class ClausePlanner:
    """Reads the clauses of one request into a draft.

    ``ends`` are what the next step follows, ``gap`` is a clause before it that was not read.
    """

    reading: Reading
    facts: ToolFacts
    draft: Draft
    ends: list[Any] = field(default_factory=list)
    gap: str = ""

    def __post_init__(self) -> None:
        """Sets up the readers of clauses, values, starts and agents."""
        self.reader = ClauseReader(self.reading, self.facts)
        self.writer = ValueWriter(self.reader, self.draft)
        self.agents = AgentReader(self.writer)
        self.starts = StartReader(self.writer)

    def plan(self) -> Sequence[Clause]:
        """Draws the open clauses; a clause without a step has the reason in the draft."""
        if not self.reading.clauses:
            keep_clauses(self.reading, self.reader.cut_clauses())
        clauses = [c for c in self.reading.clauses if not self.reading.is_closed(c)]
        starts = [clause for clause in clauses if self.starts.is_start(clause)]
        for clause in starts:
            self._draw_start(clause, is_first=clause == starts[0])
        self.ends = [step["id"] for step in self.draft.steps]
        for clause in self.reading.clauses:
            if self.reading.closed.get(clause.start, DENIED) != DENIED:
                self.gap = self.reader.quote(clause)
            elif clause in clauses and clause not in starts:
                self._draw_action(clause)
        self._add_usual_start()
        return self.reading.clauses

    # Starts

    def _draw_start(self, clause: Clause, *, is_first: bool) -> None:
        """Draws the start of the first sentence; a later one is named as not read."""
        unclear = self.draft.unclear
        if not is_first or clause.sentence > self.reading.clauses[0].sentence:
            unclear[clause.start] = "only one start, in the first sentence, is read"
        elif not (self.starts.read(clause) or self._add_source(clause)):
            text = self.reading.masked[clause.start : clause.end]
            if schedule_at(text) is not None:
                unclear[clause.start] = "no installed trigger starts by the clock"
            elif is_schedule(text):
                unclear[clause.start] = "no cron expression states these times exactly"
            else:
                unclear[clause.start] = "no event of an installed trigger was recognized"

    def _add_source(self, clause: Clause) -> bool:
        """Adds the one tool without operations that a start names, and that is no trigger."""
        mentions = self.reader.mentions(clause)
        tool = self.facts.find_action_tool(mentions[0]) if len(mentions) == 1 else None
        if tool is None or self.facts.find_trigger_tool(mentions[0]) or self.facts.operations(tool):
            return False
        self.reading.take_words(self.reading.words(clause.start, clause.end)[:1])
        self._add_service(clause, mentions[0])
        return True

    def _add_usual_start(self) -> None:
        """Puts the usual start before a workflow that states none, and notes it."""
        speech = self.facts.domain.prompting
        steps = [step for step in self.draft.steps if not step.get("for")]
        if not steps or self.facts.is_trigger(steps[0]["tool"]):
            return
        tool = speech.trigger_of_step.get(steps[0]["tool"], speech.default_trigger)
        if tool not in self.facts.registry.tools:
            return
        start = self.draft.add(tool, {}, -1)
        start["id"] = "start"
        self.draft.places["start"] = -1
        self.draft.steps.insert(0, self.draft.steps.pop())
        steps[0]["inputs"] = ["start"]
        name = self.facts.row(tool).name
        self.draft.note("start", f"the request states no start: {name} is assumed")

    # Actions

    def _draw_action(self, clause: Clause) -> None:
        """Draws the step that a clause asks for, or notes why it has none."""
        unclear = self.draft.unclear
        words = self.reading.words(clause.start, clause.end)
        if any(word.folded_text in CONDITIONALS for word in words):
            unclear[clause.start] = CONDITION
        elif len(self.draft.steps) >= _MOST_STEPS:
            unclear[clause.start] = f"a plan has at most {_MOST_STEPS} steps"
        elif not self.agents.goes_on(clause):
            steps = len(self.draft.steps)
            self._add_step(clause)
            added = self.draft.steps[steps:]
            if not added and not any(clause.start <= at < clause.end for at in unclear):
                unclear[clause.start] = self._explain_unplaced(clause)
            for step in added:
                if risk := self._find_risk(step):
                    unclear[clause.start] = risk

    def _explain_unplaced(self, clause: Clause) -> str:
        """Returns why no step was planned for what a clause asks."""
        names = list(dict.fromkeys(mention.text for mention in self.reader.mentions(clause)))
        if len(names) > 1:
            return f"it names {' and '.join(names)}, and a clause is read with one service only"
        if names:
            return f"what is to be done with {names[0]} was not read"
        return "no installed tool was recognized"

    def _find_risk(self, step: Step) -> str:
        """Returns why a step may do something else than the request means; empty if it cannot.

        A step that destroys something needs a request that is read whole, with nothing assumed.
        """
        name = self.facts.row(step["tool"]).name
        if self.facts.joins(step["tool"]):
            return f"{name} has several inputs, and what leads into each is not read"
        operations = self.facts.operations_of(step["tool"], step["params"])
        assumed = [text for id_, text in self.draft.notes if id_ == step["id"]]
        is_open = assumed or not self.reading.is_complete()
        if is_open and any(is_destructive(operation) for operation in operations):
            reason = "; ".join(assumed) or "not all of the request was read"
            return f"{name} may destroy something here, and {reason}"
        return ""

    def _add_step(self, clause: Clause) -> None:
        """Adds the step that a clause asks for: by its name, its phrase, or what it does."""
        if self.reader.is_chain(clause) and self._add_titled(clause):
            return
        mentions = self.reader.mentions(clause)
        host = self._find_host(clause, mentions)
        if host is not None:
            begin = self.writer.take_mention(host, clause)
            step = self._put(str(self.facts.find_action_tool(host)), {}, begin, clause)
            self.agents.furnish(step, clause, host)
            return
        tools = {step["tool"] for step in self.draft.steps}
        phrases = [
            phrase
            for phrase in self.reader.phrases(clause, starts=False)
            if not phrase[0].presets or tools & phrase[0].presets.keys()
        ]
        if phrases and not mentions:
            self._add_phrase(clause, *phrases[0])
        elif len(mentions) == 1:
            self._add_service(clause, mentions[0])
        elif not mentions:
            self._add_flow_tool(clause)

    def _find_host(self, clause: Clause, mentions: Sequence[Mention]) -> Mention | None:
        """Returns the name in a clause of a tool that needs sub-nodes, an agent for one."""
        for mention in mentions:
            tool = self.facts.find_action_tool(mention)
            if tool is not None and self.facts.wants(tool):
                return mention
        for phrase, begin, end in self.reader.phrases(clause, starts=False):
            if self.facts.wants(phrase.tool):
                return Mention((phrase.tool,), self.reading.text[begin:end], begin - clause.start)
        return None

    def _add_titled(self, clause: Clause) -> bool:
        """Adds the tool that a part between arrows is the name of."""
        tool = self.reader.find_title(clause)
        if tool is None or self.facts.is_trigger(tool) or self.facts.wants(tool):
            return False
        if any(is_destructive(operation) for operation in self.facts.usual_operations(tool)):
            return False
        self.reading.take_words(self.reading.words(clause.start, clause.end))
        self._note_usual(self._put(tool, {}, clause.start, clause))
        return True

    def _add_phrase(self, clause: Clause, phrase: ReadPhrase, begin: int, end: int) -> None:
        """Adds the tool of a phrase."""
        self.reading.take(begin, end)
        step = self._put(phrase.tool, phrase.params, begin, clause)
        if not self.facts.operations(phrase.tool):
            words = self.reading.open_words(clause.start, clause.end)
            self._take_action_words(phrase.tool, words, end)
        self.writer.fill(step, clause)

    def _add_service(self, clause: Clause, mention: Mention) -> None:
        """Adds the service that a clause names, with the operation that its words choose."""
        tool = self.facts.find_action_tool(mention)
        if tool is None or self.facts.serves(tool):
            return
        begin = clause.start + mention.at
        operations = self.facts.operations(tool)
        words = self._operation_words(clause, mention, operations)
        if operations and words:
            chosen = self._choose_operation(clause, mention, operations, words)
            if chosen is None:
                self.draft.unclear[begin] = self._explain_unclear(tool, operations, words)
                return
            self.reading.take_words(chosen.words)
            step = self._put(tool, chosen.params, begin, clause)
            self._note_kind_of_file(step, chosen)
            if chosen.lacks or not self._states_verb(words, chosen):
                self.draft.note(step, f'the operation "{chosen.name}" of {mention.text} is assumed')
        elif self._may_be_assumed(tool, words):
            step = self._put(tool, {}, begin, clause)
            known = self.facts.described_words(tool, [word.folded_text for word in words])
            self.reading.take_words(word for word in words if word.folded_text in known)
            self._take_action_words(tool, words, begin + len(mention.text))
            self._note_usual(step)
        else:
            self.draft.unclear[begin] = self._explain_unclear(tool, operations, words)
            return
        self.writer.take_mention(mention, clause, step)
        self.writer.fill(step, clause)

    def _operation_words(
        self, clause: Clause, mention: Mention, operations: Sequence[Operation]
    ) -> list[Word]:
        """Returns the words of a clause beside the name of its tool and the values."""
        begin = clause.start + mention.at
        end = begin + len(mention.text)
        literals = [
            literal
            for literal in self.writer.literals(clause)
            if not operations or literal.value.kind != METHOD  # "POST" may be the verb as well
        ]
        values = [literal.find_value(self.reading.text) for literal in literals]
        words = [
            word
            for word in self.reading.open_words(clause.start, clause.end)
            if not begin <= word.start < end
            and not any(first <= word.start < last for first, last in values)
        ]
        if words and any(literal.value.kind == MESSAGE for literal in literals):
            words.append(Word(MESSAGE, begin, begin))  # a quoted text is the message
        return words

    def _choose_operation(
        self,
        clause: Clause,
        mention: Mention,
        operations: Sequence[Operation],
        words: Sequence[Word],
    ) -> Chosen | None:
        """Returns the operation that words ask for, by their verb or by what it carries where."""
        if words[0].folded_text in NEW:
            return None  # an event
        before = self.reading.words(clause.start, clause.start + mention.at)
        place = self._find_preposition(before)
        service = Service(
            frozenset(map(stem, split_identifier(mention.text))),
            self.facts.usual_operations(str(self.facts.find_action_tool(mention))),
            place in _INTO | _OUT_OF,
            self.facts.is_action_word,
            self._find_places(clause, words),
        )
        chosen = choose_operation(operations, words, service)
        if chosen is None and service.is_place and not has_verb(operations, words[0]):
            verb = find_carried_verb(words[0], to=place in _INTO)
            chosen = choose_operation(operations, [verb, *words[1:]], service) if verb else None
        if chosen and any(word.folded_text in ("into", "onto") for word in before):
            # What is got is put there: "get the text into a file on ...".
            does = [o for o in operations if o.params == chosen.params]
            return chosen if any(map(is_writing, does)) else None
        return chosen

    def _find_preposition(self, words: Sequence[Word]) -> str:
        """Returns the preposition that a name stands behind, "" where there is none."""
        for word in reversed(words):
            if word.folded_text in _INTO | _OUT_OF | _BY:
                return word.folded_text
            if not word.text[0].isalnum():
                break
        return ""

    def _find_places(self, clause: Clause, words: Sequence[Word]) -> frozenset[Word]:
        """Returns those of ``words`` that state where the object of a clause is put or taken from.

        They are behind a preposition of place that is behind the object, which is another word
        than the first, the verb, or a quoted text.
        """
        places: set[Word] = set()
        is_place = False
        for word in self.reading.words(clause.start, clause.end):
            if word.folded_text in _PLACING:
                before = slice(clause.start, word.start)
                is_quoted = self.reading.text[before] != self.reading.masked[before]
                is_place = is_quoted or any(w.start < word.start for w in words[1:])
            elif word.folded_text in _ENDING:
                is_place = False
            elif is_place and word in words:
                places.add(word)
        return frozenset(places)

    def _states_verb(self, words: Iterable[Word], chosen: Chosen) -> bool:
        """Returns whether words have the very verb of an operation."""
        *_, value = ("", *chosen.params.values())
        verbs = {*split_identifier(chosen.name)[:1], *split_identifier(str(value))[:1]}
        return not {stem(verb) for verb in verbs}.isdisjoint(stem(w.folded_text) for w in words)

    def _may_be_assumed(self, tool: str, words: Sequence[Word]) -> bool:
        """Returns whether a tool whose operation is not stated only reads, or does one thing alone.

        Of a tool that does one thing alone the first word must be a verb or say what it does.
        """
        if self.facts.operations(tool):
            return not any(map(is_writing, self.facts.usual_operations(tool)))
        known = self.facts.described_words(tool, [word.folded_text for word in words])
        first = [word.folded_text for word in words[:1]]
        return all(self.facts.is_action_word(word) or word in known for word in first)

    def _take_action_words(self, tool: str, words: Sequence[Word], end: int) -> None:
        """Marks the verb for what a tool does as read, and a noun such as "node" behind its name.

        ``end`` is the end of the name.
        """
        if words and self._is_own_action(tool, words[0]):
            self.reading.take_words(words[:1])
        behind = self.reading.words(end, end + _LONGEST_NOUN)[:1]
        self.reading.take_words(word for word in behind if word.folded_text in GENERIC_NOUNS)

    def _is_own_action(self, tool: str, word: Word) -> bool:
        """Returns whether a verb asks for what a tool without operations does.

        That is to run it, what its name means, or to read where its request only reads.
        """
        default_parameters = self.facts.domain.prompting.default_parameters
        defaults = {} if default_parameters is None else default_parameters(self.facts.spec(tool))
        actions = {"execute", *(_READS if defaults.get(METHOD) == "GET" else ())}
        for part in split_identifier(self.facts.row(tool).name):
            actions |= synonym_groups(stem(part))
        return not actions.isdisjoint(synonym_groups(stem(word.folded_text)))

    def _add_flow_tool(self, clause: Clause) -> None:
        """Adds the tool of the product itself of which a clause begins with the name."""
        words = self.reading.open_words(clause.start, clause.end)
        words_by_stem = {stem(word.folded_text): word for word in words}
        first = next(iter(words_by_stem), None)
        named = [
            (len(parts), tool, params, parts)
            for tool, params, parts in self.facts.flow_names()
            if parts[0] == first and all(part in words_by_stem for part in parts)
        ]
        longest = [entry for entry in named if entry[0] == max(size for size, *_ in named)]
        if not longest or any(entry[1] != longest[0][1] for entry in longest):
            return
        _, tool, params, parts = longest[0]
        self.reading.take_words(words_by_stem[part] for part in parts)
        step = self._put(tool, params, clause.start, clause)
        self.writer.fill(step, clause)

    def _put(self, tool: str, params: Mapping[str, Any], at: int, clause: Clause) -> Step:
        """Adds a step behind the one before, and notes conditions or code that it lacks."""
        self._preset_earlier_steps(tool)
        step = self.draft.add(tool, params, at, self.reader.quote(clause))
        step["inputs"] = [] if self.gap else list(self.ends)
        self.ends = [step["id"]]
        if self.gap:
            quote, self.gap = self.gap, ""
            self.draft.note(step, f'what leads to it is left open, as "{quote}" was not read')
        missing_input = self.facts.domain.prompting.missing_input
        lacking = missing_input and missing_input(self.facts.spec(tool), step["params"])
        if lacking:
            name = self.facts.row(tool).name
            self.draft.note(step, f"the request does not state the {lacking} of {name}")
        return step

    def _preset_earlier_steps(self, tool: str) -> None:
        """Sets in the earlier steps what a tool needs of them, however the request names it."""
        for phrase in self.facts.domain.prompting.read_phrases:
            for earlier in self.draft.steps if phrase.tool == tool else ():
                for key, value in phrase.presets.get(earlier["tool"], {}).items():
                    earlier["params"].setdefault(key, value)

    # Notes

    def _explain_unclear(
        self, tool: str, operations: Iterable[Operation], words: Iterable[Word]
    ) -> str:
        """Returns that a tool is installed, and which operations the clause may mean."""
        names = name_likely(operations, words)
        return (
            f"{self.facts.row(tool).name} is installed, and what it is to do is not clear"
            f"{f': {names}' if names else ''}"
        )

    def _note_usual(self, step: Step) -> None:
        """Notes what a tool does of which the operation is not stated."""
        operations = self.facts.operations(step["tool"])
        if len(operations) > 1:
            name = self.facts.row(step["tool"]).name
            usual = self.facts.usual_operations(step["tool"])
            does = f'"{usual[0].name}" is assumed' if usual else "its defaults apply"
            others = name_likely((o for o in operations if o not in usual), ())
            others = f"; it can also do {others}" if others else ""
            self.draft.note(
                step, f"the request does not state what {name} is to do: {does}{others}"
            )

    def _note_kind_of_file(self, step: Step, chosen: Chosen) -> None:
        """Notes that a word for a kind of file was read as the file of an operation."""
        parts = {stem(part) for part in split_identifier(chosen.name)}
        for word in chosen.words:
            stemmed = stem(word.folded_text)
            if "file" in synonym_groups(stemmed) and stemmed not in parts:
                self.draft.note(
                    step,
                    f'"{word.text}" is assumed to be a file that the step before gives to '
                    f'"{chosen.name}"',
                )
