"""Finds cycles of a directed graph, and the edges that close them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import TypeVar

import networkx as nx

_Node = TypeVar("_Node", bound=Hashable)


def find_back_edges(graph: nx.DiGraph[_Node]) -> Iterator[tuple[_Node, _Node]]:
    """Yields the edges that lead back onto their own path.

    The paths are those of a depth-first search from the nodes in their order.
    """
    for source, target, _ in _search(graph):
        yield source, target


def find_cycle(graph: nx.DiGraph[_Node]) -> tuple[_Node, ...]:
    """Returns the nodes of one cycle in order, with the first again at the end, () if none."""
    for _, target, path in _search(graph):
        nodes = tuple(path)
        return (*nodes[nodes.index(target) :], target)
    return ()


def _search(
    graph: nx.DiGraph[_Node],
) -> Iterator[tuple[_Node, _Node, Mapping[_Node, None]]]:
    """Yields each back edge with the path of the search, which changes as the search goes on."""
    path: dict[_Node, None] = {}
    for source, target, label in nx.dfs_labeled_edges(graph):
        if label == "forward":
            path[target] = None
        elif label == "reverse":
            del path[target]
        elif target in path:
            yield source, target, path
