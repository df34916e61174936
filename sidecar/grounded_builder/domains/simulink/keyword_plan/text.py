"""A request with its words, formulas and numbers apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

from grounded_builder.domains.simulink.keyword_plan.equations import Equation, equations_in
from grounded_builder.domains.simulink.keyword_plan.formulas import Formula, formulas_in
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity, quantities_in

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*|(?<!\d)\d+(?:-?[A-Za-z]+)+")
_END = re.compile(r"[;\n]|\.(?=\s|$)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text from ``start`` to ``end``."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Text:
    """A request apart; words lie outside of formulas, equations and numbers."""

    request: str
    words: tuple[Word, ...]
    formulas: tuple[Formula, ...]
    quantities: tuple[Quantity, ...]
    equations: tuple[Equation, ...] = ()
    ends: tuple[int, ...] = ()

    def without(self, spans: Iterable[tuple[int, int]], *, words: bool = False) -> Text:
        """The text without the numbers that lie in some places, nor the words where asked."""
        gone = list(spans)
        numbers = tuple(
            quantity for quantity in self.quantities if not _within(quantity.start, gone)
        )
        kept = tuple(word for word in self.words if not (words and _within(word.start, gone)))
        return replace(self, quantities=numbers, words=kept)

    def sentence(self, at: int) -> tuple[int, int]:
        """Where the sentence around a place begins and ends."""
        ends = self.ends
        place = bisect_right(ends, at)
        begin = ends[place - 1] if place else 0
        return begin, ends[place] if place < len(ends) else len(self.request)

    def before(self, at: int, length: int = 24) -> str:
        """What stands right before a place, in its sentence."""
        return self.request[max(self.sentence(at)[0], at - length) : at]

    def after(self, at: int, length: int = 24) -> str:
        """What stands right behind a place, in its sentence."""
        return self.request[at : min(self.sentence(at)[1], at + length)]


def text_of(request: str) -> Text:
    """Take a request apart."""
    equations = tuple(equations_in(request))
    taken = [(equation.start, equation.end) for equation in equations]
    formulas = _apart(formula for formula in formulas_in(request) if not _overlaps(formula, taken))
    taken += [(formula.start, formula.end) for formula in formulas]
    numbers = sorted(quantities_in(request), key=lambda one: one.start)
    quantities = tuple(number for number in numbers if not _within(number.start, taken))
    taken += [(quantity.start, quantity.end) for quantity in quantities]
    words = tuple(
        Word(found[0], found.start(), found.end())
        for found in _WORD.finditer(request)
        if not _within(found.start(), taken)
    )
    return Text(request, words, formulas, quantities, equations, _ends(request, taken))


def _ends(request: str, taken: Iterable[tuple[int, int]]) -> tuple[int, ...]:
    """Where sentences end, none inside of a formula, an equation or a number."""
    inside = sorted(taken)
    found = []
    for match in _END.finditer(request):
        place = bisect_right(inside, (match.start(), len(request)))
        if not any(
            start <= match.start() < end for start, end in inside[max(0, place - 3) : place]
        ):
            found.append(match.end())
    return tuple(found)


def _apart(found: Iterable[Formula]) -> tuple[Formula, ...]:
    left: list[Formula] = []
    for one in sorted(found, key=lambda one: one.start):
        if not left or one.start >= left[-1].end:
            left.append(one)
    return tuple(left)


def _overlaps(one: Formula, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start < one.end and one.start < end for start, end in spans)


def _within(at: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in spans)
