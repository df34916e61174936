"""Assigns nodes to layers from left to right, ignoring edges that close a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import networkx as nx


class Edge(Protocol):
    """An edge between two steps."""

    @property
    def source(self) -> str:
        """The step that it leaves."""

    @property
    def target(self) -> str:
        """The step that it enters."""


def layers_of(steps: Sequence[str], edges: Iterable[Edge]) -> list[list[str]]:
    """Returns steps by their longest distance from a start; a start is next to its reader."""
    position = {step: index for index, step in enumerate(steps)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(steps)
    graph.add_edges_from((edge.source, edge.target) for edge in edges if edge.source != edge.target)
    graph.remove_edges_from(_find_closing_edges(graph, steps))
    layer: dict[str, int] = {}
    for index, generation in enumerate(nx.topological_generations(graph)):
        layer.update(dict.fromkeys(generation, index))
    for step in steps:
        followers = [layer[follower] for follower in graph.successors(step)]
        if followers and graph.in_degree(step) == 0:
            layer[step] = min(followers) - 1
    layers: list[list[str]] = [[] for _ in range(max(layer.values(), default=-1) + 1)]
    for step in sorted(steps, key=position.__getitem__):
        layers[layer[step]].append(step)
    return layers


def _find_closing_edges(graph: nx.DiGraph[str], steps: Sequence[str]) -> list[tuple[str, str]]:
    """Returns the edges that lead back onto their own path, walking from the starts."""
    starts = [step for step in steps if graph.in_degree(step) == 0]
    closing: list[tuple[str, str]] = []
    seen: set[str] = set()
    for start in (*starts, *steps):
        if start in seen:
            continue
        seen.add(start)
        way = {start: iter(list(graph.successors(start)))}
        while way:
            step, ahead = next(reversed(way.items()))
            following = next(ahead, None)
            if following is None:
                del way[step]
            elif following in way:
                closing.append((step, following))
            elif following not in seen:
                seen.add(following)
                way[following] = iter(list(graph.successors(following)))
    return closing
