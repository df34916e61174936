"""Reports nodes that no trigger reaches and n8n never runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.cycles import find_cycles
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.check.flow.loops import LOOP
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNREACHABLE_NODE = Rule.advice(
    "N8N314", "unreachable-node", "InvalidConnection", "No trigger leads to a node."
)


def check_reachability(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports the first node of every part that no enabled trigger reaches, once per part.

    Unresolved nodes count as triggers. Without any trigger, another rule reports the workflow.
    """
    starts = [name for name, bound in resolved.by_name.items() if _may_start(bound, wiring)]
    if not starts:
        return
    live = _reachable([*starts, *_targets_of_unknown(resolved, wiring)], wiring)
    dead = {
        name: resolved.by_name[name]
        for name in resolved.by_name
        if name not in live and _is_working(resolved.by_name[name])
    }
    if not dead or _has_unread_edges(resolved):
        return
    covered: set[str] = set()
    for name in (*_find_heads(dead, wiring), *_cycle_entries(dead, wiring)):
        if name not in covered:
            part = _reachable([name], wiring, covered)
            covered |= part
            if not _is_miswired(name, wiring):
                behind = sum(text in dead for text in part) - 1
                yield _report_unreached(dead[name], behind, resolved, wiring)


def _find_heads(dead: Mapping[str, ResolvedNode], wiring: Wiring) -> Iterator[str]:
    return (name for name in dead if not _has_dead_source(name, dead, wiring))


def _cycle_entries(dead: Mapping[str, ResolvedNode], wiring: Wiring) -> Iterator[str]:
    """Yields a node of each cycle, its loop node if it has one, upstream cycles first."""
    for circle in reversed(list(find_cycles({name: wiring.after.get(name, ()) for name in dead}))):
        yield next((name for name in circle if dead[name].node.tool == LOOP), circle[0])


def _may_start(bound: ResolvedNode, wiring: Wiring) -> bool:
    if bound.node.disabled:
        return False
    if bound.spec is None:
        name = bound.node.name
        return name not in wiring.before and name not in wiring.served
    return is_start(bound)


def _targets_of_unknown(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[str]:
    """Yields the targets of connections from a name that no node has."""
    for name, edges in wiring.after.items():
        if name not in resolved.by_name:
            yield from (edge.target for edge in edges)


def _has_unread_edges(resolved: ResolvedGraph) -> bool:
    """Returns whether connections contain something that cannot be read as an edge."""
    connections = resolved.graph.document.get("connections")
    kinds = connections.values() if isinstance(connections, Mapping) else ()
    entries = 0
    for outputs in (item for kind in kinds if isinstance(kind, Mapping) for item in kind.values()):
        for targets in outputs if isinstance(outputs, list) else [None]:
            entries += len(targets) if isinstance(targets, list) else targets is not None
    return entries != len(resolved.graph.edges)


def _reachable(
    starts: list[str], wiring: Wiring, stop: set[str] | frozenset[str] = frozenset()
) -> set[str]:
    """Returns the start nodes, all nodes that data reaches from them, and their sub-nodes.

    A sub-node that is drawn backwards, as the target of its root, counts too.
    """
    seen = set(starts)
    stack = list(seen)
    while stack:
        name = stack.pop()
        next_ = [edge.target for edge in wiring.after.get(name, ())]
        next_ += [edge.source for edge in wiring.serving.get(name, ())]
        if name in wiring.served:
            outputs = wiring.ports[name].outputs if name in wiring.ports else None
            if outputs is not None:
                edges = wiring.served[name]
                next_ += [edge.target for edge in edges if edge.source_kind not in outputs]
        for text in next_:
            if text not in seen and text not in stop:
                seen.add(text)
                stack.append(text)
    return seen


def _is_working(bound: ResolvedNode) -> bool:
    if bound.spec is None or bound.node.disabled or bound.node.tool == NOTE or is_start(bound):
        return False
    return bound.node.source.get("name") == bound.node.name  # edges cannot refer to a missing name


def _has_dead_source(name: str, dead: Mapping[str, ResolvedNode], wiring: Wiring) -> bool:
    before = wiring.before.get(name, ())
    return any(edge.source in dead and edge.source != name for edge in before) or any(
        edge.target in dead and edge.target != name for edge in wiring.served.get(name, ())
    )


def _is_miswired(name: str, wiring: Wiring) -> bool:
    """Returns whether a sub-node has edges but serves no root, which another rule reports."""
    outputs = wiring.ports[name].outputs
    return outputs is not None and MAIN not in outputs and wiring.touches(name)


def _report_unreached(
    bound: ResolvedNode, more: int, resolved: ResolvedGraph, wiring: Wiring
) -> Diagnostic:
    name = bound.node.name
    off = [
        edge.source
        for edge in wiring.before.get(name, ())
        if edge.source in resolved.by_name and resolved.by_name[edge.source].node.disabled
    ]
    if not wiring.touches(name):
        what = f'"{name}" is not connected: n8n never runs it'
    else:
        behind = f" or the {more} after it" if more else ""
        what = f'no enabled trigger leads to "{name}"{behind}: n8n never runs it'
    return new_diagnostic(
        UNREACHABLE_NODE,
        bound.node.at,
        what,
        help=f'enable "{off[0]}", or connect a trigger to "{name}"'
        if off
        else "connect it after a trigger or to its root, or remove it",
        node=name,
    )
