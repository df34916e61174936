"""Collections and groups given in a list too many, or without the object around them."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.properties import Property


def unlisted(prop: Property, value: Any) -> Any:
    """The collection that stands alone in a list, where all it holds is known; else MISSING."""
    if not isinstance(value, list) or len(value) != 1 or not isinstance(value[0], dict):
        return MISSING
    return value[0] if value[0] and value[0].keys() <= _names(prop.raw.get("options")) else MISSING


def regrouped(prop: Property, value: Any) -> Any:
    """Entries, or one of them, under the only group that has all of their names; else MISSING.

    What already is under the name of a group is no entry.
    """
    entries = value if isinstance(value, list) else [value]
    if not entries or not all(isinstance(entry, dict) for entry in entries):
        return MISSING
    groups = [group for group in prop.raw.get("options") or () if isinstance(group, dict)]
    called = {group.get("name") for group in groups}
    given = {name for entry in entries for name in entry}
    if given & called:
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
