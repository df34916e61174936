"""The one choice that a value off its list can mean: by its spelling, its label, or a slip."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rapidfuzz.distance import OSA

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, text_of
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.domains.n8n.parameters.spelling import is_slip

# How much farther than the meant choice every other one must be.
_MARGIN = 2


def choice_meant(prop: Property, wrong: Mismatch, variants: Iterable[Mapping[str, Any]]) -> Any:
    """Returns the choice, MISSING where there is not exactly one within a clear margin.

    A value that a parameter of this name takes elsewhere in the tool is no slip.
    """
    if wrong.instead is not MISSING:
        return wrong.instead
    value = text_of(wrong.value)
    wanted = fold_name(value)
    if not wanted:
        return MISSING
    same = {choice for choice in wrong.choices if fold_name(choice) == wanted}
    if not same:
        same = {
            text_of(entry["value"])
            for entry in _entries(prop)
            if fold_name(str(entry.get("name"))) == wanted
        } & set(wrong.choices)
    if not same and not any(value == taken for taken in _taken(prop.name, variants)):
        near = _by_slip(value, wrong.choices)
        same = {near} if near is not None else set()
    return _as_declared(prop, same.pop()) if len(same) == 1 else MISSING


def _by_slip(value: str, choices: tuple[str, ...]) -> str | None:
    """Returns the one choice that the value is a slip of, where no other is nearly as near."""
    results = [choice for choice in choices if is_slip(value, choice)]
    if len(results) != 1:
        return None
    farthest = OSA.distance(value, results[0]) + _MARGIN
    others = (choice for choice in choices if choice != results[0])
    return None if any(OSA.distance(value, other) < farthest for other in others) else results[0]


def _taken(name: str, variants: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields what parameters of this name take in any version of the tool."""
    for variant in variants:
        for declared in variant["parameters"]:
            if declared.get("name") == name:
                for entry in declared.get("options") or ():
                    if isinstance(entry, dict) and "value" in entry:
                        yield text_of(entry["value"])


def _entries(prop: Property) -> Iterator[Mapping[str, Any]]:
    for entry in prop.raw.get("options") or ():
        if isinstance(entry, dict) and "value" in entry:
            yield entry


def _as_declared(prop: Property, choice: str) -> Any:
    """Returns the choice in its own type: a number stays one."""
    return next((e["value"] for e in _entries(prop) if text_of(e["value"]) == choice), choice)
