"""Finds the option that an unlisted value most likely means, by spelling, label or typo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grounded_builder.catalog.likeness import edits_between, is_typo
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, text_of
from grounded_builder.domains.n8n.parameters.mismatch import Mismatch
from grounded_builder.domains.n8n.parameters.properties import Property

# Edit distance by which every other choice must be farther away than the best one.
_MARGIN = 2


def find_choice(prop: Property, wrong: Mismatch, variants: Iterable[Mapping[str, Any]]) -> Any:
    """Returns the choice, MISSING if there is not exactly one within a clear margin.

    A value that a parameter of this name accepts in another version of the tool is not a typo.
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
            for entry in _list_entries(prop)
            if fold_name(str(entry.get("name"))) == wanted
        } & set(wrong.choices)
    if not same and not any(
        value == taken for taken in _values_of_all_versions(prop.name, variants)
    ):
        near = _find_by_typo(value, wrong.choices)
        same = {near} if near is not None else set()
    return _as_declared(prop, same.pop()) if len(same) == 1 else MISSING


def _find_by_typo(value: str, choices: tuple[str, ...]) -> str | None:
    """Returns the only choice of which the value is a typo if no other choice is close."""
    similar = [choice for choice in choices if is_typo(value, choice)]
    if len(similar) != 1:
        return None
    farthest = edits_between(value, similar[0]) + _MARGIN
    others = (choice for choice in choices if choice != similar[0])
    return None if any(edits_between(value, other) < farthest for other in others) else similar[0]


def _values_of_all_versions(name: str, variants: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the values that parameters of this name accept in any version of the tool."""
    for variant in variants:
        for declared in variant["parameters"]:
            if declared.get("name") == name:
                for entry in declared.get("options") or ():
                    if isinstance(entry, dict) and "value" in entry:
                        yield text_of(entry["value"])


def _list_entries(prop: Property) -> Iterator[Mapping[str, Any]]:
    for entry in prop.raw.get("options") or ():
        if isinstance(entry, dict) and "value" in entry:
            yield entry


def _as_declared(prop: Property, choice: str) -> Any:
    """Returns the choice in its declared type."""
    return next((e["value"] for e in _list_entries(prop) if text_of(e["value"]) == choice), choice)
