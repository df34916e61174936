"""Assigns nodes to layers from left to right, ignoring edges that close a loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import networkx as nx

from grounded_builder.ir.graph_cycles import find_back_edges


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
    searched: nx.DiGraph[str] = nx.DiGraph()
    searched.add_nodes_from(step for step in steps if graph.in_degree(step) == 0)
    searched.add_nodes_from(steps)
    searched.add_edges_from(graph.edges)
    return list(find_back_edges(searched))
