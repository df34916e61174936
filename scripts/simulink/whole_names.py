"""The whole names of parameters that a table read as text broke in two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

# Of these the row with the end is missing somewhere, or no file has the whole.
_ENDS = {
    "CodeGenStateStorageType": "Qualifier",
    "RTWStateStorageType": "Qualifier",
    "SaturateOnInteger": "Overflow",
    "ShowOutputForNonzero": "InputValues",
    "StateMustResolveTo": "SignalObject",
}


def whole_names(names: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Documented parameters by their whole names.

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
    """Every name of a parameter that a file has set, or stated the default of."""
    groups: list[Iterable[str]] = [entry.get("params", ()) for entry in harvest["entries"].values()]
    groups += harvest["block_parameter_defaults"].values()
    return frozenset(name for group in groups for name in group)
