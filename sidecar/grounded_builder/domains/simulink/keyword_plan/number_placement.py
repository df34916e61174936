"""Find the parameter that a number is for: by its name, its letter, its unit, its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from grounded_builder.catalog.tokenize import STOP, singular
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.operands import counts, heads
from grounded_builder.domains.simulink.keyword_plan.parameter_symbols import (
    ASSIGNED,
    WRITTEN,
    parameter_of,
)
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.text import Text, Word
from grounded_builder.domains.simulink.keyword_plan.units import (
    SAMPLERS,
    main_parameter,
    measured,
    worded,
)
from grounded_builder.domains.simulink.resolve.parameter_names import parameter_for

Span = tuple[int, int]

# Words behind a source that say what it does, not what it is of.
_DOING = re.compile(r"(s|ed|ing)$|^(through|after|before|without)$", re.IGNORECASE)
# What a source of signals may stand for, whatever it is of.
_FREE = frozenset(
    {"force", "torque", "power", "temperature", "length", "voltage", "current", "mass", "angle"}
) | {"angular frequency"}
_VAGUE = frozenset({"time", "value", "signal", "output", "input", "type"})
_SHORTEST = 3
_SAMPLED = re.compile(r"sampl|\brate\b|\bevery\b|\bupdat", re.IGNORECASE)
_LOOK = 40
# How many blocks on each side a number may be of.
_FAR = 12

_FILLING = re.compile(
    r"[\s,:=(-]*(?:(?:of|is|at|to|by|with|a|an|the|factor|value|over|limited|each|equal)[\s:=]*)*",
    re.IGNORECASE,
)


def symbol_of(one: Quantity, text: Text) -> str:
    """What a text assigns a number to; empty where it does not."""
    found = ASSIGNED.search(text.request, max(0, one.start - _LOOK), one.start)
    return found[1] if found else ""


@dataclass(slots=True)
class Places:
    """Places of numbers; ``given`` are parameters that have one, ``taken`` what says so."""

    text: Text
    mentions: list[Mention]
    named: Sequence[Span]
    lexicon: Lexicon
    taken: list[Span]
    given: set[tuple[int, str]] = field(default_factory=set)

    def of(self, one: Quantity) -> tuple[Mention, str] | None:
        """The block and the parameter that a number is for."""
        symbol = self._by_symbol(one)
        if symbol is not None:
            return symbol
        if ASSIGNED.search(self.text.request, max(0, one.start - _LOOK), one.start):
            # What a letter is that no block has, nobody knows.
            return self._by_name(one) if len(symbol_of(one, self.text)) > 1 else None
        head = heads(one, self.mentions, self.text)
        if head is not None:
            free = not one.measures or (one.measures in _FREE and self.lexicon.is_source(head.tool))
            name = self._by_unit(head, one) or (main_parameter(head.spec) if free else None)
            if name is not None and (id(head), name) not in self.given:
                return head, name
        beside = self._beside(one)
        if beside is not None and not one.measures:
            return beside
        named = self._by_name(one)
        if named is not None:
            return named
        for owner in self.owners(one):
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
                return (owner, main) if (id(owner), main) not in self.given else None
        return None

    def _by_symbol(self, one: Quantity) -> tuple[Mention, str] | None:
        """The nearest block whose letter stands before a number."""
        found = WRITTEN.search(self.text.request, max(0, one.start - _LOOK), one.start)
        symbol = (found[1] or found[2]) if found else ""
        exact = (m for m in self.owners(one) if symbol in m.spec.parameters)
        owner = next(exact, None) if len(symbol) == 1 and symbol.isupper() else None
        if found and owner is not None and symbol not in self._set(owner):
            self.taken.append((found.start(), one.end))
            return owner, symbol
        for owner in self.owners(one) if found else ():
            name = parameter_of(owner, symbol)
            if found and name is not None and name not in self._set(owner):
                self.taken.append((found.start(), one.end))
                return owner, name
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
        if any(_DOING.search(word.text) or word.text.casefold() in STOP for word in words):
            return None
        if one.measures and one.measures not in _FREE:
            return None
        named = any(
            parameter_for(" ".join(w.text for w in words[n:]), owner.spec, ())[0]
            for n in range(len(words))
        )
        main = main_parameter(owner.spec)
        if named or main is None or (id(owner), main) in self.given:
            return None
        self.taken.append((words[0].start, words[-1].end))
        return owner, main

    def _counted(self, one: Quantity) -> tuple[Mention, str] | None:
        """The parameter that a word behind a number names, as in "4 bits"."""
        word = next((w for w in self.text.words if w.start >= one.end), None)
        if word is None or not counts(one, self.mentions, self.text):
            return None
        for owner in self.owners(one):
            behind = self.text.after(one.end, _LOOK).split(",")[0].split()
            for size in (3, 2, 1):
                known = worded(owner.spec, " ".join(behind[:size]))
                if known is not None and known not in self._set(owner):
                    end = self.text.request.index(behind[size - 1], one.end) + len(behind[size - 1])
                    self.taken.append((word.start, end))
                    return owner, known
        for owner in self.owners(one):
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
        for hows in (("exact",), ("case", "spoken", "label"), ("near",)):
            for a, b in windows:
                said = " ".join(word.text for word in words[a:b])
                is_letter = len(said) == 1 and said.isupper()
                if (said.casefold() in STOP and not is_letter) or (
                    hows == ("near",) and (len(said) <= _SHORTEST or said.casefold() in _VAGUE)
                ):
                    continue
                for form in dict.fromkeys((said, " ".join(map(singular, said.casefold().split())))):
                    for owner in self.owners(one):
                        name, how = parameter_for(form, owner.spec, self._set(owner))
                        worthy = worded(owner.spec, form)
                        if worthy is not None and worthy not in self._set(owner):
                            name, how = worthy, "exact"
                        known = owner.spec.parameters.get(name or "")
                        if known is not None and how in hows and known.kind in ("value", "text"):
                            self.taken.append((words[a].start, words[b - 1].end))
                            return self._discrete(owner, str(name), one), str(name)
        return None

    def _discrete(self, owner: Mention, name: str, one: Quantity) -> Mention:
        """The block whose sample time is told: a discrete one rather than a source."""
        if name != "SampleTime" or not self.lexicon.is_source(owner.tool):
            return owner
        if self.text.request[owner.end : one.start].lstrip().startswith("sampl"):
            return owner
        others = (m for m in self.owners(one) if m.tool.startswith("simulink/Discrete/"))
        free = (m for m in others if name in m.spec.parameters and name not in self._set(m))
        return next(free, owner)

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

    def owners(self, one: Quantity) -> list[Mention]:
        """The blocks of a number's sentence: nearest before it first, then those behind it."""
        begin, end = self.text.sentence(one.start)
        here = [m for m in self.mentions if begin <= m.start < end or m.end > begin > m.start]
        before = sorted((m for m in here if m.end <= one.start), key=lambda m: -m.end)
        behind = [m for m in here if m.end > one.start]
        return before[:_FAR] + behind[:_FAR]

    def _by_unit(self, owner: Mention, one: Quantity) -> str | None:
        begin, end = self.text.sentence(one.start)
        near = self.text.before(one.start, _LOOK) + self.text.after(one.end)
        sampled = _SAMPLED.search(near) is not None and not any(
            other.kind in SAMPLERS for other in self.mentions if begin <= other.start < end
        )
        return measured(owner.spec, one, self._set(owner), sampled=sampled)

    def _set(self, owner: Mention) -> list[str]:
        return [name for known, name in self.given if known == id(owner)]
