"""JSON as text for a column, whatever a model wrote into it."""

from __future__ import annotations

import json
from typing import Any

import orjson


def dumped(value: Any) -> str:
    """Returns JSON text of a value; half a surrogate pair is escaped, as databases take none."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value)


def loaded(text: str | None) -> Any:
    """Returns the value that ``dumped`` wrote; None for no text."""
    return None if text is None else json.loads(text)


def storable(text: str, longest: int) -> str:
    """Returns text that every database takes: bounded, without NUL and halves of
    surrogate pairs.
    """
    value = text[:longest].replace("\0", "\\0")
    return value.encode("utf-8", "backslashreplace").decode()
