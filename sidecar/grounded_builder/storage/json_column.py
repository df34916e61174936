"""JSON as text for a column, whatever characters it contains."""

from __future__ import annotations

import json
from typing import Any

import orjson


def dump_json(value: Any) -> str:
    """Returns the JSON text of a value; lone surrogates are escaped, as databases refuse them."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value)


def load_json(text: str | None) -> Any:
    """Returns the value that ``dumped`` wrote; None for no text."""
    return None if text is None else json.loads(text)


def storable(text: str, longest: int) -> str:
    """Returns text that every database accepts: bounded, without NUL and lone surrogates."""
    value = text[:longest].replace("\0", "\\0")
    return value.encode("utf-8", "backslashreplace").decode()
