"""Checks both ends of every edge, and the inputs by which nodes take sub-nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, Ports
from grounded_builder.domains.n8n.check.connections.dangling_edges import check_dangling
from grounded_builder.domains.n8n.check.connections.miswired_sub_nodes import (
    backwards_edge,
    main_edge_of_sub_node,
    mismatched_edge,
)
from grounded_builder.domains.n8n.check.connections.sub_node_inputs import check_inputs
from grounded_builder.domains.n8n.check.connections.unknown_port import report_missing_port
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode

UNACCEPTED_TOOL = Rule.wrong(
    "GB318", "unaccepted-tool", "InvalidConnection", "The port does not accept this tool."
)


def check_edges(resolved: ResolvedGraph, wiring: Wiring) -> Iterator[Diagnostic]:
    """Reports edges that n8n rejects, drops or fails on, and required inputs without an edge."""
    yield from check_dangling(resolved)
    # Inputs, by node and kind, that a faulty edge may be intended for: not reported as missing.
    excused: set[tuple[str, str]] = set()
    known = resolved.by_name
    for edge in resolved.graph.edges:
        source, target = known.get(edge.source), known.get(edge.target)
        if (
            source is not None
            and target is not None
            and not _is_valid_data_edge(edge, wiring.ports)
        ):
            yield from _check_ends(edge, source, target, resolved, wiring, excused)
    for name, ports in wiring.ports.items():
        sides = ports.inputs
        # n8n publishes a workflow with an unconnected node and never runs that node.
        if not sides or (len(sides) == 1 and MAIN in sides) or not wiring.touches(name):
            continue
        inputs = {
            kind: side
            for kind, side in sides.items()
            if kind != MAIN and (name, kind) not in excused
        }
        bound = resolved.by_name[name]
        yield from check_inputs(bound, inputs, wiring.serving.get(name, ()), resolved)


def _is_valid_data_edge(edge: Edge, ports: Mapping[str, Ports]) -> bool:
    """Returns whether an edge connects two existing data ports without restrictions."""
    if edge.source_kind != MAIN or edge.target_kind != MAIN:
        return False
    outputs, inputs = ports[edge.source].outputs, ports[edge.target].inputs
    if outputs is None or inputs is None:
        return False
    leaving, arriving = outputs.get(MAIN, ()), inputs.get(MAIN, ())
    if not (0 <= edge.source_index < len(leaving) and 0 <= edge.target_index < len(arriving)):
        return False
    ends = (leaving[edge.source_index], arriving[edge.target_index])
    return not any(port.accepts or port.refuses for port in ends)


def _check_ends(
    edge: Edge,
    source: ResolvedNode,
    target: ResolvedNode,
    resolved: ResolvedGraph,
    wiring: Wiring,
    excused: set[tuple[str, str]],
) -> Iterator[Diagnostic]:
    outputs, inputs = wiring.ports[edge.source].outputs, wiring.ports[edge.target].inputs
    kind = edge.source_kind
    if kind != edge.target_kind:
        excused.update({(edge.target, kind), (edge.target, edge.target_kind)})
        yield mismatched_edge(edge, resolved.graph, source.node, wiring)
    elif leaving := report_missing_port(edge, source, outputs, edge.source_index, is_source=True):
        excused.update({(edge.target, kind), (edge.source, kind)})
        excused.update((edge.target, given) for given in outputs or ())
        backwards = backwards_edge(edge, resolved.graph, wiring)
        yield backwards or main_edge_of_sub_node(edge, resolved.graph, wiring) or leaving
    elif arriving := report_missing_port(
        edge,
        target,
        inputs,
        edge.target_index,
        is_source=False,
        alone=_is_only_input_used(edge, wiring),
    ):
        excused.add((edge.target, kind))
        backwards = backwards_edge(edge, resolved.graph, wiring)
        if backwards is not None:
            excused.update(
                (edge.source, given) for given in wiring.ports[edge.target].outputs or ()
            )
        yield backwards or arriving
    else:
        yield from _check_accepted(edge, source, target, outputs, inputs)


def _is_only_input_used(edge: Edge, wiring: Wiring) -> bool:
    """Returns whether no data arrives at another input of the target."""
    arriving = wiring.before.get(edge.target, ())
    return all(item.target_index == edge.target_index for item in arriving)


def _check_accepted(
    edge: Edge,
    source: ResolvedNode,
    target: ResolvedNode,
    outputs: Mapping[str, tuple[Port, ...]] | None,
    inputs: Mapping[str, tuple[Port, ...]] | None,
) -> Iterator[Diagnostic]:
    if source.tool is None or target.tool is None:
        return
    kind = edge.source_kind
    if inputs is not None and not _accepts(inputs[kind][edge.target_index], source.tool.id):
        yield _unaccepted_tool(edge, target, source, inputs[kind][edge.target_index], "input")
    elif outputs is not None and not _accepts(outputs[kind][edge.source_index], target.tool.id):
        yield _unaccepted_tool(edge, source, target, outputs[kind][edge.source_index], "output")


def _accepts(port: Port, tool: str) -> bool:
    return tool not in port.refuses and (not port.accepts or tool in port.accepts)


def _unaccepted_tool(
    edge: Edge, owner: ResolvedNode, partner: ResolvedNode, port: Port, direction: str
) -> Diagnostic:
    accepted = ", ".join(port.accepts[:8])
    return new_diagnostic(
        UNACCEPTED_TOOL,
        edge.at,
        f'the {edge.source_kind} {direction} of "{owner.node.name}" does not accept '
        f'"{partner.node.name}" ({partner.node.tool})',
        help=f"connect one of {accepted}" if accepted else "connect a tool of another type",
        node=owner.node.name,
        token=partner.node.tool,
        alternatives=port.accepts,
    )
