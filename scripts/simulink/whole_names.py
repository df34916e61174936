"""Restores the names of parameters that a table splits over two rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# Names whose second row is missing, or that no file has as a whole.
_ENDS = {
    "CodeGenStateStorageType": "Qualifier",
    "RTWStateStorageType": "Qualifier",
    "SaturateOnInteger": "Overflow",
    "ShowOutputForNonzero": "InputValues",
    "StateMustResolveTo": "SignalObject",
}


def whole_names(names: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Return the documented parameters by their whole names.

    The end of a long name stands in a row of its own with nothing beside it. Where files know
    both in one word, that is the name.
    """
    entries: dict[str, Any] = {}
    last = ""
    for name, item in names.items():
        if last and not item.get("raw") and not item.get("prompt") and f"{last}{name}" in known:
            entries[f"{last}{name}"] = entries.pop(last)
        else:
            entries[name] = item
        last = name
    for start, end in _ENDS.items():
        if start in entries:
            entries[f"{start}{end}"] = entries.pop(start)
    return entries


def names_in_files(harvest: Mapping[str, Any]) -> frozenset[str]:
    """Return every parameter name that a file sets or states the default of."""
    groups: list[Iterable[str]] = [entry.get("params", ()) for entry in harvest["entries"].values()]
    groups += harvest["block_parameter_defaults"].values()
    return frozenset(name for group in groups for name in group)
