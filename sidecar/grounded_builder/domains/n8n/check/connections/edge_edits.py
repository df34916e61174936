"""Draw edges anew: take some out of the connections and put others in, in few edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Edit
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.ir.graph import Edge, Graph

# Source, kind, output index and target of an edge to input 0.
Drawn = tuple[str, str, int, str]


def redrawn(
    graph: Graph, taken_out: Iterable[Edge], put_in: Iterable[Drawn] = ()
) -> tuple[Edit, ...]:
    """The edits: each list of edges that changes is written whole, so that no index moves."""
    connections = graph.document.get("connections")
    if not isinstance(connections, dict):
        return ()
    results = {edge.at for edge in taken_out}
    lists: dict[tuple[str, str], list[Any]] = {}
    at = (*base_route(graph), "connections")
    for source, kind in {(route[len(at)], route[len(at) + 1]): None for route in sorted(results)}:
        outputs = _outputs(connections, str(source), str(kind))
        lists[str(source), str(kind)] = [
            _kept(targets, (*at, source, kind, index), results)
            for index, targets in enumerate(outputs)
        ]
    for source, kind, output, target in put_in:
        outputs = lists.setdefault((source, kind), _outputs(connections, source, kind))
        outputs.extend([] for _ in range(output + 1 - len(outputs)))
        there = outputs[output] if isinstance(outputs[output], list) else []
        entry = {"node": target, "type": kind, "index": 0}
        outputs[output] = there if entry in there else [*there, entry]
    return tuple(
        Edit("set", (*at, source, kind), outputs)
        if any(outputs)
        else Edit("remove", (*at, source, kind))
        for (source, kind), outputs in lists.items()
    )


def _outputs(connections: Mapping[str, Any], source: str, kind: str) -> list[Any]:
    kinds = connections.get(source)
    outputs = kinds.get(kind) if isinstance(kinds, dict) else None
    return list(outputs) if isinstance(outputs, list) else []


def _kept(targets: Any, at: tuple[Any, ...], gone: set[tuple[Any, ...]]) -> Any:
    if not isinstance(targets, list):
        return targets
    return [target for index, target in enumerate(targets) if (*at, index) not in gone]
