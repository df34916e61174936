"""Put the numbers of a request into the parameters that they are meant for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.number_placement import Places
from grounded_builder.domains.simulink.keyword_plan.operands import Operands, heads
from grounded_builder.domains.simulink.keyword_plan.parameter_symbols import made
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.text import Text
from grounded_builder.domains.simulink.keyword_plan.text_parameters import give_options, give_texts
from grounded_builder.domains.simulink.keyword_plan.units import LOW_HIGH, converted

Span = tuple[int, int]

_LIMITS = frozenset({"UpperSaturationLimit", "LowerSaturationLimit"})
_RANGE = re.compile(r"\s*(?:and|to|\.{2,3}|\u2026|,)\s*", re.IGNORECASE)
_UP_TO = re.compile(r"\s*(?:to|\.{2,3}|\u2026)\s*", re.IGNORECASE)
_SET = re.compile(r"\s*(?:(?:block|of|with|limits?|is|set to|at|=|:|\()\s*)*", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(between|from|interval|range|mapping|maps|limits?|limited|bounds)\s*(from|of|between)?\s*$",
    re.IGNORECASE,
)
_LISTED = re.compile(r"\s*(?:,|and|,\s*and)\s*")


class Settings:
    """Gives what a request says to the blocks that it names; ``taken`` is what was used."""

    def __init__(
        self, text: Text, mentions: list[Mention], named: Sequence[Span], lexicon: Lexicon
    ) -> None:
        self.text, self.mentions, self.lexicon = text, mentions, lexicon
        self.taken: list[Span] = []
        self.places = Places(text, mentions, named, lexicon, self.taken)
        self._later: list[tuple[Mention, str, Quantity]] = []

    def settle(self) -> None:
        """Give every number a parameter, where one is meant."""
        operands = Operands(self.text, self.mentions, self.lexicon)
        operands.settle()
        self.taken += operands.taken
        self.places.given |= operands.given
        left = list(self.text.quantities)
        while left:
            group = self._group(left)
            del left[: len(group)]
            if any(start <= group[0].start < end for start, end in self.taken):
                continue
            if len(group) == 2 and self._bounds(group):
                continue
            self._several(group)
        self._make()
        for one in self.mentions:
            if _LIMITS & one.params.keys() and "LimitOutput" in one.spec.parameters:
                # Limits count only where they are switched on.
                one.params.setdefault("LimitOutput", "on")
        give_texts(self.text, self.mentions, self.places.given, self.taken)
        give_options(self.text, self.mentions, self.taken)

    def _group(self, left: Sequence[Quantity]) -> list[Quantity]:
        """The next number, with those that are listed behind it or end its range."""
        group = [left[0]]
        ranged = self._is_ranged(left)
        for one in left[1:]:
            between = self.text.request[group[-1].end : one.start]
            listed = _LISTED.fullmatch(between) or (ranged and _RANGE.fullmatch(between))
            if listed is None or not listed or (ranged and len(group) == 2):
                break
            if heads(one, self.mentions, self.text) and not ranged:
                break
            group.append(one)
        return group

    def _is_ranged(self, left: Sequence[Quantity]) -> bool:
        """Whether a range begins with the next number: "between 1 and 2", "saturation -1 to 1"."""
        first, *rest = left
        if _BETWEEN.search(self.text.before(first.start)) is not None:
            return True
        if not rest or heads(rest[0], self.mentions, self.text):
            return False
        request = self.text.request
        return _UP_TO.fullmatch(request[first.end : rest[0].start]) is not None and any(
            low in one.spec.parameters and high in one.spec.parameters
            for one in self.mentions
            if one.end <= first.start and _SET.fullmatch(request[one.end : first.start])
            for low, high in LOW_HIGH
        )

    def _bounds(self, group: Sequence[Quantity]) -> bool:
        """Two numbers that bound something."""
        if not self._is_ranged(group):
            return False
        said = self.text.before(group[0].start)
        told = _BETWEEN.search(said)
        for owner in self.places.owners(group[0]):
            for low, high in LOW_HIGH:
                if {low, high} <= owner.spec.parameters.keys():
                    self._give(owner, low, group[0])
                    self._give(owner, high, group[1])
                    begin = group[0].start - len(said)
                    self.taken += [(begin + told.start(), group[0].start)] if told else []
                    return True
        return False

    def _several(self, group: list[Quantity]) -> None:
        if len(group) == 1 and group[0].both and self._mirrored(group[0]):
            return
        kind = group[-1].measures
        values = [replace(one, measures=one.measures or kind) for one in group]
        place = self.places.of(values[0])
        if place is None:
            return
        owner, name = place
        copies = [one for one in self.mentions if one.start == owner.start and one.copies > 1]
        if len(values) == 1:
            if name == "Phase" and len(copies) == 2:
                # A phase between two is that of the second.
                copies = copies[1:]
            for one in copies or [owner]:
                self._give(one, name, values[0])
            return
        listed = copies or [owner]
        for one, value in zip(listed, values, strict=False):
            self._give(one, name, value)
        for value in values[len(listed) :]:
            again = self.places.of(value)
            if again is not None:
                self._give(*again, value)

    def _mirrored(self, one: Quantity) -> bool:
        for owner in self.places.owners(one):
            for low, high in LOW_HIGH:
                if {low, high} <= owner.spec.parameters.keys():
                    self._give(owner, low, replace(one, value=f"-{one.value}"))
                    self._give(owner, high, one)
                    return True
        return False

    def _make(self) -> None:
        """Give what is made with another parameter, now that those are given."""
        for owner, name, one in self._later:
            whole = made(owner, name, one.value)
            if whole is not None:
                owner.params[whole[0]] = whole[1]
                self.taken.append((one.start, one.end))

    def _give(self, owner: Mention, name: str, one: Quantity) -> None:
        if "=" in name:
            self._later.append((owner, name, one))
            return
        owner.params[name] = converted(owner.spec, name, one)
        self.places.given.add((id(owner), name))
        self.taken.append((one.start, one.end))
