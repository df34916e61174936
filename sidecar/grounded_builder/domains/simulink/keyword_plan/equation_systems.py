"""What the equations of a request tell, with the numbers that it gives their symbols."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from grounded_builder.domains.simulink.keyword_plan.equations import Equation
from grounded_builder.domains.simulink.keyword_plan.integrator_chains import Motion
from grounded_builder.domains.simulink.keyword_plan.lexicon import Lexicon
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.keyword_plan.quantities import Quantity
from grounded_builder.domains.simulink.keyword_plan.solve_equations import (
    ONE,
    Solution,
    UnsolvableError,
    solved,
    text_of,
)
from grounded_builder.domains.simulink.keyword_plan.text import Text
from grounded_builder.domains.simulink.matlab_expr import Refused, evaluate, number_of, parse
from grounded_builder.domains.simulink.matlab_expr.rational import exact

_TRANSFER = "simulink/Continuous/Transfer Fcn"
_GAIN, _BIAS = "simulink/Math Operations/Gain", "simulink/Math Operations/Bias"
_FCN = "simulink/User-Defined Functions/Fcn"
_ASSIGNED = re.compile(r"(?<![\w'])([^\W\d]\w*)\s*(?:=|:=|\bof\b|\bis\b|\bequals\b)\s*$")
_AT_ZERO = re.compile(r"(?<![\w'])([^\W\d]\w*)('*)\s*\(\s*0\s*\)\s*(?:=|\bof\b|\bis\b)\s*$")
_INITIAL = re.compile(
    r"\binitial(?!\s+(?:time|step|speed|velocity|rate|slope)\b) [^\W\d]\w+(?: of)?(?: \w)?"
    r"\s*(?:=|\bof\b|\bis\b)?\s*$",
    re.IGNORECASE,
)
_LOOK = 40


@dataclass(slots=True)
class Told:
    """Blocks and motions that equations tell of, and what of the text they used."""

    mentions: list[Mention] = field(default_factory=list)
    motions: list[Motion] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)


def told_by_equations(text: Text, lexicon: Lexicon) -> Told:
    """Read the equations of a text; one that cannot be solved is left."""
    told = Told()
    symbols = {name for equation in text.equations for name in equation.symbols()}
    numbers = dict(_numbers(text, symbols))
    values = {name: value for name, (value, _) in numbers.items()}
    known = [
        name for equation in text.equations for name, order in equation.symbols().items() if order
    ]
    for one in text.equations:
        try:
            solution = solved(one, values, known)
        except UnsolvableError:
            continue
        told.taken.append((one.start, one.end))
        told.taken += [numbers[name][1] for name in solution.used]
        told.taken += [
            (word.start, word.end)
            for word in text.words
            if word.text in (solution.unknown, *solution.inputs)
        ]
        begins = dict(_begins(text, solution, told.taken))
        coupled = any(name in known for name in solution.inputs)
        if not solution.order:
            told.mentions += _static(solution, one, lexicon)
        elif solution.is_linear and not begins and not coupled and len(text.equations) == 1:
            above, below = solution.polynomials()
            params = {"Numerator": above, "Denominator": below}
            spec = lexicon.spec(_TRANSFER)
            told.mentions.append(Mention(_TRANSFER, spec, one.start, one.end, params=params))
        else:
            told.motions.append(Motion(solution, begins, one.start))
    return told


def _static(solution: Solution, one: Equation, lexicon: Lexicon) -> Iterator[Mention]:
    """A gain and an offset, or a function of its one input."""
    (name,) = solution.inputs
    offset = solution.terms.get(ONE, Fraction(0))
    if set(solution.terms) <= {ONE, (name, 0, "")}:
        gain = solution.terms.get((name, 0, ""), Fraction(0))
        given = [(_GAIN, {"Gain": text_of(gain)})] if gain != 1 else []
        given += [(_BIAS, {"Bias": text_of(offset)})] if offset else []
    else:
        parts = [
            f"{text_of(number)}*{factor[2] or 'u'}" if factor != ONE else text_of(number)
            for factor, number in solution.terms.items()
        ]
        given = [(_FCN, {"Expr": "+".join(parts).replace("+-", "-")})]
    for at, (tool, params) in enumerate(given):
        yield Mention(tool, lexicon.spec(tool), one.start + at, one.end, params=params)


def _numbers(
    text: Text, symbols: set[str]
) -> Iterator[tuple[str, tuple[Fraction, tuple[int, int]]]]:
    """The symbols that the text gives a number, with where it does."""
    for quantity in text.quantities:
        found = _ASSIGNED.search(text.request, max(0, quantity.start - _LOOK), quantity.start)
        value = _value(quantity)
        if found and value is not None and found[1] in symbols:
            yield found[1], (value, (found.start(), quantity.end))


def _begins(
    text: Text, solution: Solution, taken: list[tuple[int, int]]
) -> Iterator[tuple[int, str]]:
    """What the states of an unknown begin with, by the order of their derivative."""
    for quantity in text.quantities:
        look = max(0, quantity.start - _LOOK)
        found = _AT_ZERO.search(text.request, look, quantity.start)
        if found and found[1] == solution.unknown and len(found[2]) < solution.order:
            taken.append((found.start(), quantity.end))
            if _value(quantity):
                yield len(found[2]), quantity.value
            continue
        found = _INITIAL.search(text.request, look, quantity.start)
        if found and solution.order and len(text.equations) == 1:
            taken.append((found.start(), quantity.end))
            if _value(quantity):
                yield 0, quantity.value


def _value(one: Quantity) -> Fraction | None:
    try:
        number = number_of(evaluate(parse(one.value)))
        return None if number is None else exact(f"{number:.12g}")
    except (Refused, ValueError):
        return None
