"""Exact numbers of bounded size that a double can represent."""

from __future__ import annotations

from fractions import Fraction

# A numerator or denominator of 150 digits; the product of two is less than the largest double.
_MOST_BITS = 500
_LARGEST = 1e150


def read_fraction(text: str) -> Fraction:
    """Returns the number of a text; raises ValueError where it is too large or too small."""
    number = float(text)
    if number and not 1 / _LARGEST < abs(number) < _LARGEST:
        raise ValueError(text)
    return require_bounded(Fraction(text)) if number else Fraction(0)


def require_bounded(number: Fraction) -> Fraction:
    """Returns the number itself; raises ValueError where it has too many digits."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise ValueError("too many digits")
    return number
