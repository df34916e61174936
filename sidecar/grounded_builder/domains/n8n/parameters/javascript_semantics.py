"""Implements the JavaScript semantics of n8n's parameter rules: paths, equality, coercion."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any, Final


class Missing:
    """The type of ``MISSING``, which stands for JavaScript's undefined; JSON's null is None."""

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
def split_path(path: str) -> tuple[str, ...]:
    """Splits a path such as ``rules.values[0].key`` into its keys."""
    return tuple(index or name or "" for index, name in _STEP.findall(path))


def look_up(value: Any, path: str) -> Any:
    """Reads a path below a value; a key that equals the whole path takes precedence."""
    if value.__class__ is dict:
        if path in value:
            return value[path]
        if "." not in path and "[" not in path:
            return MISSING
    return get_nested(value, split_path(path))


def get_nested(value: Any, keys: tuple[str, ...]) -> Any:
    """Reads nested keys of a value; returns MISSING if a key does not exist."""
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


def is_truthy(value: Any) -> bool:
    """Returns whether JavaScript treats a value as true, as it does every list and object."""
    return value.__class__ in (dict, list) or bool(value)


def is_deep_equal(left: Any, right: Any) -> bool:
    """Returns whether two JSON values are deeply equal; ``true`` is not ``1``."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(
            is_deep_equal(left[key], right[key]) for key in left
        )
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_deep_equal, left, right))
    return bool(left == right)


def number_of(value: Any) -> float:
    """Returns the result of JavaScript's ``Number(value)``, which can be NaN."""
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
    """Returns the result of JavaScript's ``String(value)``."""
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


def is_less(left: Any, right: Any) -> bool:
    """Returns whether ``left < right`` in JavaScript: texts by letters, others by number."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    return number_of(left) < number_of(right)


def is_less_or_equal(left: Any, right: Any) -> bool:
    """Returns whether ``left <= right`` in JavaScript; False if a number is NaN."""
    if isinstance(left, str) and isinstance(right, str):
        return left <= right
    return number_of(left) <= number_of(right)


def kind_of(value: Any) -> str:
    """Returns the name of a JSON value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return {"str": "string", "list": "array", "dict": "object"}.get(type(value).__name__, "nothing")
