"""Determines from a catalog entry whether a node shows a field for the user's code by default."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# The editors in which n8n's users write JavaScript and Python; others are for SQL and HTML.
_EDITORS = frozenset({"codeNodeEditor", "jsEditor"})


def runs_code(tool: Mapping[str, Any]) -> bool:
    """Returns whether a node shows a code field by default, without another setting."""
    parameters = tool["variants"][-1]["parameters"]
    values = {
        parameter["name"]: parameter.get("default")
        for parameter in parameters
        if "default" in parameter
    }
    return any(_is_shown(parameter, values) and _has_editor(parameter) for parameter in parameters)


def _is_shown(parameter: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    """Returns whether a parameter is shown at the defaults; unknown conditions count as true."""
    shown = (parameter.get("displayOptions") or {}).get("show") or {}
    return all(name not in values or values[name] in wanted for name, wanted in shown.items())


def _has_editor(parameter: Mapping[str, Any]) -> bool:
    if (parameter.get("typeOptions") or {}).get("editor") in _EDITORS:
        return True
    if parameter.get("type") not in ("collection", "fixedCollection"):
        return False
    inner: Iterable[Any] = parameter.get("options") or ()
    groups = (item.get("values") or [item] for item in inner if isinstance(item, dict))
    return any(_has_editor(item) for group in groups for item in group)
