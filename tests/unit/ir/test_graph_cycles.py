"""The edges that close cycles depend on where the search begins, and nothing is searched twice."""

from __future__ import annotations

import networkx as nx
import pytest

from grounded_builder.ir.graph_cycles import find_back_edges, find_cycle
from tests.support.growth import confirm_fault, find_growth_fault


def _graph(*edges: str, first: str = "") -> nx.DiGraph[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(first)
    graph.add_edges_from((edge[0], edge[1]) for edge in edges)
    return graph


@pytest.mark.parametrize(
    ("edges", "first", "closing", "cycle"),
    [
        (("sa", "ab", "ba", "bc"), "", [("b", "a")], "aba"),
        (("ab", "ba"), "b", [("a", "b")], "bab"),
        (("sa", "sb", "ac", "bc"), "", [], ""),
        (("ab", "bc", "cd", "da", "ca"), "", [("d", "a"), ("c", "a")], "abcda"),
        (("ab", "cd", "dc"), "", [("d", "c")], "cdc"),
        (("aa",), "", [("a", "a")], "aa"),
        ((), "", [], ""),
    ],
)
def test_only_edges_that_lead_back_close_a_cycle(
    edges: tuple[str, ...], first: str, closing: list[tuple[str, str]], cycle: str
) -> None:
    """A diamond has none; the path of the search decides which edge of a cycle it is."""
    graph = _graph(*edges, first=first)
    assert sorted(find_back_edges(graph)) == sorted(closing)
    assert find_cycle(graph) == tuple(cycle)


def test_a_graph_is_searched_once() -> None:
    """Also where each node leads to those from which the search began before."""

    def make(size: int) -> nx.DiGraph[int]:
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(size))
        graph.add_edges_from((number, number - 1) for number in range(1, size))
        return graph

    assert confirm_fault(lambda: find_growth_fault(find_cycle, make, longest=64_000)) == ""
