"""Adds and multiplies polynomials with exact coefficients; writes them as MATLAB rows."""

from __future__ import annotations

from fractions import Fraction

HIGHEST = 30
# A numerator or denominator of 150 digits; the product of two is less than the largest double.
_MOST_BITS = 500

# Coefficients by descending powers.
Polynomial = tuple[Fraction, ...]


def require_bounded(number: Fraction) -> Fraction:
    """Returns the number itself; raises ValueError where it has too many digits."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise ValueError("too many digits")
    return number


def row(fractions: Polynomial) -> str:
    """Returns the coefficients as a text such as ``[1 2 1]``."""
    return f"[{' '.join(map(_text, fractions))}]"


def plain(fractions: Polynomial) -> Polynomial:
    """Returns a polynomial without leading zeros."""
    first = next((n for n, number in enumerate(fractions) if number), len(fractions) - 1)
    return fractions[first:]


def plus(fractions: Polynomial, other: Polynomial) -> Polynomial:
    """Returns the sum of two polynomials."""
    size = max(len(fractions), len(other))
    left, right = ((Fraction(0),) * (size - len(side)) + side for side in (fractions, other))
    return tuple(a + b for a, b in zip(left, right, strict=True))


def times(fractions: Polynomial, other: Polynomial) -> Polynomial:
    """Returns the product; raises ValueError where its order is too high."""
    if len(fractions) + len(other) > 2 * HIGHEST:
        raise ValueError(len(fractions))
    out = [Fraction(0)] * (len(fractions) + len(other) - 1)
    for n, a in enumerate(fractions):
        for m, b in enumerate(other):
            out[n + m] = require_bounded(out[n + m] + a * b)
    return tuple(out)


def _text(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"
