"""Finds the parameter that caused the failure of a node, and its route in the workflow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.properties import Level
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.domains.n8n.rehearsal.execution import Execution
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

_QUOTED = re.compile(r"""["'\u201c\u2018]([^"'\u2018-\u201d]{1,80})["'\u201d\u2019]""")
_PART = re.compile(r"[^.\[\]]+")
_COLLECTIONS = frozenset({"collection"})


def place_failure(execution: Execution, resolved: ResolvedGraph) -> Execution:
    """Returns the execution whose failure names the parameter that caused it, where it is known.

    n8n names some parameters by their key. Other messages quote the key or the name that the
    editor shows, which counts where only one shown parameter has it.
    """
    failure = execution.failure
    bound = None if failure is None else resolved.by_name.get(failure.node)
    if failure is None or bound is None or failure.parameter or execution.waits:
        return execution
    named = _find_named(bound, failure.message)
    return replace(execution, failure=replace(failure, parameter=named)) if named else execution


def find_parameter_route(bound: ResolvedNode, parameter: str) -> Route:
    """Returns the route of a parameter such as ``options.timeout``, as far as the node has it.

    Without the parameter it is the route of the node.
    """
    level: Any = bound.node.params
    route: Route = (*bound.node.at, "parameters")
    parts = _PART.findall(parameter)
    for part in parts:
        key: str | int = int(part) if isinstance(level, list) and part.isdecimal() else part
        is_item = isinstance(level, list) and isinstance(key, int) and key < len(level)
        if not is_item and not (isinstance(level, Mapping) and key in level):
            break
        level = level[key]
        route = (*route, key)
    return route if len(route) > len(bound.node.at) + 1 else bound.node.at


def _find_named(bound: ResolvedNode, message: str) -> str:
    """Returns the one shown parameter that a message quotes, "" without one or for several."""
    if not isinstance(bound.spec, NodeSpec):
        return ""
    quoted = {_read_letters(text) for text in _QUOTED.findall(message)}
    if not quoted:
        return ""
    params = filled_parameters(bound).full
    declared = _list_names(bound.spec, bound.spec.declarations.root, params, params)
    named = {path for path, names in declared if (quoted - {""}) & names}
    return named.pop() if len(named) == 1 else ""


def _list_names(
    spec: NodeSpec, level: Level, values: Mapping[str, Any], root: Mapping[str, Any], path: str = ""
) -> Iterator[tuple[str, set[str]]]:
    """Yields the shown parameters of a level and of collections in it, with their names."""
    for item in level.properties:
        if not item.is_shown(values, root):
            continue
        names = {
            _read_letters(str(text)) for text in (item.name, item.raw.get("displayName") or "")
        }
        yield f"{path}{item.name}", names
        below = values.get(item.name)
        if item.type in _COLLECTIONS and isinstance(below, Mapping):
            children = spec.declarations.children(item)
            for name, own in _list_names(spec, children, below, root, f"{path}{item.name}."):
                if name.rpartition(".")[2] in below:
                    yield name, own


def _read_letters(name: str) -> str:
    """Returns the letters and digits of a name: messages write "JSON Body" for ``jsonBody``."""
    return "".join(letter for letter in name.casefold() if letter.isalnum())
