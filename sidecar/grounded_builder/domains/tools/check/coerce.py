"""Turn a value into the type a tool takes, where nothing is lost and nothing is guessed."""

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


def coerced(value: Any, expected: Sequence[str]) -> Any:
    """The value as one of the expected types; UNCHANGED where that would lose or guess.

    A text that several types could be meant by stays what it is.
    """
    results = [item for item in (_as(value, kind) for kind in expected) if item is not UNCHANGED]
    distinct = {json.dumps(item) for item in results}
    return results[0] if len(distinct) == 1 else UNCHANGED


def _as(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        return _of_text(value.strip(), kind)
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value) if abs(value) <= _LARGEST_WHOLE else UNCHANGED
    if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return UNCHANGED


def _of_text(text: str, kind: str) -> Any:
    if kind == "integer" and _WHOLE.fullmatch(text):
        return int(text)
    if kind == "number" and _NUMBER.fullmatch(text):
        number = float(text)
        return (int(text) if _WHOLE.fullmatch(text) else number) if _is_kept(text) else UNCHANGED
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


def _is_kept(text: str) -> bool:
    """Whether a number can be written again as precisely as it was."""
    return math.isfinite(float(text))
