"""Changes the copy of a workflow for one run: decisions are forced, and nodes replaced by items.

A changed node is a No Operation of the same name, so that expressions still find its items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.rehearsal.variants import Variant

_NO_OPERATION = {"type": "n8n-nodes-base.noOp", "typeVersion": 1, "parameters": {}}
_KEPT = ("id", "name", "position")
# Its own count of batches ends a cycle.
_LOOP = "n8n-nodes-base.splitInBatches"

Connections = Mapping[str, Mapping[str, Sequence[Sequence[Mapping[str, Any]] | None]]]
Pinned = Mapping[str, Sequence[Mapping[str, Any]]]


def vary_workflow(
    workflow: Mapping[str, Any], variant: Variant, items: Pinned
) -> Mapping[str, Any]:
    """Returns the workflow of a run; ``items`` are those of the nodes that it replaces."""
    changed = {*variant.forced, *variant.replaced}
    if not changed:
        return workflow
    nodes = [
        {**{key: node[key] for key in _KEPT if key in node}, **_NO_OPERATION}
        if node["name"] in changed
        else node
        for node in workflow["nodes"]
    ]
    loops = {node["name"] for node in nodes if node["type"] == _LOOP}
    connections = _rewire(workflow["connections"], variant, changed)
    pinned = {name: list(items[name]) for name in variant.replaced if name in items}
    return {
        **workflow,
        "nodes": nodes,
        "connections": _cut_cycles(connections, changed, loops),
        "pinData": {**workflow["pinData"], **pinned},
    }


def _rewire(connections: Connections, variant: Variant, changed: set[str]) -> Connections:
    """Returns the connections with one output and one input for each changed node."""
    result: dict[str, dict[str, list[list[Mapping[str, Any]]]]] = {}
    for source, by_kind in connections.items():
        for kind, outputs in by_kind.items():
            if kind != MAIN and source in changed:
                continue
            kept = [_keep(listed or (), kind, changed) for listed in outputs or ()]
            if source in changed:
                chosen = variant.forced.get(source, frozenset(range(len(kept))))
                joined = [entry for index in sorted(chosen) for entry in kept[index : index + 1]]
                kept = [_without_repeats([entry for listed in joined for entry in listed])]
            result.setdefault(source, {})[kind] = kept
    return result


def _keep(
    listed: Sequence[Mapping[str, Any]], kind: str, changed: set[str]
) -> list[Mapping[str, Any]]:
    """Returns the entries of an output: changed nodes have no sub-nodes and one input."""
    return [
        {**entry, "index": 0} if entry.get("node") in changed else entry
        for entry in listed
        if kind == MAIN or entry.get("node") not in changed
    ]


def _without_repeats(entries: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return list({(entry["node"], entry.get("index", 0)): entry for entry in entries}.values())


def _cut_cycles(connections: Connections, changed: set[str], loops: set[str]) -> Connections:
    """Returns the connections without those that lead from a changed node back to it.

    It decides nothing any more, so that only a loop over batches would end the cycle.
    """
    result = {source: dict(by_kind) for source, by_kind in connections.items()}
    for name in sorted(changed):
        followers = _follow(result, name, loops)
        for source in followers & result.keys():
            result[source][MAIN] = [
                [entry for entry in listed or () if entry.get("node") != name]
                for listed in result[source].get(MAIN, ())
            ]
    return result


def _follow(connections: Connections, start: str, loops: set[str]) -> set[str]:
    """Returns the nodes that data from a node reaches without a loop over batches."""
    found: set[str] = set()
    stack = [start]
    while stack:
        for listed in connections.get(stack.pop(), {}).get(MAIN, ()):
            for entry in listed or ():
                name = str(entry.get("node"))
                if name not in found and name not in loops:
                    found.add(name)
                    stack.append(name)
    return found
