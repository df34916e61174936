"""The few JavaScript semantics that n8n's parameter rules rest on: paths, equality, coercion."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any, Final


class Missing:
    """The type of ``MISSING``: JavaScript's undefined, which JSON's null is not."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()

_STEP = re.compile(r"\[(-?\d+)\]|([^.\[\]]+)|(?<=\.)(?=\.|$)|^(?=\.)")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Infinity)")
_RADIX = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_LARGE = 1e21


@lru_cache(4_096)
def steps(path: str) -> tuple[str, ...]:
    """Splits a path such as ``rules.values[0].key`` into its keys."""
    return tuple(index or name or "" for index, name in _STEP.findall(path))


def look_up(value: Any, path: str) -> Any:
    """Reads a path below a value; a key that is literally the path comes first."""
    if value.__class__ is dict:
        if path in value:
            return value[path]
        if "." not in path and "[" not in path:
            return MISSING
    return follow(value, steps(path))


def follow(value: Any, keys: tuple[str, ...]) -> Any:
    """Reads keys one after the other; what has no such key gives MISSING."""
    for key in keys:
        if value.__class__ is dict:
            value = value.get(key, MISSING)
        elif value.__class__ is list and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def is_expression(value: Any) -> bool:
    """Returns whether n8n evaluates this value when the workflow runs."""
    return value.__class__ is str and value[:1] == "="


def is_true(value: Any) -> bool:
    """Returns whether JavaScript takes a value for true, as it does every list and object."""
    return value.__class__ in (dict, list) or bool(value)


def equal(one: Any, other: Any) -> bool:
    """Deep equality of JSON values where ``true`` is not ``1``."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(equal, one, other))
    return bool(one == other)


def number_of(value: Any) -> float:
    """Returns what ``Number(value)`` gives; NaN where it is no number."""
    if value is None:
        return 0.0
    if value is MISSING or isinstance(value, dict):
        return math.nan
    if isinstance(value, bool | int | float):
        return float(value) if abs(value) < 1e308 else math.inf
    text = (value if isinstance(value, str) else text_of(value)).strip()
    if not text:
        return 0.0
    if _RADIX.fullmatch(text):
        return float(int(text, 0)) if len(text) < 200 else math.inf
    return float(text) if _NUMBER.fullmatch(text) else math.nan


def text_of(value: Any) -> str:
    """Returns what ``String(value)`` gives."""
    if isinstance(value, str):
        return value
    if value is MISSING:
        return "undefined"
    if isinstance(value, dict):
        return "[object Object]"
    if isinstance(value, list):
        return ",".join("" if item is None else text_of(item) for item in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGE:
        return str(int(value))
    return json.dumps(value)


def below(one: Any, other: Any) -> bool:
    """``one < other``: by letters between two texts, else by number."""
    if isinstance(one, str) and isinstance(other, str):
        return one < other
    return number_of(one) < number_of(other)


def at_most(one: Any, other: Any) -> bool:
    """``one <= other``, which for NaN is neither below nor equal."""
    if isinstance(one, str) and isinstance(other, str):
        return one <= other
    return number_of(one) <= number_of(other)


def kind_of(value: Any) -> str:
    """Returns the name of a JSON value's type, as people call it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return {"str": "string", "list": "array", "dict": "object"}.get(type(value).__name__, "nothing")
