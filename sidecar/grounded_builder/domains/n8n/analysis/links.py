"""Who leads to whom in a workflow, by data and by sub-node, and through which ports."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from grounded_builder.domains.n8n.analysis.node_lookup import NodeLookup
from grounded_builder.domains.n8n.analysis.ports import UNKNOWN, Ports, ports_of
from grounded_builder.ir.graph import Edge, ResolvedGraph

_SUB = "ai_"

Links = Mapping[str, Sequence[Edge]]


@dataclass(frozen=True, slots=True)
class Wiring:
    """Edges by the name of either end: data goes ``after`` a node, sub-nodes ``serve`` a root.

    ``ports`` are unknown for a disabled node: data passes it by.
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


def links_of(resolved: ResolvedGraph) -> Wiring:
    """Returns the wiring of a workflow; an edge of a kind that no sub-node has counts as data.

    An end that names no node is taken for the node that is meant, where there is one.
    """
    after: dict[str, list[Edge]] = {}
    before: dict[str, list[Edge]] = {}
    served: dict[str, list[Edge]] = {}
    serving: dict[str, list[Edge]] = {}
    known = resolved.by_name
    every: NodeLookup | None = None
    for drawn in resolved.graph.edges:
        edge = drawn
        if edge.source not in known or edge.target not in known:
            every = every or NodeLookup(resolved)
            edge = _as_meant(edge, known, every)
        sub = edge.source_kind.startswith(_SUB)
        (served if sub else after).setdefault(edge.source, []).append(edge)
        (serving if sub else before).setdefault(edge.target, []).append(edge)
    ports = {
        name: UNKNOWN if bound.node.disabled else ports_of(bound)
        for name, bound in resolved.by_name.items()
    }
    return Wiring(after, before, served, serving, ports)


def _as_meant(edge: Edge, known: Container[str], every: NodeLookup) -> Edge:
    source = edge.source if edge.source in known else every.of(edge.source)
    target = edge.target if edge.target in known else every.of(edge.target)
    return replace(edge, source=source or edge.source, target=target or edge.target)


def successors(starts: Iterable[str], after: Links) -> set[str]:
    """Returns every name that data from some start reaches; a start only when a path leads back to
    it.
    """
    return _reached(starts, after, lambda edge: edge.target)


def leading_to(ends: Iterable[str], before: Links) -> set[str]:
    """Returns every name from which data reaches some end; an end only when a path leads back to
    it.
    """
    return _reached(ends, before, lambda edge: edge.source)


def _reached(names: Iterable[str], links: Links, end: Callable[[Edge], str]) -> set[str]:
    seen: set[str] = set()
    stack = [end(edge) for name in names for edge in links.get(name, ())]
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            stack.extend(end(edge) for edge in links.get(name, ()))
    return seen


def by_output(name: str, after: Links) -> Mapping[int, Sequence[Edge]]:
    """Returns the data edges that leave a node, by output index."""
    outputs: dict[int, list[Edge]] = defaultdict(list)
    for edge in after.get(name, ()):
        outputs[edge.source_index].append(edge)
    return outputs
