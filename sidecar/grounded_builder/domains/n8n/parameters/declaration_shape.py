"""The forms that parts of a declaration have; a part in another form says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LISTS = ("options", "modes", "values")
_OBJECTS = ("displayOptions", "typeOptions")


def misshapen(declaration: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Returns the parts in another form than they have, each with the form that it should have."""
    lists = [(key, "list of objects") for key in _LISTS if not _is_list(declaration.get(key))]
    objects = [key for key in _OBJECTS if not isinstance(declaration.get(key) or {}, dict)]
    return [*lists, *((key, "object") for key in objects)]


def in_form(declaration: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the declaration without such parts; the same one where it has none."""
    wrong = {key for key, _ in misshapen(declaration)}
    if not wrong:
        return declaration
    return {key: value for key, value in declaration.items() if key not in wrong}


def _is_list(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)
