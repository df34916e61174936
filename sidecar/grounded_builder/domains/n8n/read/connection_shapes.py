"""Converts loosely written connections to n8n's shape, as targets or as fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grounded_builder.diagnostics import Edit, Fix, Route
from grounded_builder.domains.n8n.read.edge_lists import EdgeList, ListedEdge, write_connections

_MAIN = "main"
_ONE_TARGET = ("node", "type", "index")
_TOLD = 6


def as_target(value: Any, kind: str) -> dict[str, Any] | None:
    """Returns a target written as a name, or without its type; None for anything else."""
    if isinstance(value, str) and value:
        return {"node": value, "type": kind, "index": 0}
    if not isinstance(value, dict) or not isinstance(value.get("node"), str):
        return None
    type_, index = value.get("type", kind), value.get("index", 0)
    if isinstance(index, str) and index.isdecimal():
        index = int(index)
    if not isinstance(type_, str) or isinstance(index, bool) or not isinstance(index, int):
        return None
    return {"node": value["node"], "type": type_, "index": max(index, 0)}


def as_targets(value: Any, kind: str) -> list[dict[str, Any]] | None:
    """Returns a list of targets from one target, from a name, kind and index, or from loose
    targets.
    """
    loose = value if isinstance(value, list) else [value]
    if len(loose) == len(_ONE_TARGET) and loose[1] == kind and isinstance(loose[2], int):
        loose = [dict(zip(_ONE_TARGET, loose, strict=True))]
    targets = [as_target(target, kind) for target in loose]
    return None if None in targets else [target for target in targets if target is not None]


def fix_targets(value: Any, kind: str, at: Route) -> Fix | None:
    """Returns a fix that writes the targets of one output in n8n's shape."""
    targets = as_targets(value, kind)
    return None if targets is None else Fix(True, (Edit("set", at, targets),), _reason(targets))


def fix_outputs(value: Any, kind: str, at: Route) -> Fix | None:
    """Returns a fix that writes the outputs of a kind as lists; safe only with at most
    one target.
    """
    if value == {}:
        return Fix(True, (Edit("remove", at),), f'"{kind}" connects nothing')
    flat = value if isinstance(value, list) else [value]
    targets = as_targets(flat, kind)
    if targets is None:
        return None
    return Fix(len(targets) == 1, (Edit("set", at, [targets]),), _reason(targets))


def fix_kinds(value: Any, at: Route) -> Fix | None:
    """Returns a fix that writes connections without a kind as data connections."""
    outputs = value if isinstance(value, list) and value and isinstance(value[0], list) else [value]
    lists = [as_targets(output, _MAIN) for output in outputs]
    if any(entries is None for entries in lists):
        return None
    targets = [item for each in lists for item in each or ()]
    return Fix(True, (Edit("set", at, {_MAIN: lists}),), _reason(targets))


def fix_connections(value: Any, nodes: Any, at: Route) -> Fix | None:
    """Returns a fix that writes a list of edges, each with both ends, keyed by their sources."""
    if value == []:
        return Fix(True, (Edit("set", at, {}),), "write no connections as an empty object")
    edges = EdgeList(nodes).read(value, "connections") if isinstance(value, list) else None
    if edges is None:
        return None
    return Fix(True, (Edit("set", at, write_connections(edges)),), describe_edges(edges))


def describe_edges(edges: Sequence[ListedEdge]) -> str:
    """Returns the targets of edges in words."""
    return _reason([{"node": e.target, "type": e.kind, "index": e.input} for e in edges])


def _reason(targets: list[dict[str, Any]]) -> str:
    named = ", ".join(
        f'"{target["node"]}" is connected at {target["type"]} input {target["index"]}'
        for target in targets[:_TOLD]
    )
    more = len(targets) - _TOLD
    return f"{named} and {more} more" if more > 0 else named
