"""Solve equations for what they tell of: the highest derivative, as a sum of terms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from grounded_builder.domains.simulink.keyword_plan.equations import Equation, Tree
from grounded_builder.domains.simulink.matlab_expr.rational import bounded, exact

# What a term is of: nothing, a symbol's derivative of an order, or a function of one of those,
# as a text in "u".
Factor = tuple[str, int, str]
ONE: Factor = ("", 0, "")
_MOST_ORDER = 6
_PI = Fraction("3.14159265358979")

Terms = dict[Factor, Fraction]


class UnsolvableError(Exception):
    """An equation that is none of one unknown."""


@dataclass(frozen=True, slots=True)
class Solution:
    """An unknown and its highest ``order``: that derivative is the sum of ``terms``.

    ``lead`` is the number before that derivative as it was written; ``inputs`` are the other
    symbols that stand in it, ``used`` those that have values.
    """

    unknown: str
    order: int
    terms: Mapping[Factor, Fraction]
    lead: Fraction
    inputs: tuple[str, ...] = ()
    used: tuple[str, ...] = ()

    @property
    def is_linear(self) -> bool:
        """Whether it is a transfer function from one input."""
        return len(self.inputs) == 1 and all(term != ONE and not term[2] for term in self.terms)

    def polynomials(self) -> tuple[str, str]:
        """The numerator and the denominator from the input to the unknown."""
        below = [-self._of(self.unknown, k) for k in reversed(range(self.order))]
        (name,) = self.inputs
        highest = max((k for known, k, _ in self.terms if known == name), default=0)
        above = [self._of(name, k) for k in reversed(range(highest + 1))]
        scale = abs(self.lead)
        row = [one * scale for one in (Fraction(1), *below)]
        return _row([one * scale for one in above]), _row(row)

    def _of(self, name: str, order: int) -> Fraction:
        return self.terms.get((name, order, ""), Fraction(0))


def solved(
    equation: Equation, values: Mapping[str, Fraction], known: Collection[str] = ()
) -> Solution:
    """Solve an equation in which symbols have values; UnsolvableError where that cannot be.

    ``known`` are the unknowns of other equations.
    """
    symbols = {name: k for name, k in equation.symbols().items() if name not in values}
    used = tuple(name for name in equation.symbols() if name in values)
    derived = [name for name, order in symbols.items() if order]
    if not derived:
        unknown, order = str(equation.left[1]), 0
    elif len(derived) == 1 and symbols[derived[0]] <= _MOST_ORDER:
        unknown, order = derived[0], symbols[derived[0]]
    else:
        raise UnsolvableError
    others = [name for name in symbols if name != unknown]
    free = [name for name in others if name not in known]
    if len(free) > 1 or (not order and len(others) != 1):
        raise UnsolvableError
    try:
        left, right = _terms(equation.left, values), _terms(equation.right, values)
        terms = _plus(left, right, Fraction(-1))
    except ValueError as error:
        raise UnsolvableError from error
    highest = (unknown, order, "")
    scale = terms.pop(highest, Fraction(0))
    if not scale or any(name == unknown and k >= order for name, k, _ in terms):
        raise UnsolvableError
    try:
        rest = {factor: bounded(-number / scale) for factor, number in terms.items() if number}
    except ValueError as error:
        raise UnsolvableError from error
    if not rest:
        raise UnsolvableError
    return Solution(unknown, order, rest, scale, (*free, *(o for o in others if o in known)), used)


def text_of(number: Fraction) -> str:
    """A number as MATLAB writes it."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def _row(numbers: list[Fraction]) -> str:
    return f"[{' '.join(map(text_of, numbers))}]"


def _plus(one: Terms, other: Terms, times: Fraction) -> Terms:
    found = dict(one)
    for factor, number in other.items():
        found[factor] = bounded(found.get(factor, Fraction(0)) + times * number)
    return {factor: number for factor, number in found.items() if number}


def _terms(tree: Tree, values: Mapping[str, Fraction]) -> Terms:
    """An expression as a sum of numbers times factors."""
    kind, *parts = tree
    if kind == "number":
        return {ONE: _PI if parts[0] == "pi" else exact(str(parts[0]))}
    if kind == "symbol":
        name, order = str(parts[0]), int(str(parts[1]))
        if name in values:
            if order:
                raise UnsolvableError
            return {ONE: values[name]}
        return {(name, order, ""): Fraction(1)}
    inner = [_terms(part, values) for part in parts if isinstance(part, tuple)]
    if kind == "minus":
        return _plus({}, inner[0], Fraction(-1))
    if kind == "+":
        return _plus(inner[0], inner[1], Fraction(1))
    if kind in ("*", "/"):
        scale = _constant(inner[1])
        if kind == "*" and scale is None:
            inner, scale = inner[::-1], _constant(inner[0])
        if scale is not None:
            if kind == "/" and not scale:
                raise UnsolvableError
            return _plus({}, inner[0], 1 / scale if kind == "/" else scale)
    if kind == "^" and (scale := _constant(inner[0])) is not None:
        power = _constant(inner[1])
        if power is None or power.denominator != 1 or abs(power) > 30 or not (scale or power > 0):
            raise UnsolvableError
        return {ONE: bounded(scale ** int(power))}
    return {_function(tree, inner, values): Fraction(1)}


def _constant(terms: Terms) -> Fraction | None:
    return terms.get(ONE, Fraction(0)) if set(terms) <= {ONE} else None


def _function(tree: Tree, inner: list[Terms], values: Mapping[str, Fraction]) -> Factor:
    """A function of one signal, as a text of it."""
    of = {factor[:2] for terms in inner for factor in terms if factor != ONE}
    if len(of) != 1:
        raise UnsolvableError
    name, order = next(iter(of))
    return name, order, _written(tree, values)


def _written(tree: Tree, values: Mapping[str, Fraction]) -> str:
    """An expression of one signal, which is called "u", in the words of a Fcn block."""
    kind, *parts = tree
    if kind == "number":
        return str(parts[0])
    if kind == "symbol":
        value = values.get(str(parts[0]))
        return "u" if value is None else text_of(value)
    inner = [_written(part, values) for part in parts if isinstance(part, tuple)]
    if kind == "call":
        name = "sgn" if parts[0] == "sign" else parts[0]
        return f"{name}({inner[0]})"
    if kind == "minus":
        return f"(-{inner[0]})"
    return f"({inner[0]}{kind}{inner[1]})"
