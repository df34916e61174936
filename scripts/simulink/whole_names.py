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


def whole_names(told: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """Documented parameters by their whole names.

    The end of a long name stands in a row of its own with nothing beside it. Where files know
    both in one word, that is the name.
    """
    found: dict[str, Any] = {}
    last = ""
    for name, one in told.items():
        if last and not one.get("raw") and not one.get("prompt") and f"{last}{name}" in known:
            found[f"{last}{name}"] = found.pop(last)
        else:
            found[name] = one
        last = name
    for start, end in _ENDS.items():
        if start in found:
            found[f"{start}{end}"] = found.pop(start)
    return found


def names_in_files(harvest: Mapping[str, Any]) -> frozenset[str]:
    """Every name of a parameter that a file has set, or stated the default of."""
    groups: list[Iterable[str]] = [one.get("params", ()) for one in harvest["entries"].values()]
    groups += harvest["block_parameter_defaults"].values()
    return frozenset(name for group in groups for name in group)
