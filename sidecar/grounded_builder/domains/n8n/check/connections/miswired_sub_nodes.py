"""Reports edges between sub-nodes and roots that are data edges, reversed or of a wrong kind."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port
from grounded_builder.domains.n8n.check.connections.edge_edits import replace_edges
from grounded_builder.ir.graph import Edge, Graph, Node
from grounded_builder.ir.rules.edges import MISMATCHED_EDGE, UNKNOWN_PORT

PortMap = Mapping[str, tuple[Port, ...]]


def mismatched_edge(edge: Edge, graph: Graph, source: Node, wiring: Wiring) -> Diagnostic:
    """Reports an edge whose ends differ in kind, with a fix if only one kind fits both ends."""
    outputs, inputs = wiring.ports[edge.source].outputs, wiring.ports[edge.target].inputs
    at = (*edge.at, "type")
    fix = None
    if _connects_both(edge.source_kind, outputs, inputs):
        reason = f"both ends of the edge are {edge.source_kind}"
        fix = Fix(True, (Edit("set", at, edge.source_kind),), reason)
    elif edge.target_kind != MAIN and _connects_both(edge.target_kind, outputs, inputs):
        drawn = (edge.source, edge.target_kind, 0, edge.target)
        reason = f'"{edge.source}" connects to "{edge.target}" as {edge.target_kind}'
        fix = Fix(True, replace_edges(graph, [edge], [drawn]), reason)
    elif "error" in edge.source_kind.casefold() and edge.target_kind == MAIN:
        fix = _move_to_error_output(edge, graph, source, outputs)
    return new_diagnostic(
        MISMATCHED_EDGE,
        at,
        f'the edge from "{edge.source}" to "{edge.target}" leaves as {edge.source_kind} '
        f"and arrives as {edge.target_kind}",
        help="write the same kind on both ends",
        node=edge.target,
        token=edge.target_kind,
        alternatives=(edge.source_kind,),
        fix=fix,
    )


def backwards_edge(edge: Edge, graph: Graph, wiring: Wiring) -> Diagnostic | None:
    """Reports an edge from a root to its sub-node: n8n needs the sub-node as the source."""
    kind = _reverse_kind(edge, wiring)
    if kind is None:
        return None
    links = wiring.after if edge.source_kind == MAIN else wiring.served
    similar = [
        link
        for link in links.get(edge.source, ())
        if link.source_kind == edge.source_kind and _reverse_kind(link, wiring) is not None
    ]
    turned = [
        (item.target, _reverse_kind(item, wiring) or kind, 0, item.source) for item in similar
    ]
    return new_diagnostic(
        UNKNOWN_PORT,
        edge.at,
        f'the {edge.source_kind} edge from "{edge.source}" to "{edge.target}" is drawn backwards',
        help=f'make the sub-node the source: connect "{edge.target}" to "{edge.source}" as {kind}',
        node=edge.source,
        token=edge.source_kind,
        alternatives=(kind,) if kind != edge.source_kind else (),
        fix=Fix(
            True,
            replace_edges(graph, similar, turned),
            ", ".join(f'"{sub}" serves "{root}" as {as_}' for sub, as_, _, root in turned),
        ),
    )


def main_edge_of_sub_node(edge: Edge, graph: Graph, wiring: Wiring) -> Diagnostic | None:
    """Reports a sub-node connected by main, with a fix if only one kind fits both ends."""
    outputs = wiring.ports[edge.source].outputs
    if edge.source_kind != MAIN or outputs is None or MAIN in outputs:
        return None
    shared = _shared_kinds(edge, wiring)
    if not shared:
        return None
    kind = shared[0]
    fix = None
    if len(outputs) == 1:
        leaving = wiring.after.get(edge.source, ())
        similar = [
            item for item in leaving if item.source_kind == MAIN and _shared_kinds(item, wiring)
        ]
        drawn = [(item.source, kind, 0, item.target) for item in similar]
        reason = f'"{edge.source}" is a sub-node: it connects as {kind}'
        fix = Fix(True, replace_edges(graph, similar, drawn), reason)
    return new_diagnostic(
        UNKNOWN_PORT,
        edge.at,
        f'"{edge.source}" is a sub-node without a main output, yet connects as main',
        help=f'connect it to "{edge.target}" as {kind}',
        node=edge.source,
        token=MAIN,
        alternatives=shared,
        fix=fix,
    )


def _shared_kinds(edge: Edge, wiring: Wiring) -> list[str]:
    """Returns the kinds that are an output of the source and an input of the target."""
    if edge.target not in wiring.ports:
        return []
    outputs, inputs = wiring.ports[edge.source].outputs, wiring.ports[edge.target].inputs
    return [kind for kind in outputs or () if inputs is not None and kind in inputs]


def _reverse_kind(edge: Edge, wiring: Wiring) -> str | None:
    """Returns the kind by which the target can serve the source of an impossible edge, or None."""
    if edge.source == edge.target or edge.target not in wiring.ports:
        return None
    gives, takes = wiring.ports[edge.target].outputs, wiring.ports[edge.source].inputs
    if gives is None or takes is None:
        return None
    if edge.source_kind != MAIN:
        kind = edge.source_kind
        return kind if kind in gives and kind in takes else None
    # A data edge into a node without data ports that could be a sub-node of the source.
    arrives = wiring.ports[edge.target].inputs
    shared = [kind for kind in gives if kind in takes and kind != MAIN]
    leads_on = edge.target in wiring.after or edge.target in wiring.served
    if MAIN in gives or arrives is None or MAIN in arrives or leads_on or len(shared) != 1:
        return None
    return shared[0]


def _move_to_error_output(
    edge: Edge, graph: Graph, source: Node, outputs: PortMap | None
) -> Fix | None:
    """Returns a fix that moves an edge with its own key for failures to the last data output."""
    mains = (outputs or {}).get(MAIN)
    on_error = source.source.get("onError")
    if not mains or on_error not in (None, "continueErrorOutput"):
        return None
    opened = () if on_error else (Edit("set", (*source.at, "onError"), "continueErrorOutput"),)
    output = len(mains) if opened else len(mains) - 1
    drawn = replace_edges(graph, [edge], [(edge.source, MAIN, output, edge.target)])
    return Fix(True, (*opened, *drawn), f'output {output} of "{edge.source}" carries its failures')


def _connects_both(kind: str, outputs: PortMap | None, inputs: PortMap | None) -> bool:
    return outputs is not None and inputs is not None and kind in outputs and kind in inputs
