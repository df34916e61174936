"""Assigns the blocks of a diagram to columns, and finds the blocks in feedback paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import networkx as nx

from grounded_builder.ir.graph_cycles import find_back_edges

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Flow:
    """The column of every block, the edges that close a loop, and the feedback blocks.

    Feedback blocks point left and are placed below the loop; ``columns`` contains them as well.
    """

    columns: Mapping[str, int]
    closing: frozenset[Edge]
    returning: tuple[str, ...]


def flow_of(
    blocks: Sequence[str],
    edges: Iterable[Edge],
    declared_loops: frozenset[Edge],
    fixed: frozenset[str],
    first: frozenset[str],
) -> Flow:
    """Returns the flow of a diagram.

    ``fixed`` blocks never point left, and ``first`` blocks are leftmost. ``blocks`` are in the
    order of the draft, which determines where a loop begins. The edges ``declared_loops`` close
    a loop where there is one.
    """
    order = {block: at for at, block in enumerate(blocks)}
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(blocks)
    known = sorted({(a, b) for a, b in edges if a != b}, key=lambda e: (order[e[0]], order[e[1]]))
    graph.add_edges_from(known)
    closing: set[Edge] = set()
    looping: set[str] = set()
    for part in nx.strongly_connected_components(graph):
        if len(part) > 1:
            looping |= part
    closing |= {(a, b) for a, b in known if (a, b) in declared_loops and {a, b} <= looping}
    rest = graph.copy()
    rest.remove_edges_from(closing)
    for part in nx.strongly_connected_components(rest):
        if len(part) > 1:
            closing |= _find_closing_edges(part, rest, order)
    forward: nx.DiGraph[str] = nx.DiGraph()
    forward.add_nodes_from(blocks)
    forward.add_edges_from(edge for edge in known if edge not in closing)
    returning = _find_feedback_blocks(forward, closing, looping - fixed)
    ahead = forward.subgraph(block for block in blocks if block not in returning)
    columns: dict[str, int] = {}
    for column, layer in enumerate(nx.topological_generations(ahead)):
        columns |= dict.fromkeys(layer, column)
    for block in blocks:
        after = [
            columns[successor] for successor in forward.successors(block) if successor in columns
        ]
        if block in columns and after and block not in first and not forward.in_degree(block):
            columns[block] = min(after) - 1
    back = [name for name in nx.topological_sort(forward) if name in returning]
    for block in back:
        before = [
            columns[predecessor] - (predecessor in returning)
            for predecessor in forward.predecessors(block)
        ]
        columns[block] = max(0, *before)
    return Flow(columns, frozenset(closing), tuple(sorted(back, key=order.__getitem__)))


def _find_closing_edges(
    part: set[str], graph: nx.DiGraph[str], order: Mapping[str, int]
) -> set[Edge]:
    """Returns the edges that lead back to a block on the current path of a depth-first search."""
    entries = [name for name in part if any(p not in part for p in graph.predecessors(name))]
    start = min(entries or part, key=order.__getitem__)
    searched: nx.DiGraph[str] = nx.DiGraph()
    searched.add_node(start)
    searched.add_edges_from(
        (block, name)
        for block in sorted(part, key=order.__getitem__)
        for name in graph.successors(block)
        if name in part
    )
    return set(find_back_edges(searched))


def _find_feedback_blocks(
    forward: nx.DiGraph[str], closing: set[Edge], looping: set[str]
) -> set[str]:
    """Returns the blocks that only lead back a signal that continues forward as well."""
    closers = {block for block, _ in closing}
    order = list(nx.topological_sort(forward))
    entries: set[str] = set()
    for block in reversed(order):
        nexts = list(forward.successors(block))
        if block in looping and (nexts or block in closers) and entries.issuperset(nexts):
            entries.add(block)
    while True:
        results = {
            block
            for block in entries
            if not entries.issuperset(forward.successors(block))
            or not forward.in_degree(block)
            or not all(
                predecessor in entries
                or any(other not in entries for other in forward.successors(predecessor))
                for predecessor in forward.predecessors(block)
            )
        }
        if not results:
            return entries
        entries -= results
