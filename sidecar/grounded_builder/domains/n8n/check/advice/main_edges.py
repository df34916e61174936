"""Indexes the main edges between the enabled, resolved nodes of a workflow."""

from __future__ import annotations

from collections import defaultdict

from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode


class MainEdges:
    """The main edges of each node by name, built once for all advice that follows edges."""

    __slots__ = ("after", "before", "resolved")

    def __init__(self, resolved: ResolvedGraph) -> None:
        self.resolved = resolved
        self.after: defaultdict[str, list[Edge]] = defaultdict(list)
        self.before: defaultdict[str, list[Edge]] = defaultdict(list)
        for edge in resolved.graph.edges:
            if edge.source_kind == "main":
                self.after[edge.source].append(edge)
                self.before[edge.target].append(edge)

    def find_enabled_node(self, name: str) -> ResolvedNode | None:
        """Returns the node with this name, or None if it is disabled, missing or unresolved."""
        bound = self.resolved.by_name.get(name)
        if bound is None or bound.spec is None or bound.node.disabled:
            return None
        return bound

    def only_next(self, name: str) -> ResolvedNode | None:
        """Returns the node that receives all output of a node and nothing else, or None."""
        edges = self.after.get(name, ())
        if len(edges) != 1 or edges[0].source_index != 0:
            return None
        following = edges[0].target
        return self.find_enabled_node(following) if len(self.before[following]) == 1 else None
