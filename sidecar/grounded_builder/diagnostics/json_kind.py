"""Names the kind of a JSON value, such as "a list", for messages."""

from __future__ import annotations

from typing import Any


def name_json_kind(value: Any) -> str:
    """Returns the kind of a JSON value for a message: "a text", "a list", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"
