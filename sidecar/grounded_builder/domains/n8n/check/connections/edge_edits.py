"""Builds the edits that remove and add edges of a workflow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Edit
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.ir.graph import Edge, Graph

# Source, kind, output index and target of an edge to input 0.
NewEdge = tuple[str, str, int, str]


def replace_edges(
    graph: Graph, removed: Iterable[Edge], added: Iterable[NewEdge] = ()
) -> tuple[Edit, ...]:
    """Returns the edits; a changed list of edges is written as a whole so that no index shifts."""
    connections = graph.document.get("connections")
    if not isinstance(connections, dict):
        return ()
    removed_routes = {edge.at for edge in removed}
    lists: dict[tuple[str, str], list[Any]] = {}
    at = (*base_route(graph), "connections")
    for source, kind in {
        (route[len(at)], route[len(at) + 1]): None for route in sorted(removed_routes)
    }:
        outputs = _list_outputs(connections, str(source), str(kind))
        lists[str(source), str(kind)] = [
            _without_removed(targets, (*at, source, kind, index), removed_routes)
            for index, targets in enumerate(outputs)
        ]
    for source, kind, output, target in added:
        outputs = lists.setdefault((source, kind), _list_outputs(connections, source, kind))
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        targets = outputs[output] if isinstance(outputs[output], list) else []
        entry = {"node": target, "type": kind, "index": 0}
        outputs[output] = targets if entry in targets else [*targets, entry]
    return tuple(
        Edit("set", (*at, source, kind), outputs)
        if any(outputs)
        else Edit("remove", (*at, source, kind))
        for (source, kind), outputs in lists.items()
    )


def _list_outputs(connections: Mapping[str, Any], source: str, kind: str) -> list[Any]:
    kinds = connections.get(source)
    outputs = kinds.get(kind) if isinstance(kinds, dict) else None
    return list(outputs) if isinstance(outputs, list) else []


def _without_removed(targets: Any, at: tuple[Any, ...], removed: set[tuple[Any, ...]]) -> Any:
    if not isinstance(targets, list):
        return targets
    return [target for index, target in enumerate(targets) if (*at, index) not in removed]
