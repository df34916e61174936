"""Unwraps a collection from a list around it, and wraps entries in the group they belong to."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.properties import Property


def unwrap_collection(prop: Property, value: Any) -> Any:
    """Returns the only collection of a list if all its names are known, otherwise MISSING."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return MISSING
    return value[0] if value[0] and value[0].keys() <= _names(prop.raw.get("options")) else MISSING


def wrap_in_group(prop: Property, value: Any) -> Any:
    """Returns the entries under the only group that has all of their names, otherwise MISSING.

    Entries that already have the name of a group are not wrapped.
    """
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        return MISSING
    groups = [group for group in prop.raw.get("options") or () if isinstance(group, dict)]
    group_names = {group.get("name") for group in groups}
    given = {name for entry in entries for name in entry}
    if given & group_names:
        return MISSING
    fitting = [group["name"] for group in groups if given <= _names(group.get("values"))]
    if len(fitting) != 1:
        return MISSING
    if prop.multiple is True:
        return {fitting[0]: entries}
    return {fitting[0]: entries[0]} if len(entries) == 1 else MISSING


def _names(declarations: Any) -> set[str]:
    return {
        entry["name"]
        for entry in declarations or ()
        if isinstance(entry, dict) and isinstance(entry.get("name"), str)
    }
