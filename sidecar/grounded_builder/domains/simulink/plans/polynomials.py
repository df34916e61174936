"""Polynomials that a draft writes out, as the coefficients that a block takes."""

from __future__ import annotations

from fractions import Fraction

from grounded_builder.domains.simulink.values import Refused, parse
from grounded_builder.domains.simulink.values.exact import bounded
from grounded_builder.domains.simulink.values.term import Term, names_in

# The variable of the polynomials of a BlockType.
_VARIABLES = {"TransferFcn": "s", "DiscreteTransferFcn": "z"}
_NAMES = frozenset({"Numerator", "Denominator"})
_HIGHEST = 30
_SMALLEST = 1e-30

# Coefficients by falling powers.
_Polynomial = tuple[Fraction, ...]


def variable_in(text: str, block_type: str, name: str) -> str | None:
    """The variable ``s`` or ``z`` that a text for coefficients names, None where it does not."""
    variable = _VARIABLES.get(block_type)
    if variable is None or name not in _NAMES:
        return None
    try:
        return variable if variable in names_in(parse(text)) else None
    except (Refused, RecursionError):
        return None


def coefficients(text: str, variable: str) -> str | None:
    """``[1 2 1]`` for ``s^2 + 2*s + 1``; None where it is no polynomial of numbers."""
    try:
        found = _of(parse(text), variable)
    except (Refused, ValueError, OverflowError, RecursionError):
        return None
    return f"[{' '.join(map(_text, found))}]"


def _text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def _of(term: Term, variable: str) -> _Polynomial:
    """The polynomial; ValueError where it is none."""
    if term.kind == "number":
        number = float(term.text)
        if number and not _SMALLEST < number < 1 / _SMALLEST:
            raise ValueError(term.text)
        return (Fraction(term.text) if number else Fraction(0),)
    if term.kind == "name" and term.text == variable:
        return Fraction(1), Fraction(0)
    if term.kind == "index" and not term.text:
        return _of(term.parts[0], variable)
    if term.kind == "unary" and term.text in ("-", "+"):
        inner = _of(term.parts[0], variable)
        return tuple(-one for one in inner) if term.text == "-" else inner
    if term.kind != "binary":
        raise ValueError(term.kind)
    left, right = (_of(part, variable) for part in term.parts)
    if term.text in ("+", "-"):
        size = max(len(left), len(right))
        one, two = ((Fraction(0),) * (size - len(side)) + side for side in (left, right))
        sign = 1 if term.text == "+" else -1
        return _plain(tuple(a + sign * b for a, b in zip(one, two, strict=True)))
    if term.text in ("*", ".*"):
        return _product(left, right)
    if term.text in ("^", ".^") and len(right) == 1 and right[0].denominator == 1:
        return _power(left, int(right[0]))
    if term.text == "/" and len(right) == 1 and right[0]:
        return tuple(one / right[0] for one in left)
    raise ValueError(term.text)


def _power(base: _Polynomial, times: int) -> _Polynomial:
    if not 0 <= times <= _HIGHEST:
        raise ValueError(times)
    made: _Polynomial = (Fraction(1),)
    for _ in range(times):
        made = _product(made, base)
    return made


def _product(one: _Polynomial, other: _Polynomial) -> _Polynomial:
    if len(one) + len(other) > 2 * _HIGHEST:
        raise ValueError(len(one))
    out = [Fraction(0)] * (len(one) + len(other) - 1)
    for n, a in enumerate(one):
        for m, b in enumerate(other):
            out[n + m] = bounded(out[n + m] + a * b)
    return tuple(out)


def _plain(one: _Polynomial) -> _Polynomial:
    """Without leading zeros."""
    first = next((n for n, number in enumerate(one) if number), len(one) - 1)
    return one[first:]
