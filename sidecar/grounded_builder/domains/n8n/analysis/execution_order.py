"""Determines a workflow's execution order: roots, upstream nodes, sub-nodes, choice of paths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import networkx as nx

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.analysis.start_nodes import MANUAL, is_start
from grounded_builder.ir.graph import Edge, ResolvedGraph

# Maximum number of searches over the whole workflow per compile.
_MAX_SEARCHES = 200
_MAX_BRANCHES = 400
# Each item leaves them by one output.
_CHOOSING = frozenset({"n8n-nodes-base.if", "n8n-nodes-base.switch"})


class ExecutionOrder:
    """The execution order of a workflow; a sub-node runs when the node that it serves runs.

    A missing node to which connections refer is treated as one that passes data on.
    """

    def __init__(self, resolved: ResolvedGraph) -> None:
        self._resolved = resolved
        self._after: dict[str, list[str]] = {}
        self._before: dict[str, list[str]] = {}
        self._serves: dict[str, list[str]] = {}
        for edge in resolved.graph.edges:
            if edge.source_kind == MAIN:
                self._after.setdefault(edge.source, []).append(edge.target)
                self._before.setdefault(edge.target, []).append(edge.source)
            else:
                self._serves.setdefault(edge.source, []).append(edge.target)
        names = dict.fromkeys(resolved.by_name)
        names |= dict.fromkeys(name for edge in resolved.graph.edges for name in _ends(edge))
        self._numbers = {name: number for number, name in enumerate(names)}
        self._upstream = _build_upstream(self._numbers, self._before)
        self._starts = self._find_starts()
        self._searches = self._branch_count = 0
        self._around: dict[tuple[str, ...], bytearray | None] = {}
        self._branches: dict[str, list[bytearray]] = {}
        self._outputs: dict[str, dict[int, list[str]]] = {}
        for edge in resolved.graph.edges:
            bound = resolved.by_name.get(edge.source)
            if edge.source_kind == MAIN and bound is not None and bound.node.tool in _CHOOSING:
                if edge.source not in self._outputs and len(self._outputs) >= _MAX_SEARCHES:
                    continue
                of_node = self._outputs.setdefault(edge.source, {})
                of_node.setdefault(edge.source_index, []).append(edge.target)

    @property
    def is_manual(self) -> bool:
        """Returns whether only a person starts runs, in which n8n reads pinned data."""
        known = self._resolved.by_name
        return all(name in known and known[name].node.tool in MANUAL for name in self._starts)

    def names_in_order(self) -> Sequence[str]:
        """Returns the nodes so that each follows those that lead to it, except in cycles."""
        return _topological_order(self._numbers, self._after)

    def is_sub_node(self, name: str) -> bool:
        """Returns whether a node serves another one."""
        return name in self._serves

    def roots(self, name: str) -> tuple[str, ...]:
        """Returns the nodes for which a node runs: itself, or those that a sub-node serves."""
        if name not in self._serves:
            return (name,)
        roots: dict[str, None] = {}
        seen, stack = {name}, [name]
        while stack:
            for target in self._serves[stack.pop()]:
                if target not in self._serves:
                    roots[target] = None
                elif target not in seen:
                    seen.add(target)
                    stack.append(target)
        return tuple(roots)

    def sources(self, node: str) -> Sequence[str]:
        """Returns the nodes whose data a node receives, none for a sub-node."""
        return () if node in self._serves else self._before.get(node, ())

    def is_upstream(self, name: str, node: str) -> bool:
        """Returns whether data leads from a node to another, or to a node that the other serves."""
        bit = 1 << self._numbers[name]
        return any(self._upstream[root] & bit for root in self.roots(node))

    def is_run(self, node: str) -> bool:
        """Returns whether any start leads to a node."""
        return self._reached_around(self.roots(node)) is not None

    def runs_later(self, name: str, node: str) -> bool:
        """Returns whether a node provably has not run when another runs for the first time.

        This holds if every path from each start to the other node leads through that node first.
        """
        roots = self.roots(node)
        if self.is_upstream(name, node) and not any(
            self.is_upstream(root, item) for root in roots for item in self.roots(name)
        ):
            return False
        reached, others = self._reached_around(roots), self.roots(name)
        if reached is None:
            # Nothing starts this part yet; the nodes after it cannot start it.
            return self._leads_only(roots, others)
        if self.is_sub_node(name) and not set(others).isdisjoint(roots):
            return False  # the order of sub-nodes of the same node is unknown
        return not self._is_any_of(others, reached)

    def find_choice(self, name: str, node: str) -> str | None:
        """Returns a node that chooses between paths, by one of which another node runs without
        the named one; None if every path to it includes that node.
        """
        if name not in self._numbers or node not in self._numbers:
            return None
        bits = self._upstream[node] & self._upstream[name]
        at, number = self._numbers[node], self._numbers[name]
        for choosing in self._outputs:
            if choosing in (name, node) or not bits & 1 << self._numbers[choosing]:
                continue
            branches = self._branches_of(choosing)
            leads_past = any(branch[at] and not branch[number] for branch in branches)
            if leads_past and any(branch[number] for branch in branches):
                around = self._reached_around((choosing,))
                if around is not None and not around[number]:
                    return choosing
        return None

    def _branches_of(self, choosing: str) -> list[bytearray]:
        """Returns the nodes that each connected output of a choosing node leads to."""
        if choosing not in self._branches:
            outputs = self._outputs[choosing].values()
            self._branch_count += len(outputs)
            self._branches[choosing] = (
                [self._reach_from((choosing,), targets) for targets in outputs]
                if self._branch_count <= _MAX_BRANCHES
                else []
            )
        return self._branches[choosing]

    def _is_any_of(self, names: Iterable[str], reached: bytearray) -> bool:
        return any(reached[self._numbers[name]] for name in names)

    def _leads_only(self, roots: tuple[str, ...], others: tuple[str, ...]) -> bool:
        """Returns whether some nodes lead to others, and every path to these includes them."""
        self._searches += 1
        if self._searches > _MAX_SEARCHES:
            return False
        upstream_of_others = 0
        for other in others:
            upstream_of_others |= self._upstream[other]
        heads = [name for name in self._numbers if name not in self._before]
        starts = [name for name in heads if upstream_of_others & 1 << self._numbers[name]]
        if not starts:
            return False  # a cycle: it may start at any of its nodes
        if not all(
            any(self._upstream[item] & 1 << self._numbers[root] for root in roots)
            for item in others
        ):
            return False
        return not self._is_any_of(others, self._reach_from(roots, [*starts, *self._starts]))

    def _reached_around(self, roots: tuple[str, ...]) -> bytearray | None:
        """Returns the nodes that may run before these first run, None if nothing starts them."""
        if roots not in self._around:
            if len(self._around) >= _MAX_SEARCHES:
                return None
            self._around[roots] = self._search(roots)
        return self._around[roots]

    def _search(self, roots: tuple[str, ...]) -> bytearray | None:
        upstream = 0
        for root in roots:
            upstream |= self._upstream[root] | 1 << self._numbers[root]
        starts = [name for name in self._starts if upstream & 1 << self._numbers[name]]
        if not starts:
            return None
        return self._reach_from(roots, starts)

    def _reach_from(self, roots: tuple[str, ...], starts: Iterable[str]) -> bytearray:
        """Returns the start nodes and all nodes reachable from them without passing the roots.

        There is one byte for each node, at its number; a set of names takes 50 times the memory.
        """
        numbers = self._numbers
        reached = bytearray(len(numbers))
        for name in roots:
            reached[numbers[name]] = 1
        stack: list[str] = []
        pending: Iterable[str] = starts
        while True:
            for name in pending:
                if not reached[numbers[name]]:
                    reached[numbers[name]] = 1
                    stack.append(name)
            if not stack:
                break
            pending = self._after.get(stack.pop(), ())
        for name in roots:
            reached[numbers[name]] = 0
        return reached

    def _find_starts(self) -> list[str]:
        """Returns the enabled and possible triggers; without any, all nodes without input."""
        enabled = [bound for bound in self._resolved.by_name.values() if not bound.node.disabled]
        starts = [
            bound.node.name
            for bound in enabled
            if (is_start(bound) if bound.spec is not None else bound.node.name not in self._before)
        ]
        return starts or [
            bound.node.name for bound in enabled if bound.node.name not in self._before
        ]


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


def _build_upstream(
    numbers: Mapping[str, int], before: Mapping[str, Sequence[str]]
) -> dict[str, int]:
    """Returns for each node the set of nodes that lead to it, as bits of a number.

    The nodes of a cycle lead to each other, so that each cycle is computed as a whole.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(numbers)
    graph.add_edges_from((source, name) for name in before for source in before[name])
    cycles: nx.DiGraph[int] = nx.condensation(graph)
    upstream = dict.fromkeys(numbers, 0)
    for index in nx.topological_sort(cycles):
        members: set[str] = cycles.nodes[index]["members"]
        bits = 0
        for name in members:
            for source in before.get(name, ()):
                bits |= upstream[source] | 1 << numbers[source]
        if len(members) > 1:
            for name in members:
                bits |= 1 << numbers[name]
        upstream.update(dict.fromkeys(members, bits))
    return upstream


def _topological_order(names: Iterable[str], after: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the nodes so that each follows those that lead to it, except in cycles."""
    done: list[str] = []
    seen: set[str] = set()
    for first in names:
        if first in seen:
            continue
        seen.add(first)
        stack = [(first, iter(after.get(first, ())))]
        while stack:
            name, targets = stack[-1]
            target = next((item for item in targets if item not in seen), None)
            if target is None:
                done.append(name)
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(after.get(target, ()))))
    return done[::-1]
