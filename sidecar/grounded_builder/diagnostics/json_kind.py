"""The kinds of JSON values, in words that people use."""

from __future__ import annotations

from typing import Any


def kind_in_words(value: Any) -> str:
    """What a JSON value is: "a text", "a list", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"
