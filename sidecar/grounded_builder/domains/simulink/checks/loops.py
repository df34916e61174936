"""Algebraic loops: circles of blocks whose outputs depend on their inputs at once."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from grounded_builder.diagnostics import Diagnostic, Related, found
from grounded_builder.domains.simulink.checks.counts import counts
from grounded_builder.domains.simulink.checks.flow import Flow
from grounded_builder.domains.simulink.checks.view import Item
from grounded_builder.domains.simulink.feedthrough import feedthrough

_SHOWN = 6


def check_loops(flow: Flow) -> Iterator[Diagnostic]:
    """Find circles in which every block is known to pass its input on without delay."""
    graph: nx.DiGraph[Item] = nx.DiGraph()
    for item in flow.blocks():
        if not item.active or item.opaque is not None:
            continue
        parameters = item.parameters()
        for index in range(1, (counts(item) or {}).get("in", 0) + 1):
            source = flow.origin(item, index)
            if source is None or not source[0].active:
                continue
            if feedthrough(item.type, parameters, index) is True:
                graph.add_edge(source[0], item)
    order = {item: place for place, item in enumerate(graph)}
    for circle in nx.strongly_connected_components(graph):
        if len(circle) > 1 or any(graph.has_edge(item, item) for item in circle):
            first = min(circle, key=order.__getitem__)
            yield _told(_around(graph.subgraph(circle), first), circle, order)


def _around(graph: nx.DiGraph[Item], first: Item) -> list[Item]:
    """The shortest way from a block back to itself."""
    for item in graph.successors(first):
        if item is first:
            return [first]
    ways = nx.single_source_shortest_path(graph, first)
    back = min((ways[item] for item in graph.predecessors(first) if item in ways), key=len)
    return list(back)


def _told(way: list[Item], circle: set[Item], order: dict[Item, int]) -> Diagnostic:
    names = [f'"{item.name}"' for item in way]
    shown = " -> ".join(names[:_SHOWN]) + (" -> ..." if len(names) > _SHOWN else "")
    others = sorted((item for item in circle if item is not way[0]), key=order.__getitem__)
    return found(
        "SLX326",
        way[0].at,
        f"algebraic loop: {shown} -> {names[0]} without a block that delays",
        help="put a Unit Delay, Memory or a state into the loop, or let the solver solve it",
        node=way[0].name,
        related=[Related(item.at, "in the loop") for item in others],
    )
