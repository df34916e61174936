"""Adds the tools that unread clauses surely ask for as open steps, without operation and links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grounded_builder.catalog.guarded_verbs import DESTRUCTIVE
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.drafting.planner.clauses import ARROWS, ClauseReader
from grounded_builder.drafting.planner.draft import Draft
from grounded_builder.drafting.planner.function_words import CHOICES, CONDITIONALS, GRAMMAR
from grounded_builder.drafting.planner.operations import (
    find_carried_verb,
    has_verb,
)
from grounded_builder.drafting.planner.places import BY, INTO
from grounded_builder.drafting.planner.reading import DENIED, Clause, Word, read_request
from grounded_builder.drafting.planner.starts import is_new_thing
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.resolve.mentions import THING_AFTER, Mention

_LEADING = INTO | BY | {"from"}
_MOST_NAMED = 6
"""Tools of one clause of which each is looked at; a clause with more is a list, not an order."""
_RELATIVE = frozenset({"that", "which", "who", "whose", "where", "every", "each"})
"""Words before a name that make it a part of what describes a thing, or of an event."""
_EVENT_LEADS = ("when", "whenever", "as")


def draw_open_steps(draft: Draft, clauses: Sequence[Clause], box: ToolFacts) -> None:
    """Adds an open step for each tool that a clause without a step surely asks for.

    A request with an agent or a part of one has none: its services may be tools of the agent.
    """
    fresh = read_request(draft.reading.written, box.domain.name)
    reader = _OpenReader(ClauseReader(fresh, box), box)
    if any(reader.names_host(clause) for clause in clauses):
        return
    chosen = {c.sentence for c in clauses if reader.folded_words(c) & CHOICES}
    denied = {
        tool
        for clause in clauses
        if draft.reading.closed.get(clause.start) == DENIED
        for mention in reader.reader.mentions(clause)
        for tool in mention.tools
    }
    placed = {*draft.places.values()}
    for clause in clauses:
        reason = draft.reading.closed.get(clause.start, DENIED)
        if reason == DENIED or clause.sentence in chosen:
            continue
        if reader.folded_words(clause) & CONDITIONALS or any(
            clause.start <= at < clause.end for at in placed
        ):
            continue
        is_start = clause is clauses[0] and not draft.steps
        for mention, tool in reader.tools(clause, is_start=is_start):
            drawn = {step["tool"] for step in draft.steps}
            if tool not in drawn and not denied.intersection(mention.tools):
                step = draft.add(tool, {}, clause.start)
                name = box.row(tool).name
                is_whole = mention.text.casefold() in name.casefold()[: len(mention.text)]
                supposed = "" if is_whole else f'"{mention.text}" is supposed to be {name}; '
                draft.note(
                    step, f"{supposed}the operation, the values and the links of {name} are open"
                )
    _remove_links_over(draft, clauses)


def _remove_links_over(draft: Draft, clauses: Sequence[Clause]) -> None:
    """Removes the links between steps that have a part which is not read between them."""
    unread = [
        clause.start
        for clause in clauses
        if draft.reading.closed.get(clause.start, DENIED) != DENIED
    ]
    for step in draft.steps:
        for source in [*step["inputs"]]:
            is_kept = not isinstance(source, str) or source == "start"
            begin, end = draft.places.get(str(source), 0), draft.places[step["id"]]
            if not is_kept and any(begin < at < end for at in unread):
                step["inputs"].remove(source)
                draft.note(step, f'what leads to "{step.get("action", "")}" is left open')


class _OpenReader:
    """Finds the tools that clauses surely ask for, though not all of their words are read."""

    def __init__(self, reader: ClauseReader, box: ToolFacts) -> None:
        self.reader = reader
        self.box = box

    def folded_words(self, clause: Clause) -> set[str]:
        """Returns the words of a clause, quoted texts left out, in small letters."""
        return {word.folded_text for word in self._words(clause)}

    def names_host(self, clause: Clause) -> bool:
        """Returns whether a clause names a tool with sub-nodes, or one that is only a sub-node."""
        phrases = self.reader.phrases(clause, starts=False)
        tools = [phrase.tool for phrase, _, _ in phrases]
        for mention in self.reader.mentions(clause):
            acting = self.box.acting(mention)
            tools += [tool for tool in (acting,) if tool]
            if acting is None and self.box.starter(mention) is None:
                return True
        return any(self.box.wants(tool) or self.box.serves(tool) for tool in tools)

    def tools(self, clause: Clause, *, is_start: bool) -> Iterator[tuple[Mention, str]]:
        """Yields the tools that a clause asks for: the trigger of its event, or what is to act."""
        mentions = self.reader.mentions(clause)
        if self.reader.role(clause) == "start":
            words = [word.folded_text for word in self._words(clause)]
            if is_start and len(mentions) == 1 and words[0] in _EVENT_LEADS:
                trigger = self.box.starter(mentions[0])
                if trigger is not None and self._is_placed(clause, mentions[0], is_event=True):
                    yield mentions[0], trigger
            return
        for mention in mentions if len(mentions) <= _MOST_NAMED else ():
            tool = self.box.acting(mention)
            if tool is not None and self._is_asked(clause, mention, tool, len(mentions) == 1):
                yield mention, tool

    def _is_asked(self, clause: Clause, mention: Mention, tool: str, is_alone: bool) -> bool:
        """Returns whether a clause orders something of a tool, and waits for nothing of it."""
        lead = next((w for w in self._words(clause) if w.folded_text not in GRAMMAR), None)
        before = self._words_before(clause, mention)
        if lead is None or self.box.joins(tool) or not self._is_placed(clause, mention):
            return False
        if any(word.folded_text in _RELATIVE for word in before):
            return False  # a row that comes into it
        if self.box.starter(mention) is not None and (
            is_new_thing(before) or not (is_alone or self._preposition(clause, mention) in INTO)
        ):
            return False
        if clause.joint in ARROWS and lead.start >= clause.start + mention.at:
            return True
        operations = self.box.operations(tool)
        word = lead.folded_text
        is_verb = lead.start < clause.start + mention.at and self.box.is_deed(word)
        if stem(word) in DESTRUCTIVE or not is_verb:
            return False
        carried = any(find_carried_verb(lead, to=to) for to in (True, False))
        return carried or has_verb(operations, lead) or not operations

    def _is_placed(self, clause: Clause, mention: Mention, *, is_event: bool = False) -> bool:
        """Returns whether a name stands where a service does: in Slack, a Trello card.

        Right before it is a preposition, the verb or what is new; behind it a thing of the service
        or no noun at all.
        """
        end = clause.start + mention.at + len(mention.text)
        behind = self.reader.reading.masked[end : clause.end]
        following = [word for word in self._words(clause) if word.start >= end][:1]
        row, operations = self.box.row(mention.tools[0]), self.box.operations(mention.tools[0])
        own = {stem(part) for o in operations for part in split_identifier(o.name)}
        own |= {stem(part) for part in split_identifier(row.description)}
        is_own = any(
            w.folded_text in GRAMMAR or not w.text[0].isalpha() or stem(w.folded_text) in own
            for w in following
        )
        is_end = not following or behind[:1] not in (" ", "")
        if behind[:1] in ("-", "'", "\u2019") or not (
            is_end or is_own or THING_AFTER.match(behind)
        ):
            return False
        if self._preposition(clause, mention) in _LEADING:
            return True
        before = [w for w in self._words_before(clause, mention) if w.folded_text not in GRAMMAR]
        if is_event:
            return is_new_thing(before[-1:])
        return len(before) <= 1

    def _preposition(self, clause: Clause, mention: Mention) -> str:
        """Returns the preposition right before a name; articles may stand between."""
        for word in reversed(self._words_before(clause, mention)):
            if word.folded_text in _LEADING:
                return word.folded_text
            if word.folded_text not in GRAMMAR or word.folded_text == "of":
                break
        return ""

    def _words_before(self, clause: Clause, mention: Mention) -> list[Word]:
        return self.reader.reading.words(clause.start, clause.start + mention.at)

    def _words(self, clause: Clause) -> list[Word]:
        return self.reader.reading.words(clause.start, clause.end)
