"""Reads the connections of a workflow into edges, and reports departures from their shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.read.connection_shapes import (
    fix_connections,
    fix_kinds,
    fix_outputs,
    fix_targets,
)
from grounded_builder.ir.graph import Edge

MALFORMED_EDGES = Rule.wrong(
    "N8N104", "malformed-edges", "InvalidConnection", "The connections are malformed."
)


def read_connections(connections: Any, at: Route, out: list[Diagnostic]) -> Iterator[Edge]:
    """Yields the edges: source name, kind, output index, then the list of targets; null outputs are
    valid.

    A malformed target is not an edge; where an edge is recognizable, the finding's fix writes it.
    """
    if not isinstance(connections, dict):
        fix = fix_connections(connections, at)
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
    hint = 'write {"<source>": {"main": [[{"node": "<target>", "type": "main", "index": 0}]]}}'
    return new_diagnostic(MALFORMED_EDGES, at, message, help=hint, fix=fix)
