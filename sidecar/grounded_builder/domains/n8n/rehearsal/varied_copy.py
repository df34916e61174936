"""Changes the copy of a workflow for one run: decisions are forced, and nodes replaced by items.

A changed node is a No Operation of the same name, so that expressions still find its items. A
trigger has its pinned items already.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx

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
        if node["name"] in changed and node["name"] not in workflow["pinData"]
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
    """Returns the connections without those that close a cycle of a changed node.

    It decides nothing any more, so that only a loop over batches would end the cycle.
    """
    graph: nx.DiGraph[str] = nx.DiGraph(
        (source, str(entry.get("node")))
        for source, by_kind in connections.items()
        for listed in by_kind.get(MAIN, ())
        for entry in listed or ()
    )
    whole = graph.copy()
    graph.remove_nodes_from([name for name in loops if name in graph])
    closing: set[tuple[str, str]] = set()
    for cycle in nx.strongly_connected_components(graph):
        if not cycle & changed:
            continue
        # The data enters a cycle at the node that the nodes outside lead to.
        entries = [n for n in whole if n in cycle and set(whole.predecessors(n)) - cycle]
        closing |= _find_closing(graph.subgraph(cycle), entries or sorted(cycle)[:1])
    return {
        source: {
            kind: [
                [e for e in listed or () if kind != MAIN or (source, e.get("node")) not in closing]
                for listed in outputs
            ]
            for kind, outputs in by_kind.items()
        }
        for source, by_kind in connections.items()
    }


def _find_closing(cycle: nx.DiGraph[str], entries: Sequence[str]) -> set[tuple[str, str]]:
    """Returns the edges that lead back to a node from which a search comes, in search order."""
    closing: set[tuple[str, str]] = set()
    open_nodes: set[str] = set()
    for entry in entries:
        for source, target, label in nx.dfs_labeled_edges(cycle, entry):
            if label == "forward":
                open_nodes.add(target)
            elif label == "reverse":
                open_nodes.discard(target)
            elif target in open_nodes:
                closing.add((source, target))
    return closing
