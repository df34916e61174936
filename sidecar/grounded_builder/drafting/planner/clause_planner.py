"""Plan a request clause by clause: what starts it, what is done, branches, hosts and their parts.

A clause becomes a step only where the tool is named and its words choose one operation. All other
words stay open, and the plan names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier, stem, synonym_groups
from grounded_builder.drafting.planner.clauses import ARROWS, LEAD, ClauseReader
from grounded_builder.drafting.planner.conditions import condition_in
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.literals import MESSAGE, METHOD, Literal, literals_in
from grounded_builder.drafting.planner.operations import (
    Chosen,
    is_destructive,
    is_writing,
    operation_of,
)
from grounded_builder.drafting.planner.reading import Clause, Reading, Word, denied
from grounded_builder.drafting.planner.schedules import duration_at, schedule_at
from grounded_builder.drafting.planner.sub_nodes import HostReader
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import ReadPhrase
from grounded_builder.ir.intent import Reference, Schedule
from grounded_builder.resolve.mentions import Mention

_RESULTS = frozenset({"it", "answer", "reply", "response", "result", "output"})
_MOST_STEPS = 40
_TIMED = frozenset({"on", "every", "each"})
_NEW = frozenset({"new", "incoming", "time"})


@dataclass(slots=True)
class _Branch:
    step: str
    sentence: int
    is_read: bool
    then: list[Any] | None = None


@dataclass
class ClausePlanner:
    """Reads the clauses of one request into a draft; ``ends`` are what the next step follows."""

    reading: Reading
    box: ToolFacts
    draft: Draft
    ends: list[Any] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    _branch: _Branch | None = None
    _supposed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Sets up the readers of clauses and of hosts."""
        self.reader = ClauseReader(self.reading, self.box)
        self.hosts = HostReader(self.reader, self.draft)

    def plan(self) -> list[Clause]:
        """Reads the whole request; returns its clauses."""
        self.clauses = self.reader.clauses()
        refused = denied(self.reading, [c for c in self.clauses if self.reader.role(c) != "if"])
        open_clauses = [c for c in self.clauses if c not in refused]
        starts = [c for c in open_clauses if self._start(c, first=c is self.clauses[0])]
        if len(self.draft.steps) > 1:
            self.draft.note(self.draft.steps[1], "several starts are named: each starts it")
        self.ends = [step["id"] for step in self.draft.steps]
        for clause in open_clauses:
            if clause not in starts and len(self.draft.steps) < _MOST_STEPS:
                self._act(clause)
        if any(not isinstance(end, str) for end in self.ends) and self._branch is not None:
            self.draft.note(
                self._branch.step, "what is done where its condition holds was not read"
            )
        self._begin()
        return self.clauses

    def _take_mention(self, mention: Mention, clause: Clause) -> int:
        begin = clause.start + mention.at
        self.reading.take(begin, begin + len(mention.text))
        return begin

    def _take(self, words: Iterable[Word]) -> None:
        for word in words:
            self.reading.take(word.start, word.end)

    # Starts

    def _start(self, clause: Clause, *, first: bool) -> bool:
        """Adds what a clause says of the start; returns whether it says anything of it."""
        reading, role = self.reading, self.reader.role(clause)
        schedule = schedule_at(reading.masked, clause.start, clause.end)
        if schedule is not None:
            return self._scheduled(*schedule)
        arrow = first and self._is_chain(clause)
        if role == "if" and condition_in(self.reader.text(clause).strip(" ,:")) is not None:
            return False
        phrases = self.reader.phrases(clause, starts=True)
        mentions = self.reader.mentions(clause)
        named = any(self.box.starter(mention) for mention in mentions)
        if phrases and (role == "start" or first) and not named:
            phrase, begin, end = phrases[0]
            reading.take(begin, end)
            self._take_lead(clause)
            step = self.draft.add(phrase.tool, phrase.params, begin, self._quote(clause))
            self._values(step, clause)
            return True
        titled = self.box.titled(reading.quote(clause.start, clause.end)) if arrow else None
        if titled is not None and self.box.is_trigger(titled):
            self._take(reading.words(clause.start, clause.end))
            self.draft.add(titled, {}, clause.start)
            return True
        if role == "start" or (role == "if" and first) or (first and self._waits(clause)):
            return self._event(clause)
        return False

    def _waits(self, clause: Clause) -> bool:
        """Returns whether what a clause takes is new things of a service that gives them as events.

        As in "take new attachments": no operation of the service has the verb.
        """
        words = self.reading.open_words(clause.start, clause.end)
        mentions = self.reader.mentions(clause)
        tool = self.box.acting(mentions[0]) if len(mentions) == 1 else None
        is_new = len(words) > 1 and words[1].folded in _NEW
        return tool is not None and is_new and not operation_of(self.box.operations(tool), words)

    def _scheduled(self, schedule: Schedule, begin: int, end: int, lacks: str) -> bool:
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

    def _event(self, clause: Clause) -> bool:
        """Adds the start of the one service that a clause names, with the event that it states."""
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
            if not begin <= word.start < end and word != lead
        ]
        context = split_identifier(self.box.row(tool).name)
        chosen = operation_of(operations, words, context, event=True) if words else None
        is_new = bool(rest) and rest[0].folded in _NEW
        if chosen is None and lead.folded in _TIMED and not is_new:
            return False  # "on Monday", "every customer": a time or all of something, no event
        self._take_mention(mentions[0], clause)
        self._take_lead(clause)
        step = self.draft.add(tool, chosen.params if chosen else {}, begin, self._quote(clause))
        if chosen is not None:
            self._take(chosen.words)
        elif operations:
            self.draft.note(step, f"which event of {mentions[0].text} starts it was not read")
        else:
            known = self.box.described(tool, [word.folded for word in words])
            self._take(word for word in words if word.folded in known)
        self._values(step, clause)
        return True

    def _take_lead(self, clause: Clause) -> None:
        """Takes the word that introduces a start."""
        words = self.reading.words(clause.start, clause.end)[:1]
        self._take(word for word in words if word.folded in LEAD)

    def _begin(self) -> None:
        """Puts the usual start before a graph whose start is not stated, and says so."""
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
        self.draft.note("start", f"what starts it is not stated: {name} is supposed")

    # Acts

    def _is_chain(self, clause: Clause) -> bool:
        """Returns whether arrows join the parts of a clause's sentence."""
        near = [c for c in self.clauses if c.sentence == clause.sentence]
        return any(c.joint in ARROWS for c in near)

    def _act(self, clause: Clause) -> None:
        self._turn(clause)
        role = self.reader.role(clause)
        if role == "if":
            self._decide(clause)
        elif self.hosts.goes_on(clause):
            return
        elif role == "start":
            self._source(clause)
        else:
            if role == "else":
                if self._branch is None:
                    return
                self._take(self.reading.words(clause.start, clause.end)[:1])
            self._do(clause)

    def _source(self, clause: Clause) -> None:
        """Adds the one tool that a start names and that is no trigger: it comes first."""
        mentions = self.reader.mentions(clause)
        tool = self.box.acting(mentions[0]) if len(mentions) == 1 else None
        if tool is not None and not self.ends and not self.box.operations(tool):
            self._named(clause, mentions[0])

    def _turn(self, clause: Clause) -> None:
        """Goes over to the other branch, or out of a branch whose sentence has ended."""
        branch = self._branch
        if branch is None:
            return
        if self.reader.role(clause) == "else" and branch.then is None:
            branch.then = self.ends
            branch.sentence = clause.sentence
            self.ends = [{"from": branch.step, "output": 1}]
        elif clause.sentence != branch.sentence:
            other = branch.then or [{"from": branch.step, "output": 1}]
            self.ends = [*self.ends, *(end for end in other if end not in self.ends)]
            self.draft.note(branch.step, "what comes behind its branches is joined to both")
            self._branch = None

    def _decide(self, clause: Clause) -> None:
        tool = self.box.domain.prompting.branch_tool
        if not self.box.is_installed(tool):
            return
        condition = condition_in(self.reader.text(clause).strip(" ,:"))
        spec = self.box.spec(tool)
        params = self.box.domain.prompting.parameters_for(spec, {}, condition) if condition else {}
        step = self._put(tool, params, clause.start, clause)
        if params and condition is not None:
            self.reading.take(clause.start, clause.end)
            self.draft.note(
                step, f'"{condition.field}" is supposed to be a field of what the step before gives'
            )
        else:
            self._take_lead(clause)
        if self._branch is not None:
            self.draft.note(step, "a condition inside of another is read as within its true branch")
        self._branch = _Branch(step["id"], clause.sentence, bool(params))
        self.ends = [{"from": step["id"], "output": 0}]

    def _do(self, clause: Clause) -> None:
        """Adds the step that a clause asks for.

        None is added that may destroy more than is asked, or that leaves out an HTTP method.
        """
        state, ends = self.reading.state(), self.ends
        steps, notes = len(self.draft.steps), len(self.draft.notes)
        self._place(clause)
        added = self.draft.steps[steps:]
        if self._lacks_method(clause) or any(self._is_rash(step, clause) for step in added):
            self.reading.restore(state)
            self.ends = ends
            del self.draft.steps[steps:], self.draft.notes[notes:]

    def _lacks_method(self, clause: Clause) -> bool:
        """Returns whether a clause states an HTTP method that no step has."""
        return any(
            literal.value.kind == METHOD and not self.reading.is_taken(literal.start, literal.end)
            for literal in self._literals(clause)
        )

    def _is_rash(self, step: Step, clause: Clause) -> bool:
        """Returns whether a step destroys something that the request may not mean.

        That is where a word of its clause is not read, where the condition that it depends on is
        not read, or where its operation is wider than what is asked for.
        """
        operations = self.box.operations_of(step["tool"], step["params"])
        if not any(is_destructive(operation) for operation in operations):
            return False
        if self._branch is not None and not self._branch.is_read:
            return True
        is_open = bool(self.reading.unread(clause.start, clause.end))
        is_narrowed = self.reader.is_narrowed(clause, self.clauses)
        return is_open or is_narrowed or step["id"] in self._supposed

    def _place(self, clause: Clause) -> None:
        """Adds the step that a clause asks for: by its phrase, its name, or what it does."""
        if self._is_chain(clause) and self._chained(clause):
            return
        mentions = self.reader.mentions(clause)
        host = next(
            (m for m in mentions if (tool := self.box.acting(m)) and self.box.wants(tool)), None
        )
        if host is not None:
            begin = self._take_mention(host, clause)
            step = self._put(str(self.box.acting(host)), {}, begin, clause)
            self.hosts.furnish(step, clause, host)
            return
        phrases = self.reader.phrases(clause, starts=False)
        if not mentions and phrases:
            phrase, begin, end = phrases[0]
            self.reading.take(begin, end)
            step = self._put(phrase.tool, phrase.params, begin, clause)
            self._preset(phrase)
            self._values(step, clause)
        elif len(mentions) == 1:
            self._named(clause, mentions[0])
        elif not mentions and not self._flow(clause):
            self._spelt_out(clause)

    def _chained(self, clause: Clause) -> bool:
        """Adds the tool that a part between arrows is the name of."""
        tool = self.box.titled(self.reading.quote(clause.start, clause.end))
        if tool is None or self.box.is_trigger(tool) or self.box.wants(tool):
            return False
        if any(is_destructive(operation) for operation in self.box.usual_operations(tool)):
            return False
        self._take(self.reading.words(clause.start, clause.end))
        self._unstated(self._put(tool, {}, clause.start, clause))
        return True

    def _named(self, clause: Clause, mention: Mention) -> None:
        """Adds the service that a clause names, with the operation that its words choose."""
        tool = self.box.acting(mention)
        if tool is None or self.box.serves(tool):
            return
        operations = self.box.operations(tool)
        begin = clause.start + mention.at
        span = (begin, begin + len(mention.text))
        literals = [
            literal
            for literal in self._literals(clause)
            if not operations or literal.value.kind != METHOD  # "POST" may be the verb as well
        ]
        words = [
            word
            for word in self.reading.open_words(clause.start, clause.end)
            if not (span[0] <= word.start < span[1])
            and not any(literal.start <= word.start < literal.end for literal in literals)
        ]
        if words and any(literal.value.kind == MESSAGE for literal in literals):
            words.append(Word(MESSAGE, begin, begin))  # a quoted text is the message
        if operations and words:
            chosen = operation_of(operations, words, split_identifier(mention.text))
            if chosen is None:
                return
            self._take(chosen.words)
            step = self._put(tool, chosen.params, begin, clause)
            self._note_kind_of_file(step, chosen)
            if chosen.lacks:
                self._supposed.add(step["id"])
                self.draft.note(step, f'"{chosen.name}" of {mention.text} is supposed')
        elif not any(is_writing(operation) for operation in self.box.usual_operations(tool)):
            step = self._put(tool, {}, begin, clause)
            known = self.box.described(tool, [word.folded for word in words])
            self._take(word for word in words if word.folded in known)
            if operations:
                self._unstated(step)
        else:
            return
        self.reading.take(*span)
        self._values(step, clause)

    def _unstated(self, step: Step) -> None:
        """Notes what a tool does of which the operation is not stated."""
        if len(self.box.operations(step["tool"])) > 1:
            name = self.box.row(step["tool"]).name
            usual = self.box.usual_operations(step["tool"])
            stands = f'"{usual[0].name}" is supposed' if usual else "its defaults stand"
            self.draft.note(step, f"what {name} is to do is not stated: {stands}")

    def _note_kind_of_file(self, step: Step, chosen: Chosen) -> None:
        """Notes that a word for a kind of file was read as the file of an operation."""
        parts = {stem(part) for part in split_identifier(chosen.name)}
        for word in chosen.words:
            if "file" in synonym_groups(stem(word.folded)) and stem(word.folded) not in parts:
                self.draft.note(
                    step,
                    f'"{word.text}" is supposed to be a file that the step before gives to '
                    f'"{chosen.name}"',
                )

    def _flow(self, clause: Clause) -> bool:
        """Adds the tool of the product itself whose name a clause says as what is to be done."""
        words = self.reading.open_words(clause.start, clause.end)
        if not words:
            return False
        words_by_stem = {stem(word.folded): word for word in words}
        best: tuple[int, str, Mapping[str, Any], list[str]] | None = None
        rivals = 0
        for tool in self.reader.flow_tools:
            row = self.box.row(tool)
            names: list[tuple[str, Mapping[str, Any]]] = [(row.name, {})]
            names += [(o.name, o.params) for o in self.box.operations(tool)]
            for name, params in names:
                parts = [stem(p) for p in split_identifier(name) if p not in ("to", "from", "a")]
                if (
                    parts
                    and parts[0] == stem(words[0].folded)
                    and all(p in words_by_stem for p in parts)
                ):
                    if best is None or len(parts) > best[0]:
                        best, rivals = (len(parts), tool, params, parts), 0
                    elif len(parts) == best[0] and tool != best[1]:
                        rivals += 1
        if best is None or rivals:
            return False
        _, tool, params, parts = best
        self._take(words_by_stem[part] for part in parts)
        step = self._put(tool, params, clause.start, clause)
        self._values(step, clause)
        return True

    def _spelt_out(self, clause: Clause) -> None:
        """Adds the one operation, of whichever service, whose whole name a clause is."""
        words = self.reading.open_words(clause.start, clause.end)
        stems = tuple(stem(word.folded) for word in words)
        known = self.box.operations_named(stems) if len(stems) > 1 else []
        if len({tool for tool, _ in known}) == 1 and len(known) == 1:
            self._take(words)
            step = self._put(*known[0], clause.start, clause)
            name = self.box.row(step["tool"]).name
            self.draft.note(step, f'{name} is supposed: nothing else does "{self._quote(clause)}"')
            self._values(step, clause)

    def _put(self, tool: str, params: Mapping[str, Any], at: int, clause: Clause) -> Step:
        step = self.draft.add(tool, params, at, self._quote(clause))
        step["inputs"] = list(self.ends)
        self.ends = [step["id"]]
        spec = self.box.spec(tool)
        missing_input = self.box.domain.prompting.missing_input
        lacking = missing_input and missing_input(spec, step["params"])
        if lacking:
            name = self.box.row(tool).name
            self.draft.note(step, f"the {lacking} of {name} are not stated by the request")
        return step

    def _preset(self, phrase: ReadPhrase) -> None:
        for step in self.draft.steps:
            for key, value in phrase.presets.get(step["tool"], {}).items():
                step["params"].setdefault(key, value)

    def _quote(self, clause: Clause) -> str:
        return self.reading.quote(clause.start, clause.end)[:80]

    # Values

    def _literals(self, clause: Clause) -> Iterator[Literal]:
        return literals_in(self.reading, clause.start, clause.end)

    def _values(self, step: Step, clause: Clause) -> None:
        """Puts the values of a clause where its tool has a place of their name."""
        speech, spec = self.box.domain.prompting, self.box.spec(step["tool"])
        duration = duration_at(self.reading.masked, clause.start, clause.end)
        if duration is not None:
            self._add(step, speech.parameters_for(spec, step["params"], duration[0]), duration[1:])
        for literal in self._literals(clause):
            made = speech.parameters_for(spec, step["params"], literal.value)
            begin = literal.start if literal.noun is None else literal.noun
            self._add(step, made, (begin, literal.end))
        words = self.reading.words(clause.start, clause.end)
        passed = [word for word in words if word.folded in _RESULTS]
        sources = [input_ for input_ in step["inputs"] if isinstance(input_, str)]
        before = next((s for s in self.draft.steps if sources == [s["id"]]), None)
        if passed and before is not None:
            name = speech.text_output_fields.get(before["tool"])
            if name:
                reference = Reference(MESSAGE, before["id"], name)
                made = speech.parameters_for(spec, step["params"], reference)
                for word in passed if self._add(step, made, None) else ():
                    self.reading.take(word.start, word.end)

    def _add(self, step: Step, made: Mapping[str, Any], span: tuple[int, int] | None) -> bool:
        fresh = {key: value for key, value in made.items() if key not in step["params"]}
        if fresh and len(fresh) == len(made):
            step["params"].update(fresh)
            if span is not None:
                self.reading.take(*span)
            return True
        return False
