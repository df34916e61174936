"""Put the numbers of a request into the parameters that they are meant for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grounded_builder.domains.simulink.plans.choosing import parameter_for
from grounded_builder.domains.simulink.sketching.lexicon import Lexicon
from grounded_builder.domains.simulink.sketching.measures import (
    LOW_HIGH,
    converted,
    main_parameter,
    measured,
)
from grounded_builder.domains.simulink.sketching.mention import Mention
from grounded_builder.domains.simulink.sketching.operands import Operands, counts, heads
from grounded_builder.domains.simulink.sketching.quantities import Quantity
from grounded_builder.domains.simulink.sketching.text import Text, Word
from grounded_builder.domains.simulink.sketching.wording import give_options, give_texts
from grounded_builder.registry.words import STOP, singular

Span = tuple[int, int]

# Words behind a source that say what it does, not what it is of.
_DOING = re.compile(r"(s|ed|ing)$|^(through|after|before|without)$", re.IGNORECASE)
# What a source of signals may stand for, whatever it is of.
_FREE = frozenset("force torque power temperature length voltage current mass".split())
_VAGUE = frozenset({"time", "value", "signal", "output", "input", "type"})
_SHORTEST = 3

_FILLING = re.compile(
    r"[\s,:=-]*(?:(?:of|is|at|to|by|with|a|an|the|factor|value|over|limited|each|equal|=)[\s:=]*)*",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:and|to|\.\.|\u2026|,)\s*", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(between|from|interval|range)\s*(from|of|between)?\s*$", re.IGNORECASE)
_LISTED = re.compile(r"\s*(?:,|and|,\s*and)\s*")


class Settings:
    """Gives what a request says to the blocks that it names; ``taken`` is what was used."""

    def __init__(
        self, text: Text, mentions: list[Mention], named: Sequence[Span], lexicon: Lexicon
    ) -> None:
        self.text, self.mentions, self.lexicon = text, mentions, lexicon
        self.named = named
        self.taken: list[Span] = []
        self._given: set[tuple[int, str]] = set()

    def settle(self) -> None:
        """Give every number a parameter, where one is meant."""
        operands = Operands(self.text, self.mentions, self.lexicon)
        operands.settle()
        self.taken += operands.taken
        self._given |= operands.given
        left = list(self.text.quantities)
        while left:
            group = self._group(left)
            del left[: len(group)]
            if any(start <= group[0].start < end for start, end in self.taken):
                continue
            if len(group) == 2 and self._bounds(group):
                continue
            self._several(group)
        give_texts(self.text, self.mentions, self._given, self.taken)
        give_options(self.text, self.mentions, self.taken)

    def _group(self, left: Sequence[Quantity]) -> list[Quantity]:
        """The next number, with those that are listed behind it or end its range."""
        group = [left[0]]
        ranged = _BETWEEN.search(self.text.before(left[0].start)) is not None
        for one in left[1:]:
            between = self.text.request[group[-1].end : one.start]
            listed = _LISTED.fullmatch(between) or (ranged and _RANGE.fullmatch(between))
            if listed is None or not listed or (ranged and len(group) == 2):
                break
            if heads(one, self.mentions, self.text) and not ranged:
                break
            group.append(one)
        return group

    def _bounds(self, group: Sequence[Quantity]) -> bool:
        """Two numbers that bound something."""
        if _BETWEEN.search(self.text.before(group[0].start)) is None:
            return False
        for one in self._owners(group[0]):
            for low, high in LOW_HIGH:
                if {low, high} <= one.spec.parameters.keys():
                    self._give(one, low, group[0])
                    self._give(one, high, group[1])
                    return True
        return False

    def _several(self, group: list[Quantity]) -> None:
        if len(group) == 1 and group[0].both and self._mirrored(group[0]):
            return
        kind = group[-1].measures
        values = [replace(one, measures=one.measures or kind) for one in group]
        place = self._place(values[0])
        if place is None:
            return
        owner, name = place
        copies = [one for one in self.mentions if one.start == owner.start and one.copies > 1]
        if len(values) == 1:
            for one in copies or [owner]:
                self._give(one, name, values[0])
            return
        listed = copies or [owner]
        for one, value in zip(listed, values, strict=False):
            self._give(one, name, value)
        for value in values[len(listed) :]:
            again = self._place(value)
            if again is not None:
                self._give(*again, value)

    def _mirrored(self, one: Quantity) -> bool:
        for owner in self._owners(one):
            for low, high in LOW_HIGH:
                if {low, high} <= owner.spec.parameters.keys():
                    self._give(owner, low, replace(one, value=f"-{one.value}"))
                    self._give(owner, high, one)
                    return True
        return False

    def _place(self, one: Quantity) -> tuple[Mention, str] | None:
        """The block and the parameter that a number is for."""
        head = heads(one, self.mentions, self.text)
        if head is not None:
            name = self._by_unit(head, one) or (None if one.measures else main_parameter(head.spec))
            if name is not None and (id(head), name) not in self._given:
                return head, name
        beside = self._beside(one)
        if beside is not None and not one.measures:
            return beside
        named = self._by_name(one)
        if named is not None:
            return named
        for owner in self._owners(one):
            name = self._by_unit(owner, one)
            if name is not None:
                return owner, name
        if beside is not None:
            return beside
        counted = self._counted(one)
        if counted is not None:
            return counted
        before = [m for m in self.mentions if m.end <= one.start]
        if before:
            owner = max(before, key=lambda m: m.end)
            main = main_parameter(owner.spec)
            between = self.text.request[owner.end : one.start]
            fits = one.measures in _FREE and self.lexicon.is_source(owner.tool)
            is_own = fits or (not one.measures and not counts(one, self.mentions, self.text))
            if main is not None and _FILLING.fullmatch(between) and is_own:
                return (owner, main) if (id(owner), main) not in self._given else None
        return None

    def _beside(self, one: Quantity) -> tuple[Mention, str] | None:
        """A source with a word right behind its name that says what it stands for."""
        words = self._said(one)
        owner = next(
            (
                m
                for m in self.mentions
                if words
                and m.end <= words[0].start
                and not self.text.request[m.end : words[0].start].strip()
            ),
            None,
        )
        if owner is None or not self.lexicon.is_source(owner.tool):
            return None
        if any(_DOING.search(one.text) or one.text.casefold() in STOP for one in words):
            return None
        if one.measures and one.measures not in _FREE:
            return None
        named = any(
            parameter_for(" ".join(w.text for w in words[n:]), owner.spec, ())[0]
            for n in range(len(words))
        )
        main = main_parameter(owner.spec)
        if named or main is None or (id(owner), main) in self._given:
            return None
        self.taken.append((words[0].start, words[-1].end))
        return owner, main

    def _counted(self, one: Quantity) -> tuple[Mention, str] | None:
        """The parameter that a word behind a number names, as in "4 bits"."""
        word = next((w for w in self.text.words if w.start >= one.end), None)
        if word is None or not counts(one, self.mentions, self.text):
            return None
        for owner in self._owners(one):
            name, _ = parameter_for(word.text, owner.spec, self._set(owner))
            if name in owner.spec.parameters and len(word.text) > _SHORTEST:
                self.taken.append((word.start, word.end))
                return owner, str(name)
        return None

    def _by_name(self, one: Quantity) -> tuple[Mention, str] | None:
        words = self._said(one)
        windows = sorted(
            ((a, b) for a in range(len(words)) for b in range(a + 1, len(words) + 1)),
            key=lambda span: (span[0] - span[1], -span[1]),
        )
        for hows in (("exact",), ("case", "spoken"), ("near",)):
            for a, b in windows:
                said = " ".join(word.text for word in words[a:b])
                is_letter = len(said) == 1 and said.isupper()
                if (said.casefold() in STOP and not is_letter) or (
                    hows == ("near",) and (len(said) <= _SHORTEST or said.casefold() in _VAGUE)
                ):
                    continue
                for form in dict.fromkeys((said, " ".join(map(singular, said.casefold().split())))):
                    for owner in self._owners(one):
                        name, how = parameter_for(form, owner.spec, self._set(owner))
                        known = owner.spec.parameters.get(name or "")
                        if known is not None and how in hows and known.kind in ("value", "text"):
                            self.taken.append((words[a].start, words[b - 1].end))
                            return owner, str(name)
        return None

    def _said(self, one: Quantity) -> list[Word]:
        """The words that stand right before a number, at most four."""
        found: list[Word] = []
        at = one.start
        for word in reversed(self.text.words):
            if word.end > one.start:
                continue
            between = self.text.request[word.end : at]
            if re.fullmatch(r"[\s:=-]*", between) is None or len(found) == 4:
                break
            if any(start <= word.start < end for start, end in self.named):
                break
            found.insert(0, word)
            at = word.start
        while found and found[-1].text.casefold() in ("of", "is", "to", "at"):
            found.pop()
        return found

    def _owners(self, one: Quantity) -> list[Mention]:
        """The blocks of a number's sentence: nearest before it first, then those behind it."""
        begin, end = self.text.sentence(one.start)
        here = [m for m in self.mentions if begin <= m.start < end or m.end > begin > m.start]
        before = sorted((m for m in here if m.end <= one.start), key=lambda m: -m.end)
        behind = [m for m in here if m.end > one.start]
        return before + behind

    def _by_unit(self, owner: Mention, one: Quantity) -> str | None:
        return measured(owner.spec, one, self._set(owner))

    def _set(self, owner: Mention) -> list[str]:
        return [name for known, name in self._given if known == id(owner)]

    def _give(self, owner: Mention, name: str, one: Quantity) -> None:
        owner.params[name] = converted(owner.spec, name, one)
        self._given.add((id(owner), name))
        self.taken.append((one.start, one.end))
