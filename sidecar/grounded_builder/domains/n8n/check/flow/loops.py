"""Reports cycles without an exit, cycles of sub-nodes, and loop nodes without a path back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Fix, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.cycles import find_cycles
from grounded_builder.domains.n8n.analysis.links import Wiring, by_output
from grounded_builder.domains.n8n.analysis.ports import MAIN, effective_parameters
from grounded_builder.domains.n8n.check.connections.edge_edits import replace_edges
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode
from grounded_builder.ir.rules.order import DEPENDENCY_CYCLE, SELF_DEPENDENCY

INFINITE_LOOP = Rule.advice("N8N316", "infinite-loop", "InvalidConnection", "A cycle has no exit.")
LOOP_NEVER_RETURNS = Rule.wrong(
    "N8N317", "loop-never-returns", "InvalidConnection", "A loop never ends."
)
SINGLE_BATCH_LOOP = Rule.advice(
    "N8N348", "single-batch-loop", "InvalidConnection", "A loop processes only one batch."
)

# n8n-nodes-base SplitInBatches emits one batch per run, and emits on "done" only when it runs again
# with no batch left (v2, v3). Version 1 has one output, and emits nothing at its end.
LOOP = "n8n-nodes-base.splitInBatches"


def check_loops(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports loops without a way back or an exit, and sub-nodes that depend on themselves."""
    groups = list(find_cycles(wiring.after))
    circle_of = {name: number for number, group in enumerate(groups) for name in group}
    for name, bound in resolved.by_name.items():
        if bound.node.tool == LOOP and bound.spec is not None and not bound.node.disabled:
            yield from _check_loop_node(name, bound, resolved, wiring, circle_of)
    for circle in groups:
        inside = set(circle)
        if not any(_can_leave(name, inside, resolved, wiring) for name in circle):
            yield _infinite_loop(circle, inside, wiring)
        else:
            yield from _check_self_edges(circle, resolved, wiring)
    eager = {
        name: [edge for edge in edges if edge.source_kind != "ai_tool"]
        for name, edges in wiring.served.items()
    }
    for circle in find_cycles(eager):
        yield _cyclic_sub_nodes(circle, eager)


def _check_loop_node(
    name: str,
    bound: ResolvedNode,
    resolved: ResolvedGraph,
    wiring: Wiring,
    circle_of: Mapping[str, int],
) -> Iterator[Diagnostic]:
    mains = (wiring.ports[name].outputs or {}).get(MAIN, ())
    place = {port.name: index for index, port in enumerate(mains) if not port.is_error}
    looping, done = place.get("loop", 0), place.get("done")
    outputs = by_output(name, wiring.after)
    body = outputs.get(looping, ())
    if _edges_into_cycle(body, name, circle_of):
        return
    later = outputs.get(done, ()) if done is not None else ()
    waiting = [edge for edge in later if edge.target != name]
    if waiting and done is not None:
        swapped = _edges_into_cycle(waiting, name, circle_of)
        drawn = [(name, MAIN, looping, edge.target) for edge in swapped]
        drawn += [(name, MAIN, done, edge.target) for edge in body]
        edits = replace_edges(resolved.graph, [*swapped, *body], drawn)
        reason = f'the edges that return to "{name}" belong to its loop output {looping}'
        yield new_diagnostic(
            LOOP_NEVER_RETURNS,
            bound.node.at,
            f'no path leads from the loop output of "{name}" back to it: "done" never emits, '
            f'and "{waiting[0].target}" never runs',
            help=f"connect the steps of the loop to output {looping} (loop), and the last of them "
            f'back to "{name}"',
            node=name,
            token="loop",  # noqa: S106 - an output, no secret
            related=tuple(Related(edge.at, "never followed") for edge in waiting[:3]),
            fix=Fix(True, edits, reason) if swapped else None,
        )
    elif body:
        yield new_diagnostic(
            SINGLE_BATCH_LOOP,
            bound.node.at,
            f'no path leads back to "{name}": it emits only its first batch',
            help=f'connect the last step of the loop to "{name}", or use Limit to take a few items',
            node=name,
        )


def _edges_into_cycle(edges: Sequence[Edge], name: str, circle_of: Mapping[str, int]) -> list[Edge]:
    """Returns the edges whose targets are in the same cycle as the node."""
    circle = circle_of.get(name)
    return [edge for edge in edges if circle is not None and circle_of.get(edge.target) == circle]


def _can_leave(name: str, inside: set[str], resolved: ResolvedGraph, wiring: Wiring) -> bool:
    """Returns whether a node of a cycle can send items out of it; unresolved nodes can."""
    bound = resolved.by_name.get(name)
    if bound is None:
        return True
    if bound.spec is None:
        return True
    if bound.node.tool == LOOP:
        options = effective_parameters(bound).get("options")
        return not (isinstance(options, Mapping) and options.get("reset") is True)
    if bound.node.disabled:
        return False
    outputs = wiring.ports[name].outputs
    if outputs is None:
        return True
    edges = by_output(name, wiring.after)
    return any(
        not any(edge.target in inside for edge in edges.get(index, ()))
        for index, port in enumerate(outputs.get(MAIN, ()))
        if not port.is_error
    )


def _infinite_loop(circle: Sequence[str], inside: set[str], wiring: Wiring) -> Diagnostic:
    closing = next(
        edge
        for name in reversed(circle)
        for edge in wiring.after[name]
        if edge.target in inside and (len(circle) == 1 or edge.target != name)
    )
    names = ", ".join(f'"{name}"' for name in circle[:6])
    more = f" and {len(circle) - 6} more" if len(circle) > 6 else ""
    what = "feeds itself" if len(circle) == 1 else "form a cycle"
    return new_diagnostic(
        INFINITE_LOOP,
        closing.at,
        f"{names}{more} {what} without an exit: the run ends only when a node emits nothing "
        "or fails",
        help="put an If, a Switch or a loop node with an output that leaves it into the cycle",
        node=closing.source,
        token=closing.target,
    )


def _check_self_edges(
    circle: Sequence[str], resolved: ResolvedGraph, wiring: Wiring
) -> Iterator[Diagnostic]:
    """Reports nodes that feed the same items to themselves; a loop node emits others each time."""
    for name in circle:
        bound = resolved.by_name.get(name)
        edge = next((item for item in wiring.after[name] if item.target == name), None)
        if edge is not None and bound is not None and bound.node.tool != LOOP:
            yield new_diagnostic(
                INFINITE_LOOP,
                edge.at,
                f'output {edge.source_index} of "{name}" connects to the node itself: it '
                "receives the same items again",
                help="connect it to a node that changes or fetches something, or remove the edge",
                node=name,
                token=name,
            )


def _cyclic_sub_nodes(circle: Sequence[str], served: Mapping[str, Sequence[Edge]]) -> Diagnostic:
    edge = next(item for name in circle for item in served[name] if item.target in circle)
    names = ", ".join(f'"{name}"' for name in circle[:6])
    needs = "needs itself as a sub-node" if len(circle) == 1 else "need each other as sub-nodes"
    return new_diagnostic(
        SELF_DEPENDENCY if len(circle) == 1 else DEPENDENCY_CYCLE,
        edge.at,
        f"{names} {needs}: n8n never finishes setting them up",
        help="remove the edge that closes the cycle",
        node=edge.source,
        token=edge.target,
    )
