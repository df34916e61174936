"""What the texts of parameters say about numbers of ports."""

from __future__ import annotations

import math
from collections.abc import Callable

from grounded_builder.domains.simulink.matlab_expr import Refused, evaluate, number_of, parse

Shape = dict[str, int]
Get = Callable[[str, str], str]
Rule = Callable[[Get], Shape]
_MOST_DIGITS = 15


class UnknownError(Exception):
    """A parameter that decides about ports is no known number."""


def count_in(text: str) -> int:
    """A number of ports: a number, or as many as a vector or a list of names has."""
    plain = text.strip()
    if plain.isdecimal() and len(plain) <= _MOST_DIGITS:
        return int(plain)
    try:
        known = evaluate(parse(plain))
    except Refused:
        known = None
    if known is not None and not known.of_text:
        number = number_of(known)
        if number is not None and 0 <= number < math.inf and number == int(number):
            return int(number)
        if known.rows * known.columns > 1:
            return known.rows * known.columns
    if "," in plain or plain.startswith("'"):
        return len(listed(plain))
    raise UnknownError


def listed(text: str) -> list[str]:
    """The names of a list with commas, in braces or without."""
    return [part for part in text.strip().strip("{}").split(",") if part.strip()]


def signs_in(text: str, signs: str) -> int:
    """The inputs of Sum or Product: a number, or one for each sign; bars are but gaps."""
    plain = text.strip().strip("'\"")
    if plain and all(mark in signs + "| \n" for mark in plain):
        return sum(mark in signs for mark in plain)
    return count_in(plain)


def is_on(get: Get, name: str, default: str = "off") -> int:
    """One port where a switch is on."""
    return int(get(name, default) == "on")


def equals(get: Get, name: str, wanted: str, default: str = "") -> int:
    """One port where a parameter has this value, but for case."""
    return int(get(name, default).casefold() == wanted.casefold())


def is_set(get: Get, name: str) -> int:
    """One port where a choice is not none."""
    return int(get(name, "none").casefold() != "none")


def cells_in(text: str) -> int:
    """The elements of a cell such as ``{1,[2 3]}``."""
    try:
        term = parse(text)
    except Refused:
        raise UnknownError from None
    if term.kind != "cell":
        return 1
    return sum(len(row.parts) for row in term.parts)
