"""Indexes a workflow's edges by node names, and finds the nodes before or after given ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grounded_builder.domains.n8n.analysis.ports import UNKNOWN, Ports, ports_of
from grounded_builder.domains.n8n.analysis.referenced_nodes import NodeLookup
from grounded_builder.ir.graph import Edge, ResolvedGraph

_SUB = "ai_"

Links = Mapping[str, Sequence[Edge]]


@dataclass(frozen=True, slots=True)
class Wiring:
    """Edges by the name of either end.

    Data edges are in ``after`` and ``before``, edges from sub-nodes to roots in ``served`` (by
    sub-node) and ``serving`` (by root). The ports of a disabled node are unknown, as data skips it.
    """

    after: Links
    before: Links
    served: Links
    serving: Links
    ports: Mapping[str, Ports]

    def touches(self, name: str) -> bool:
        """Returns whether a node has any edge."""
        return (
            name in self.after or name in self.before or name in self.served or name in self.serving
        )


def build_wiring(resolved: ResolvedGraph) -> Wiring:
    """Returns the wiring of a workflow; an edge with a kind that no sub-node has counts as data.

    An end that names no node is replaced by the node of that id or spelling, if there is one.
    """
    after: dict[str, list[Edge]] = {}
    before: dict[str, list[Edge]] = {}
    served: dict[str, list[Edge]] = {}
    serving: dict[str, list[Edge]] = {}
    known = resolved.by_name
    lookup: NodeLookup | None = None
    for drawn in resolved.graph.edges:
        edge = drawn
        if edge.source not in known or edge.target not in known:
            lookup = lookup or NodeLookup(resolved)
            edge = _correct_ends(edge, known, lookup)
        sub = edge.source_kind.startswith(_SUB)
        (served if sub else after).setdefault(edge.source, []).append(edge)
        (serving if sub else before).setdefault(edge.target, []).append(edge)
    ports = {
        name: UNKNOWN if bound.node.disabled else ports_of(bound)
        for name, bound in resolved.by_name.items()
    }
    return Wiring(after, before, served, serving, ports)


def _correct_ends(edge: Edge, known: Container[str], lookup: NodeLookup) -> Edge:
    source = edge.source if edge.source in known else lookup.of(edge.source)
    target = edge.target if edge.target in known else lookup.of(edge.target)
    return replace(edge, source=source or edge.source, target=target or edge.target)


def successors(starts: Iterable[str], after: Links) -> set[str]:
    """Returns every name that data from a start reaches; a start itself only through a cycle."""
    return _reachable(starts, after, lambda edge: edge.target)


def predecessors(ends: Iterable[str], before: Links) -> set[str]:
    """Returns every name from which data reaches an end; an end itself only through a cycle."""
    return _reachable(ends, before, lambda edge: edge.source)


def _reachable(names: Iterable[str], links: Links, end: Callable[[Edge], str]) -> set[str]:
    seen: set[str] = set()
    stack = [end(edge) for name in names for edge in links.get(name, ())]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(end(edge) for edge in links.get(name, ()))
    return seen


def by_output(name: str, after: Links) -> Mapping[int, Sequence[Edge]]:
    """Returns the data edges of a node by output index."""
    outputs: dict[int, list[Edge]] = defaultdict(list)
    for edge in after.get(name, ()):
        outputs[edge.source_index].append(edge)
    return outputs
