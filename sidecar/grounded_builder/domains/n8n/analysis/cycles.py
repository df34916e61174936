"""Finds the cycles of a graph: groups of nodes that all lead to each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import networkx as nx

from grounded_builder.ir.graph import Edge


def find_cycles(after: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, ...]]:
    """Yields the strongly connected groups with an edge inside, names in the order of ``after``.

    A group comes after those to which it leads.
    """
    order = {name: place for place, name in enumerate(after)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(order)
    graph.add_edges_from(
        (name, edge.target)
        for name, edges in after.items()
        for edge in edges
        if edge.target in order
    )
    for group in nx.strongly_connected_components(graph):
        if len(group) > 1 or any(graph.has_edge(name, name) for name in group):
            yield tuple(sorted(group, key=order.__getitem__))
