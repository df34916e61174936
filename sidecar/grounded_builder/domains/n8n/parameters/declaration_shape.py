"""Finds the malformed parts of a parameter declaration, and removes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LISTS = ("options", "modes", "values")
_OBJECTS = ("displayOptions", "typeOptions")


def find_malformed_parts(declaration: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns the keys of parts with another shape than expected, with the expected shape."""
    lists = [
        (key, "list of objects") for key in _LISTS if not _is_object_list(declaration.get(key))
    ]
    objects = [key for key in _OBJECTS if not isinstance(declaration.get(key) or {}, dict)]
    return [*lists, *((key, "object") for key in objects)]


def without_malformed_parts(declaration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the declaration without malformed parts; the same object if it has none."""
    wrong = {key for key, _ in find_malformed_parts(declaration)}
    if not wrong:
        return declaration
    return {key: value for key, value in declaration.items() if key not in wrong}


def _is_object_list(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
