"""Converts a value to the type that a tool takes, where no information is lost."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any

UNCHANGED = object()

_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?")
_LONGEST_JSON = 1_000_000
_LARGEST_WHOLE = 2**53


def coerce_value(value: Any, expected: Sequence[str]) -> Any:
    """Returns the value as one of the expected types; UNCHANGED where that is lossy or ambiguous.

    A text that could be of several of the types stays as it is.
    """
    conversions = [
        conversion
        for conversion in (_convert_value(value, kind) for kind in expected)
        if conversion is not UNCHANGED
    ]
    distinct = {json.dumps(conversion) for conversion in conversions}
    return conversions[0] if len(distinct) == 1 else UNCHANGED


def _convert_value(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        return _convert_text(value.strip(), kind)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value) if abs(value) <= _LARGEST_WHOLE else UNCHANGED
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return UNCHANGED


def _convert_text(text: str, kind: str) -> Any:
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        number = float(text)
        return (int(text) if _WHOLE.fullmatch(text) else number) if _is_finite(text) else UNCHANGED
    if kind == "boolean" and text in ("true", "false"):
        return text == "true"
    if kind == "null" and text == "null":
        return None
    opening = {"array": "[", "object": "{"}.get(kind)
    if opening and text.startswith(opening) and len(text) <= _LONGEST_JSON:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return UNCHANGED
    return UNCHANGED


def _is_finite(text: str) -> bool:
    """Returns whether the number that a text contains is finite as a double."""
    return math.isfinite(float(text))
