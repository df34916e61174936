"""Plans a request clause by clause: its start, its actions, branches, hosts and their parts.

A clause becomes a step only where the tool is named and its words choose one operation. All other
words stay open, and the plan names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.catalog.tool import Operation
from grounded_builder.drafting.planner.clauses import LISTED, ClauseReader
from grounded_builder.drafting.planner.draft import Draft, Step
from grounded_builder.drafting.planner.function_words import CONDITIONALS, EXCEPTIONS, MODALS
from grounded_builder.drafting.planner.literals import MESSAGE, METHOD
from grounded_builder.drafting.planner.operations import (
    Chosen,
    Service,
    find_carried_verb,
    has_verb,
    is_destructive,
    is_writing,
    operation_of,
)
from grounded_builder.drafting.planner.places import (
    BY,
    INTO,
    OUT_OF,
    find_places,
    preposition_of,
)
from grounded_builder.drafting.planner.reading import (
    DENIED,
    Clause,
    Reading,
    Word,
    keep_clauses,
)
from grounded_builder.drafting.planner.schedules import is_schedule
from grounded_builder.drafting.planner.starts import StartReader, is_new_thing
from grounded_builder.drafting.planner.step_writer import StepWriter
from grounded_builder.drafting.planner.sub_nodes import HostReader
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import ReadPhrase
from grounded_builder.resolve.mentions import Mention

_MOST_STEPS = 40
_CANDIDATES = 4
_CONDITION = "it may depend on a condition, and conditions are not read"


@dataclass
class ClausePlanner:
    """Reads the clauses of one request into a draft; ``ends`` are what the next step follows."""

    reading: Reading
    box: ToolFacts
    draft: Draft
    ends: list[Any] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    _verb: Word | None = None
    _verb_sentence: int = -1

    def __post_init__(self) -> None:
        """Sets up the readers of clauses and of hosts."""
        self.reader = ClauseReader(self.reading, self.box)
        self.hosts = HostReader(self.reader, self.draft)
        self.writer = StepWriter(self.reader, self.draft)
        self.starts = StartReader(self.reading, self.box, self.draft, self.reader, self.writer)

    def plan(self) -> list[Clause]:
        """Reads the whole request; returns its clauses."""
        if not self.reading.clauses:
            keep_clauses(self.reading, self.reader.clauses())
        self.clauses = [*self.reading.clauses]
        self._close_dependent()
        starts = [c for c in self._open_clauses() if self._is_start(c)]
        self._close_other_starts(starts)
        self.ends = [step["id"] for step in self.draft.steps]
        for clause in self._open_clauses():
            if clause not in starts and len(self.draft.steps) < _MOST_STEPS:
                self._act(clause)
        for clause in self._open_clauses():
            places = (*self.draft.places.values(), *self.draft.unclear)
            if not any(clause.start <= at < clause.end for at in places):
                self.draft.unclear[clause.start] = self._explain_unplaced(clause)
        self.starts.begin(is_stated=any(self.reader.role(c) == "start" for c in self.clauses))
        return self.clauses

    def _open_clauses(self) -> list[Clause]:
        return [clause for clause in self.clauses if not self.reading.is_closed(clause)]

    def _close_dependent(self) -> None:
        """Closes what may depend on what is not read.

        That is all from the sentence of a condition on, and the sentence of any part that is not
        read and does not itself ask for something: it may state when, of what or in which order
        the rest is done. An event is read as a start or named as one that is not read.
        """
        before: Clause | None = None
        for clause in self.clauses:
            words = self.reading.words(clause.start, clause.end, self.reading.written)
            folded = {word.folded_text for word in words}
            is_closed, role = self.reading.is_closed(clause), self.reader.role(clause)
            is_first = clause is self.clauses[0]
            if folded & CONDITIONALS and (is_closed or role != "if" or not is_first):
                near = [c for c in self.clauses if c.sentence == clause.sentence]
                # A condition alone is of the sentence before.
                is_alone = not any(self.reader.orders(other) for other in near)
                self._close_from(clause.sentence - is_alone, _CONDITION)
                if folded & EXCEPTIONS and before is not None and not clause.joint:
                    self.reading.close(before, _CONDITION)
                return
            if is_closed and role == "start" and before and before.sentence < clause.sentence:
                self._close_from(clause.sentence, "what its start is the start of was not read")
            elif is_closed and self.reading.closed[clause.start] != DENIED and role != "start":
                self._close_beside(clause, before)
            before = clause

    def _close_beside(self, clause: Clause, before: Clause | None) -> None:
        """Closes the sentence of a clause that is not read and asks for nothing itself."""
        if self.reader.orders(clause):
            return
        reason = f'"{self.reading.quote(clause.start, clause.end)}" in its sentence was not read'
        for other in self.clauses:
            is_of_it = self.reader.role(other) != "start" or (other is before and not clause.joint)
            if other.sentence == clause.sentence and is_of_it:
                self.reading.close(other, reason)

    def _close_from(self, sentence: int, reason: str) -> None:
        """Closes a sentence and all behind it, except for a start before a condition."""
        for clause in self.clauses:
            is_start = reason == _CONDITION and self.reader.role(clause) == "start"
            if clause.sentence >= sentence and not is_start:
                self.reading.close(clause, reason)

    def _close_other_starts(self, starts: Sequence[Clause]) -> None:
        """Closes what has a start of its own, or a start that follows another sentence."""
        for clause in starts:
            if clause != starts[0] or clause.sentence > self._open_clauses()[0].sentence:
                self._close_from(clause.sentence, "what its start is the start of was not read")
        kept = self._open_clauses()
        places = self.draft.places
        self.draft.steps[:] = [
            step
            for step in self.draft.steps
            if any(c.start <= places[step["id"]] < c.end for c in kept)
        ]

    def _explain_unplaced(self, clause: Clause) -> str:
        """Returns why no step was planned for what a clause asks."""
        names = dict.fromkeys(mention.text for mention in self.reader.mentions(clause))
        if names:
            return f"what is to be done with {' and '.join(names)} was not read"
        if is_schedule(self.reading.masked[clause.start : clause.end]):
            return "no cron expression states these times exactly"
        return "no installed tool was recognized"

    def _is_start(self, clause: Clause) -> bool:
        is_chain = self.reader.is_chain(clause, self.clauses)
        return self.starts.read(clause, first=clause is self.clauses[0], is_chain=is_chain)

    # Acts

    def _act(self, clause: Clause) -> None:
        if self.hosts.goes_on(clause):
            return
        if self.reader.role(clause) == "start":
            self._source(clause)
        else:
            self._do(clause)

    def _source(self, clause: Clause) -> None:
        """Adds the one tool that a start names and that is no trigger: it comes first."""
        mentions = self.reader.mentions(clause)
        tool = self.box.acting(mentions[0]) if len(mentions) == 1 else None
        if tool is not None and not self.ends and not self.box.operations(tool):
            self._add_named(clause, mentions[0])

    def _do(self, clause: Clause) -> None:
        """Adds the step that a clause asks for; none that may destroy more than is asked."""
        state, ends = self.reading.state(), self.ends
        lead = next(iter(self.reading.open_words(clause.start, clause.end)), None)
        steps, notes = len(self.draft.steps), len(self.draft.notes)
        self._place(clause)
        added = self.draft.steps[steps:]
        reasons = [reason for step in added if (reason := self._find_risk(step))]
        if reasons:
            self.reading.restore(state)
            self.ends = ends
            del self.draft.steps[steps:], self.draft.notes[notes:]
            self.draft.unclear[clause.start] = "; ".join(dict.fromkeys(reasons))
            if any(self.box.joins(step["tool"]) for step in added):
                self._close_sentence(clause, reasons[0])
        if lead is not None and self.box.is_deed(lead.folded_text):
            self._verb = Word(lead.text, lead.start, lead.start)
            self._verb_sentence = clause.sentence

    def _close_sentence(self, clause: Clause, reason: str) -> None:
        self.draft.is_overruled = True
        for other in self.clauses:
            if other.sentence == clause.sentence and self.reader.role(other) != "start":
                self.reading.close(other, reason)

    def _find_risk(self, step: Step) -> str:
        """Returns why a step may do something else than the request means; empty if it cannot.

        A step that destroys something needs a request that is read whole, without a supposition.
        """
        name = self.box.row(step["tool"]).name
        if self.box.joins(step["tool"]):
            return f"{name} has several inputs, and what leads into each was not read"
        operations = self.box.operations_of(step["tool"], step["params"])
        supposed = [text for id_, text in self.draft.notes if id_ == step["id"]]
        is_open = supposed or not self.reading.is_complete()
        if is_open and any(is_destructive(operation) for operation in operations):
            reason = "; ".join(supposed) or "not all of the request was read"
            return f"{name} is installed and may destroy something, and {reason}"
        return ""

    def _place(self, clause: Clause) -> None:
        """Adds the step that a clause asks for: by its phrase, its name, or what it does."""
        if self.reader.is_chain(clause, self.clauses) and self._add_chained(clause):
            return
        mentions = self.reader.mentions(clause)
        host = next(
            (m for m in mentions if (tool := self.box.acting(m)) and self.box.wants(tool)), None
        )
        phrases = self.reader.phrases(clause, starts=False)
        if host is None:
            text = self.reading.text
            hosts = [(p, begin, end) for p, begin, end in phrases if self.box.wants(p.tool)]
            for phrase, begin, end in hosts[:1]:
                host = Mention((phrase.tool,), text[begin:end], begin - clause.start)
        if host is not None:
            begin = self.writer.take_mention(host, clause)
            step = self._put(str(self.box.acting(host)), {}, begin, clause)
            self.hosts.furnish(step, clause, host)
            return
        tools = {step["tool"] for step in self.draft.steps}
        phrases = [p for p in phrases if not p[0].presets or tools & p[0].presets.keys()]
        if not mentions and phrases:
            phrase, begin, end = phrases[0]
            self.reading.take(begin, end)
            step = self._put(phrase.tool, phrase.params, begin, clause)
            self._preset(phrase)
            self.writer.fill(step, clause)
        elif len(mentions) == 1:
            self._add_named(clause, mentions[0])
        elif len(mentions) == 2:
            self._carry(clause, mentions)
        elif not mentions:
            self._flow(clause)

    def _add_chained(self, clause: Clause) -> bool:
        """Adds the tool that a part between arrows is the name of."""
        tool = self.box.find_by_title(self.reading.quote(clause.start, clause.end))
        if tool is None or self.box.is_trigger(tool) or self.box.wants(tool):
            return False
        if any(is_destructive(operation) for operation in self.box.usual_operations(tool)):
            return False
        self.reading.take_words(self.reading.words(clause.start, clause.end))
        self._note_unstated(self._put(tool, {}, clause.start, clause))
        return True

    def _add_named(
        self, clause: Clause, mention: Mention, given: Sequence[Word] | None = None
    ) -> bool:
        """Adds the service that a clause names, with the operation that its words choose.

        ``given`` are words of the request that ask for it beside those of the clause: with them
        nothing is supposed. Returns whether a step is added. Where the operation is not clear, the
        clause names the candidates.
        """
        tool = self.box.acting(mention)
        if tool is None or self.box.serves(tool):
            return False
        operations = self.box.operations(tool)
        begin = clause.start + mention.at
        span = (begin, begin + len(mention.text))
        literals = [
            literal
            for literal in self.writer.literals(clause)
            if not operations or literal.value.kind != METHOD  # "POST" may be the verb as well
        ]
        words = [*(given or ())]
        words += [
            word
            for word in self.reading.open_words(clause.start, clause.end)
            if not (span[0] <= word.start < span[1])
            and not any(literal.start <= word.start < literal.end for literal in literals)
        ]
        if words and any(literal.value.kind == MESSAGE for literal in literals):
            words.append(Word(MESSAGE, begin, begin))  # a quoted text is the message
        if operations and words:
            chosen = self._operation(clause, mention, operations, words)
            if chosen is None:
                self._note_unclear(begin, tool, operations, words)
                return False
            self.reading.take_words(chosen.words)
            step = self._put(tool, chosen.params, begin, clause)
            self._note_kind_of_file(step, chosen)
            if chosen.lacks or not self._states_verb(clause, chosen):
                self.draft.note(step, f'"{chosen.name}" of {mention.text} is supposed')
        elif given is None and self._may_be_supposed(tool, words):
            step = self._put(tool, {}, begin, clause)
            known = self.box.described_words(tool, [word.folded_text for word in words])
            self.reading.take_words(word for word in words if word.folded_text in known)
            if "execute" in synonym_groups(stem(next((w.folded_text for w in words), ""))):
                self.reading.take_words(words[:1])
            if operations:
                self._note_unstated(step)
        else:
            self._note_unclear(begin, tool, operations, words)
            return False
        self.writer.take_mention(mention, clause, step)
        self.writer.fill(step, clause)
        return True

    def _states_verb(self, clause: Clause, chosen: Chosen) -> bool:
        """Returns whether a clause, or the list that it is a part of, has an operation's verb."""
        words = [w.folded_text for w in self.reading.words(clause.start, clause.end)]
        words += [] if self._verb is None else [self._verb.folded_text]
        *_, value = ("", *chosen.params.values())
        verbs = {*split_identifier(chosen.name)[:1], *split_identifier(str(value))[:1]}
        return not {stem(verb) for verb in verbs}.isdisjoint(map(stem, words))

    def _may_be_supposed(self, tool: str, words: Sequence[Word]) -> bool:
        """Returns whether a tool whose operation is not stated only reads, or does one thing alone.

        Of a tool that does one thing alone the first word must be a verb or say what it does.
        """
        if self.box.operations(tool):
            return not any(map(is_writing, self.box.usual_operations(tool)))
        known = self.box.described_words(tool, [word.folded_text for word in words])
        first = [word.folded_text for word in words[:1]]
        return all(self.box.is_deed(word) or word in known for word in first)

    def _operation(
        self,
        clause: Clause,
        mention: Mention,
        operations: Sequence[Operation],
        words: Sequence[Word],
    ) -> Chosen | None:
        """Returns the operation that words ask for, by their verb or by what it carries where."""
        tool = str(self.box.acting(mention))
        place, _ = preposition_of(self.reading, clause, mention)
        if self._states_event(clause, words):
            return None
        service = Service(
            frozenset(map(stem, split_identifier(mention.text))),
            self.box.usual_operations(tool),
            place in INTO or place in OUT_OF,
            self.box.is_deed,
            find_places(self.reading, clause, words),
        )
        has_deed = any(self.box.is_deed(w.folded_text) for w in words if not is_new_thing([w]))
        is_listed = clause.sentence == self._verb_sentence and clause.joint in (*LISTED, "then")
        carried = self._verb if is_listed and not has_deed else None
        if carried is not None:
            words = [carried, *words]  # "create a card in Trello, a page in Notion"
        chosen = operation_of(operations, words, service)
        named_at = clause.start + mention.at
        if carried and chosen and {w for w in words if w.start < named_at} - {*chosen.words}:
            return None  # the clause has a verb of its own: "the others become a page in Notion"
        if chosen is None and service.is_place and not has_verb(operations, words[0]):
            verb = find_carried_verb(words[0], to=place in INTO)
            chosen = operation_of(operations, [verb, *words[1:]], service) if verb else None
        before = self.reading.words(clause.start, clause.start + mention.at)
        if chosen and any(word.folded_text in ("into", "onto") for word in before):
            # What is got is put there: "get the text into a file on ...".
            does = [o for o in operations if o.params == chosen.params]
            return chosen if any(map(is_writing, does)) else None
        return chosen

    def _states_event(self, clause: Clause, words: Sequence[Word]) -> bool:
        """Returns whether a clause states what has happened, or what is new, and asks nothing.

        Before any step only a verb at the begin asks, or one that should be done, where other
        clauses follow.
        """
        if self._verb is not None and clause.sentence == self._verb_sentence:
            return False
        is_new = is_new_thing(words[:1])
        opens = not self.draft.steps and any(
            other.start > clause.start and self.reader.asks(other) for other in self.clauses
        )
        _, *later = self.reading.words(clause.start, clause.end)
        begins = self.box.is_deed(words[0].folded_text) and not is_new
        return is_new or (
            opens and not begins and not MODALS & {word.folded_text for word in later}
        )

    def _carry(self, clause: Clause, mentions: Sequence[Mention]) -> None:
        """Adds both services of a clause that carries something from one to the other."""
        first, second = mentions
        source, at = preposition_of(self.reading, clause, first)
        target, cut_at = preposition_of(self.reading, clause, second)
        if source in INTO and target in OUT_OF and at < cut_at:
            first, second, at, cut_at = second, first, cut_at, at
        elif (
            target not in (*INTO, *BY)
            or source in (*BY, "to", "into", "onto")
            or cut_at <= clause.start + first.at
        ):
            for mention in mentions:
                tool = self.box.acting(mention) or mention.tools[0]
                self._note_unclear(clause.start + mention.at, tool)
            return
        is_behind = cut_at < at
        source_part = replace(clause, start=at, end=clause.end if is_behind else cut_at)
        target_part = replace(clause, start=cut_at, end=at if is_behind else clause.end)
        mention_start = clause.start + first.at
        object_ = [
            word
            for word in self.reading.open_words(clause.start, min(at, cut_at) if source else cut_at)
            if not mention_start <= word.start < mention_start + len(first.text)
        ]
        verb = next(iter(object_), None)
        tools = {*first.tools, self.box.starter(first)}
        if any(step["tool"] in tools for step in self.draft.steps):
            self.writer.take_mention(first, clause)  # what started it, or was done before
        elif is_new_thing(self.reading.words(at, mention_start)) and not self.ends:
            if self.starts.event(source_part):
                self.ends = [self.draft.steps[-1]["id"]]
        elif (read := find_carried_verb(verb, to=False)) is None:
            for mention in mentions:
                self._note_unclear(clause.start + mention.at, str(self.box.acting(mention)))
            return
        else:
            words = [Word(read.text, at, at), *object_[1:]]
            shifted = replace(first, at=mention_start - at)
            if self._add_named(source_part, shifted, words) and not source:
                self.draft.note(
                    self.draft.steps[-1], f"that {first.text} is read for it is supposed"
                )
        shifted = replace(second, at=clause.start + second.at - cut_at)
        self._add_named(target_part, shifted, [w for w in object_ if not is_new_thing([w])])

    def _note_unclear(
        self, at: int, tool: str, operations: Iterable[Operation] = (), words: Iterable[Word] = ()
    ) -> None:
        """Keeps that the request names a tool of which it is not clear what it is to do."""
        asked = {stem(word.folded_text) for word in words}
        names = list(dict.fromkeys(operation.name for operation in operations))
        names.sort(key=lambda name: -sum(stem(part) in asked for part in split_identifier(name)))
        more = f" or {len(names) - _CANDIDATES} others" if len(names) > _CANDIDATES else ""
        quoted = ", ".join(f'"{item}"' for item in names[:_CANDIDATES])
        self.draft.unclear[at] = (
            f"{self.box.row(tool).name} is installed, and what it is to do is not clear"
            f"{f': {quoted}{more}' if quoted else ''}"
        )

    def _note_unstated(self, step: Step) -> None:
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
            if (
                "file" in synonym_groups(stem(word.folded_text))
                and stem(word.folded_text) not in parts
            ):
                self.draft.note(
                    step,
                    f'"{word.text}" is supposed to be a file that the step before gives to '
                    f'"{chosen.name}"',
                )

    def _flow(self, clause: Clause) -> None:
        """Adds the tool of the product itself whose name a clause says as what is to be done."""
        words = self.reading.open_words(clause.start, clause.end)
        if not words:
            return
        words_by_stem = {stem(word.folded_text): word for word in words}
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
                    and parts[0] == stem(words[0].folded_text)
                    and all(p in words_by_stem for p in parts)
                ):
                    if best is None or len(parts) > best[0]:
                        best, rivals = (len(parts), tool, params, parts), 0
                    elif len(parts) == best[0] and tool != best[1]:
                        rivals += 1
        if best is None or rivals:
            return
        _, tool, params, parts = best
        self.reading.take_words(words_by_stem[part] for part in parts)
        step = self._put(tool, params, clause.start, clause)
        if len(parts) == 1:
            self.draft.note(step, f'"{words[0].text}" is supposed to be {self.box.row(tool).name}')
        self.writer.fill(step, clause)

    def _put(self, tool: str, params: Mapping[str, Any], at: int, clause: Clause) -> Step:
        step = self.draft.add(tool, params, at, self.reader.quote(clause))
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
