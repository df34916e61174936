"""Draw equations: integrators in a row, and the terms of the highest derivative summed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.plan_builder import SketchBuilder, Step
from grounded_builder.domains.simulink.keyword_plan.solve_equations import (
    ONE,
    Factor,
    Solution,
    text_of,
)

_INTEGRATOR = "simulink/Continuous/Integrator"
_SUM, _GAIN = "simulink/Math Operations/Sum", "simulink/Math Operations/Gain"
_TRIGONOMETRIC = "simulink/Math Operations/Trigonometric Function"
_FCN = "simulink/User-Defined Functions/Fcn"
_CONSTANT = "simulink/Sources/Constant"
_TURNED = re.compile(r"(a?(?:sin|cos|tan)h?)\(u\)")


@dataclass(frozen=True, slots=True)
class Motion:
    """An equation to draw: its solution, what its states begin with, and where it is written."""

    solution: Solution
    begins: Mapping[int, str]
    start: int


@dataclass(slots=True)
class Integrals:
    """Draws equations; ``inputs`` take what is led into them, ``outputs`` are their unknowns."""

    lexicon: Lexicon
    drawing: SketchBuilder
    inputs: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)

    def draw(self, motions: Sequence[Motion]) -> None:
        """Draw equations, joined where one has the unknown of another."""
        rows = [self._row(motion) for motion in motions]
        states = {
            (one.solution.unknown, order): step["id"]
            for one, row in zip(motions, rows, strict=True)
            for order, step in enumerate(reversed(row))
        }
        for one, row in zip(motions, rows, strict=True):
            self.outputs[one.solution.unknown] = row[-1]["id"]
            self._close(one.solution, row[0], states)

    def _row(self, one: Motion) -> list[Step]:
        """The integrators of an unknown, the highest derivative first."""
        row: list[Step] = []
        for order in reversed(range(one.solution.order)):
            begin = one.begins.get(order)
            params = {"InitialCondition": begin} if begin is not None else {}
            called = f"{one.solution.unknown}{chr(39) * order}"
            step = self.drawing.put(_INTEGRATOR, params, called)
            self.drawing.places[step["id"]] = one.start
            step["inputs"] = [row[-1]["id"]] if row else []
            row.append(step)
        return row

    def _close(
        self, solution: Solution, first: Step, states: Mapping[tuple[str, int], str]
    ) -> None:
        """Sum the terms into the first integrator."""
        terms = sorted(solution.terms.items(), key=lambda one: _rank(one[0], solution))
        alone = len(terms) == 1
        ends: list[Any] = []
        target = first
        if not alone:
            target = self.drawing.put(_SUM, {"Inputs": "|" + "".join(map(_sign, terms))})
            first["inputs"] = [target["id"]]
        for factor, number in terms:
            ends.append(self._term(factor, number if alone else abs(number), target, states))
        target["inputs"] = [end for end in ends if end is not None]

    def _term(
        self,
        factor: Factor,
        number: Fraction,
        target: Step,
        states: Mapping[tuple[str, int], str],
    ) -> Any:
        """The signal of a term; None where it is led in from outside."""
        if factor == ONE:
            return self.drawing.put(_CONSTANT, {"Value": text_of(number)})["id"]
        name, order, text = factor
        entry = states.get((name, order))
        signal: Any = {"from": entry, "back": True} if entry else None
        blocks = []
        if text:
            turned = _TURNED.fullmatch(text)
            tool, params = (_TRIGONOMETRIC, {"Operator": turned[1]}) if turned else (_FCN, {})
            blocks.append((tool, params or {"Expr": text}))
        if number != 1:
            blocks.append((_GAIN, {"Gain": text_of(number)}))
        taker = None
        for tool, params in blocks:
            step = self.drawing.put(tool, params)
            step["inputs"] = [signal] if signal else []
            taker = taker or step
            signal = step["id"]
        if entry is None:
            self.inputs.append(taker or target)
        return signal


def _rank(factor: Factor, solution: Solution) -> tuple[bool, int]:
    """What is led in first, then the higher derivatives."""
    return factor[0] == solution.unknown, -factor[1]


def _sign(term: tuple[Factor, Fraction]) -> str:
    return "-" if term[1] < 0 else "+"
