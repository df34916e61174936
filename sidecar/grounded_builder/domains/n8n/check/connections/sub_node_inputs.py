"""Reports inputs for sub-nodes that lack a required edge or have more edges than allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import Port
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode
from grounded_builder.ir.rules.edges import TOO_MANY_EDGES

UNCONNECTED_INPUT = Rule.wrong(
    "GB316", "unconnected-input", "InvalidConnection", "A required input has no edge."
)


def check_inputs(
    bound: ResolvedNode,
    inputs: Mapping[str, tuple[Port, ...]],
    arriving: Sequence[Edge],
    resolved: ResolvedGraph,
) -> Iterator[Diagnostic]:
    """Reports required inputs without an edge, and inputs with more edges than n8n allows."""
    for kind, ports in inputs.items():
        live = [e for e in arriving if e.target_kind == kind and _may_deliver(e, resolved)]
        connected = {edge.target_index for edge in live}
        for index, port in enumerate(ports):
            if port.required and index not in connected:
                yield _unconnected_input(bound, kind, index, port, arriving)
        # n8n adds the limits of all ports of a kind and counts the enabled sub-nodes.
        most = sum(port.max or 0 for port in ports)
        partners = {edge.source: edge for edge in live}
        if most and len(partners) > most:
            yield _too_many_edges(bound, kind, most, partners)


def _may_deliver(edge: Edge, resolved: ResolvedGraph) -> bool:
    """Returns whether the source of an edge is enabled or unknown."""
    source = resolved.by_name.get(edge.source)
    return source is None or not source.node.disabled


def _unconnected_input(
    bound: ResolvedNode, kind: str, index: int, port: Port, arriving: Sequence[Edge]
) -> Diagnostic:
    label = f' "{port.name}"' if port.name else ""
    place = f" at index {index}" if index else ""
    article = "an" if kind[:1] in "aeiou" else "a"
    off = [f'"{e.source}"' for e in arriving if e.target_kind == kind and e.target_index == index]
    return new_diagnostic(
        UNCONNECTED_INPUT,
        bound.node.at,
        f'"{bound.node.name}" needs a sub-node on its {kind} input{label}{place}, and none '
        "is connected and enabled",
        help=f"enable {', '.join(off)}"
        if off
        else f'connect a node with {article} {kind} output to "{bound.node.name}"',
        node=bound.node.name,
        token=kind,
        alternatives=port.accepts,
    )


def _too_many_edges(
    bound: ResolvedNode, kind: str, most: int, partners: Mapping[str, Edge]
) -> Diagnostic:
    names = ", ".join(f'"{name}"' for name in partners)
    return new_diagnostic(
        TOO_MANY_EDGES,
        list(partners.values())[most].at,
        f'the {kind} input of "{bound.node.name}" takes {most}, but {len(partners)} are '
        f"connected: {names}",
        help=f"keep only {most} of them",
        node=bound.node.name,
        token=kind,
    )
