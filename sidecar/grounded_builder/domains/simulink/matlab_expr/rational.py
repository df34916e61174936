"""Exact numbers, no larger than what is worked out in no time and still is a double."""

from __future__ import annotations

from fractions import Fraction

# A numerator or denominator of 150 digits: the product of two is less than the largest double.
_MOST_BITS = 500
_LARGEST = 1e150


def exact(text: str) -> Fraction:
    """The number that a text writes; ValueError where it is too large or too small."""
    number = float(text)
    if number and not 1 / _LARGEST < abs(number) < _LARGEST:
        raise ValueError(text)
    return bounded(Fraction(text)) if number else Fraction(0)


def bounded(number: Fraction) -> Fraction:
    """The number itself; ValueError where it has too many digits."""
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        raise ValueError("too many digits")
    return number
