"""Finds the edges of a workflow that close a cycle."""

from __future__ import annotations

from collections.abc import Sequence

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.ir.graph import Edge


def backward(edges: Sequence[Edge], starts: Sequence[str]) -> frozenset[Edge]:
    """Returns the edges that lead to a node on the path from a start to their own source."""
    after: dict[str, list[Edge]] = {}
    for edge in edges:
        if edge.source_kind == MAIN:
            after.setdefault(edge.source, []).append(edge)
    closing: set[Edge] = set()
    done: set[str] = set()
    for start in (*starts, *after):
        if start in done:
            continue
        way = {start}
        stack = [(start, iter(after.get(start, ())))]
        while stack:
            here, left = stack[-1]
            following = next(left, None)
            if following is None:
                stack.pop()
                way.discard(here)
                done.add(here)
            elif following.target in way:
                closing.add(following)
            elif following.target not in done:
                way.add(following.target)
                stack.append((following.target, iter(after.get(following.target, ()))))
    return frozenset(closing)
