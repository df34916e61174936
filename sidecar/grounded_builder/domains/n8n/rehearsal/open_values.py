"""Fills values that only a person can choose, so that a workflow with open points can be rehearsed.

n8n runs no workflow in which a required parameter is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.locators import locate_surely
from grounded_builder.domains.n8n.parameters.properties import LOCATORS, Property
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

# Shapes of the ids of services, of which the first that a locator takes is written: words, a long
# id, a number, a UUID, a mail address, a web address.
_IDS = (
    "rehearsal",
    "rehearsal0Id0of0forty0four0letters0and0digits",
    "1000001",
    "00000000-0000-4000-8000-000000000001",
    "rehearsal@rehearsal.test",
    "https://rehearsal.test/1000001",
)
_BY_TYPE: Mapping[str, Any] = {
    "boolean": True,
    "collection": {},
    "dateTime": "2026-01-31T09:00:00.000Z",
    "fixedCollection": {},
    "json": "{}",
    "multiOptions": ["rehearsal"],
    "number": 1,
}
_TEXT = "rehearsal"
_PARAMETERS = "parameters"


@dataclass(frozen=True, slots=True)
class FilledValue:
    """A parameter that was filled, by the name of its node and its path."""

    node: str
    parameter: str
    value: Any


def fill_open_values(
    resolved: ResolvedGraph, routes: Sequence[Route]
) -> tuple[Mapping[str, Mapping[str, Any]], tuple[FilledValue, ...]]:
    """Returns the changed parameters by node, and what was filled.

    ``routes`` lead to parameters in the document; others are left out, as are values that n8n
    takes as they are.
    """
    changed: dict[str, dict[str, Any]] = {}
    filled: list[FilledValue] = []
    for bound in resolved.nodes:
        name, start = bound.node.name, (*bound.node.at, _PARAMETERS)
        for route in routes:
            path = route[len(start) :]
            if route[: len(start)] != start or not path:
                continue
            parameters = changed.setdefault(name, deepcopy(dict(bound.node.params)))
            declared = _find_declaration(bound, path)
            if _is_taken(_read(parameters, path), declared):
                continue
            value = _invent(declared)
            if _write(parameters, path, value):
                filled.append(FilledValue(name, ".".join(map(str, path)), value))
    return changed, tuple(filled)


def _is_taken(value: Any, declared: Property | None) -> bool:
    """Returns whether n8n takes a value as it is, such as a placeholder: the requests show it."""
    if declared is not None and declared.type in LOCATORS:
        return isinstance(value, Mapping) and bool(value.get("value"))
    return isinstance(value, str) and bool(value.strip())


def _read(parameters: Mapping[str, Any], path: Route) -> Any:
    level: Any = parameters
    for step in path:
        if isinstance(level, Mapping):
            level = level.get(str(step))
        elif isinstance(level, list) and isinstance(step, int) and step < len(level):
            level = level[step]
        else:
            return None
    return level


def _find_declaration(bound: ResolvedNode, path: Route) -> Property | None:
    """Returns the declaration of a parameter on the first level that n8n shows."""
    if not isinstance(bound.spec, NodeSpec) or len(path) != 1:
        return None
    declared = bound.spec.declarations.root.by_name.get(str(path[0]), ())
    params = bound.node.params
    shown = (item for item in declared if item.is_shown(params, params))
    return next(shown, next(iter(declared), None))


def _invent(declared: Property | None) -> Any:
    if declared is None:
        return _TEXT
    if declared.type in LOCATORS:
        fitting = (locate_surely(text, declared) for text in _IDS)
        located = next((item for item in fitting if item is not None), None)
        return located or {"__rl": True, "mode": "id", "value": _TEXT}
    if declared.type == "string" and split_identifier(declared.name)[-1:] == ("url",):
        return _IDS[-1]
    return _BY_TYPE.get(declared.type, _TEXT)


def _write(parameters: dict[str, Any], path: Route, value: Any) -> bool:
    """Writes a value where the containers on the way exist; returns whether they do."""
    level: Any = parameters
    for step in path[:-1]:
        if isinstance(level, dict) and isinstance(step, str):
            level = level.setdefault(step, {})
        elif isinstance(level, list) and isinstance(step, int) and step < len(level):
            level = level[step]
        else:
            return False
    last = path[-1]
    if isinstance(level, dict) and isinstance(last, str):
        level[last] = value
        return True
    return False
