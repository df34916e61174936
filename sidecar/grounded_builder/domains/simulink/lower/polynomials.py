"""Converts polynomials written in ``s`` or ``z`` into rows of coefficients."""

from __future__ import annotations

from fractions import Fraction

from grounded_builder.domains.simulink.matlab_expr import RejectedValueError, parse
from grounded_builder.domains.simulink.matlab_expr.ast import Term, names_in
from grounded_builder.domains.simulink.matlab_expr.polynomial import (
    HIGHEST,
    Polynomial,
    plain,
    plus,
    row,
    times,
)

# The variable of the polynomials of a BlockType.
_VARIABLES = {"TransferFcn": "s", "DiscreteTransferFcn": "z"}
_NAMES = frozenset({"Numerator", "Denominator"})
_SMALLEST = 1e-30


def variable_in(text: str, block_type: str, name: str) -> str | None:
    """Returns the variable ``s`` or ``z`` in a text for coefficients; None where it has none."""
    variable = _VARIABLES.get(block_type)
    if variable is None or name not in _NAMES:
        return None
    try:
        return variable if variable in names_in(parse(text)) else None
    except (RejectedValueError, RecursionError):
        return None


def coefficients(written: str | Term, variable: str) -> str | None:
    """Returns ``[1 2 1]`` for ``s^2 + 2*s + 1``; None where it is not a numeric polynomial."""
    try:
        term = parse(written) if isinstance(written, str) else written
        fractions = _read_polynomial(term, variable)
    except (RejectedValueError, ValueError, OverflowError, RecursionError):
        return None
    return row(fractions)


def _read_polynomial(term: Term, variable: str) -> Polynomial:
    """Returns the polynomial of a term; raises ValueError where it is not one."""
    if term.kind == "number":
        number = float(term.text)
        if number and not _SMALLEST < number < 1 / _SMALLEST:
            raise ValueError(term.text)
        return (Fraction(term.text) if number else Fraction(0),)
    if term.kind == "name" and term.text == variable:
        return Fraction(1), Fraction(0)
    if term.kind == "index" and not term.text:
        return _read_polynomial(term.parts[0], variable)
    if term.kind == "unary" and term.text in ("-", "+"):
        inner = _read_polynomial(term.parts[0], variable)
        return tuple(-fraction for fraction in inner) if term.text == "-" else inner
    if term.kind != "binary":
        raise ValueError(term.kind)
    left, right = (_read_polynomial(part, variable) for part in term.parts)
    if term.text in ("+", "-"):
        return plain(
            plus(left, right if term.text == "+" else tuple(-fraction for fraction in right))
        )
    if term.text in ("*", ".*"):
        return times(left, right)
    if term.text in ("^", ".^") and len(right) == 1 and right[0].denominator == 1:
        return _power(left, int(right[0]))
    if term.text == "/" and len(right) == 1 and right[0]:
        return tuple(fraction / right[0] for fraction in left)
    raise ValueError(term.text)


def _power(base: Polynomial, count: int) -> Polynomial:
    if not 0 <= count <= HIGHEST:
        raise ValueError(count)
    made: Polynomial = (Fraction(1),)
    for _ in range(count):
        made = times(made, base)
    return made
