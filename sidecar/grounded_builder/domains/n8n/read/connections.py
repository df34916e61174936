"""Reads the connections of a workflow into edges, and reports departures from their shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.read.connection_shapes import (
    describe_edges,
    fix_connections,
    fix_kinds,
    fix_outputs,
    fix_targets,
)
from grounded_builder.domains.n8n.read.edge_lists import ListedEdge, write_connections
from grounded_builder.ir.graph import Edge

MALFORMED_EDGES = Rule.wrong(
    "N8N104", "malformed-edges", "InvalidConnection", "The connections are malformed."
)
_HINT = 'write {"<source>": {"main": [[{"node": "<target>", "type": "main", "index": 0}]]}}'


def read_connections(
    connections: Any, nodes: Any, at: Route, out: list[Diagnostic]
) -> Iterator[Edge]:
    """Yields the edges: source name, kind, output index, then the list of targets; null outputs are
    valid.

    A malformed target is not an edge; where an edge is recognizable, the finding's fix writes it.
    """
    if not isinstance(connections, dict):
        fix = fix_connections(connections, nodes, at)
        out.append(_shape(at, connections, "an object keyed by node names", fix))
        return
    for source, kinds in connections.items():
        here = (*at, source)
        if not isinstance(kinds, dict):
            fix = fix_kinds(kinds, here)
            out.append(_shape(here, kinds, "an object keyed by connection kinds", fix))
            continue
        for kind, outputs in kinds.items():
            yield from _outputs(source, kind, outputs, (*here, kind), out)


def report_edge_list(
    key: str, edges: Sequence[ListedEdge], connections: Any, at: Route
) -> Diagnostic:
    """Returns the finding for edges that a workflow lists under a key of their own.

    The fix writes them as connections; beside connections that differ, the draft has two meanings.
    """
    written = write_connections(edges)
    message = f'the {len(edges)} edges in "{key}" are not connections, which n8n reads'
    place = (*at, key)
    if connections and connections != written:
        hint = f'write the edges that are meant in "connections", and remove "{key}"'
        return new_diagnostic(MALFORMED_EDGES, place, message, help=hint, token=key)
    edits = (Edit("set", (*at, "connections"), written), Edit("remove", place))
    fix = Fix(True, edits, describe_edges(edges))
    return new_diagnostic(MALFORMED_EDGES, place, message, help=_HINT, token=key, fix=fix)


def report_neighbours(neighbours: Mapping[Route, Sequence[ListedEdge]], at: Route) -> Diagnostic:
    """Returns the finding for edges that the nodes of a workflow without connections name.

    An edge that both of its nodes name is one edge.
    """
    edges = list(dict.fromkeys(edge for listed in neighbours.values() for edge in listed))
    removed = (Edit("remove", route) for route in neighbours)
    edits = (Edit("set", (*at, "connections"), write_connections(edges)), *removed)
    keys = ", ".join(f'"{key}"' for key in dict.fromkeys(route[-1] for route in neighbours))
    message = f"{len(edges)} edges stand in {keys} of nodes, which n8n does not read"
    fix = Fix(True, edits, describe_edges(edges))
    return new_diagnostic(MALFORMED_EDGES, next(iter(neighbours)), message, help=_HINT, fix=fix)


def _outputs(
    source: str, kind: str, outputs: Any, at: Route, out: list[Diagnostic]
) -> Iterator[Edge]:
    if not isinstance(outputs, list):
        fix = fix_outputs(outputs, kind, at)
        out.append(_shape(at, outputs, "a list with one list of targets an output", fix))
        return
    # A fix writes a whole list; each finding in the list would repeat it.
    is_fixed = False
    for index, targets in enumerate(outputs):
        if targets is None:
            continue
        here = (*at, index)
        if not isinstance(targets, list):
            fix = None if is_fixed else fix_outputs(outputs, kind, at)
            is_fixed = True
            out.append(_shape(here, targets, "a list of targets", fix))
            continue
        is_written = False
        for position, target in enumerate(targets):
            edge = _edge(source, kind, index, target, (*here, position))
            if edge is None:
                fix = None if is_written else fix_targets(targets, kind, here)
                is_written = True
                expected = '{"node", "type", "index"}'
                out.append(_shape((*here, position), target, expected, fix))
                continue
            if "index" not in target:
                out.append(_no_index(edge))
            elif edge.target_index < 0:
                place = (*edge.at, "index")
                fix = Fix(True, (Edit("set", place, 0),), "inputs are counted from 0")
                out.append(_shape(place, edge.target_index, "0 or more", fix))
            yield edge


def _edge(source: str, kind: str, index: int, target: Any, at: Route) -> Edge | None:
    if not isinstance(target, dict) or not isinstance(target.get("node"), str):
        return None
    to_kind, to_index = target.get("type"), target.get("index", 0)
    if not isinstance(to_kind, str) or isinstance(to_index, bool) or not isinstance(to_index, int):
        return None
    return Edge(source, kind, index, target["node"], to_kind, to_index, at)


def _no_index(edge: Edge) -> Diagnostic:
    """Returns the finding for an edge without an input index, which n8n refuses."""
    reason = "an edge leads to input 0 by default"
    return new_diagnostic(
        MALFORMED_EDGES,
        edge.at,
        f'the edge from "{edge.source}" to "{edge.target}" names no input index',
        help='write "index": 0 for the first input',
        node=edge.source,
        fix=Fix(True, (Edit("set", (*edge.at, "index"), 0),), reason),
    )


def _shape(at: Route, value: Any, expected: str, fix: Fix | None) -> Diagnostic:
    kind = "null" if value is None else type(value).__name__
    place = " > ".join(str(part) for part in at[1:]) or "connections"
    message = f"connections at {place}: {kind} where {expected} is expected"
    return new_diagnostic(MALFORMED_EDGES, at, message, help=_HINT, fix=fix)
