"""Reads port counts, lists of names, signs and switches from the texts of block parameters."""

from __future__ import annotations

import math
from collections.abc import Callable

from grounded_builder.domains.simulink.matlab_expr import (
    RejectedValueError,
    evaluate,
    number_of,
    parse,
)

Shape = dict[str, int]
Get = Callable[[str, str], str]
Rule = Callable[[Get], Shape]
_MOST_DIGITS = 15


class UnknownError(Exception):
    """Raised when a parameter that determines the ports is not a known number."""


def count_in(text: str) -> int:
    """Returns a port count: a number, or the length of a vector or of a list of names."""
    plain = text.strip()
    if plain.isdecimal() and len(plain) <= _MOST_DIGITS:
        return int(plain)
    try:
        known = evaluate(parse(plain))
    except RejectedValueError:
        known = None
    if known is not None and not known.of_text:
        number = number_of(known)
        if number is not None and 0 <= number < math.inf and number == int(number):
            return int(number)
        if known.rows * known.columns > 1:
            return known.rows * known.columns
    if "," in plain or plain.startswith("'"):
        return len(split_names(plain))
    raise UnknownError


def split_names(text: str) -> list[str]:
    """Returns the names of a list with commas, with or without braces."""
    return [part for part in text.strip().strip("{}").split(",") if part.strip()]


def signs_in(text: str, signs: str) -> int:
    """Returns the inputs of Sum or Product: a number, or one for each sign; bars are spacers."""
    plain = text.strip().strip("'\"")
    if plain and all(mark in signs + "| \n" for mark in plain):
        return sum(mark in signs for mark in plain)
    return count_in(plain)


def is_on(get: Get, name: str, default: str = "off") -> int:
    """Returns 1 where a switch is on, and 0 otherwise."""
    return int(get(name, default) == "on")


def equals(get: Get, name: str, wanted: str, default: str = "") -> int:
    """Returns 1 where a parameter has this value apart from case, and 0 otherwise."""
    return int(get(name, default).casefold() == wanted.casefold())


def is_set(get: Get, name: str) -> int:
    """Returns 1 where a choice is not "none", and 0 otherwise."""
    return int(get(name, "none").casefold() != "none")


def cells_in(text: str) -> int:
    """Returns the number of elements of a cell array such as ``{1,[2 3]}``."""
    try:
        term = parse(text)
    except RejectedValueError:
        raise UnknownError from None
    if term.kind != "cell":
        return 1
    return sum(len(row.parts) for row in term.parts)
