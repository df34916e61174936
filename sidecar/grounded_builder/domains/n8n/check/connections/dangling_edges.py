"""Reports edges that refer to a missing node, with the node likely meant as a fix."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, new_diagnostic
from grounded_builder.domains.n8n.analysis.referenced_nodes import NodeLookup
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.ir.graph import Edge, ResolvedGraph
from grounded_builder.ir.rules.edges import DANGLING_EDGE


def check_dangling(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports edge ends that name no node, with the node of that id or similar name as a fix."""
    connections = resolved.graph.document.get("connections")
    known = resolved.by_name
    named = connections if isinstance(connections, dict) else {}
    sources = [name for name in named if name not in known]
    targets = [edge for edge in resolved.graph.edges if edge.target not in known]
    if not sources and not targets:
        return
    lookup = NodeLookup(resolved)
    leaving = {edge.source for edge in resolved.graph.edges}
    at = (*base_route(resolved.graph), "connections")
    for name in sources:
        value = lookup.of(name)
        fix = None
        if name not in leaving:
            edit = Edit("remove", (*at, name))
            fix = Fix(True, (edit,), f'no node is named "{name}", and its entry connects nothing')
        elif value is not None and value not in named:
            edit = Edit("rename", (*at, name), value)
            fix = Fix(True, (edit,), f'"{name}" is the node "{value}"')
        yield new_diagnostic(
            DANGLING_EDGE,
            (*at, name),
            f'connections start at "{name}", which is {lookup.what(name)}',
            help="add the node, correct the name, or remove the entry",
            token=name,
            alternatives=(value,) if value else lookup.names.near(name),
            fix=fix,
        )
    for edge in targets:
        yield _absent_target(edge, resolved, lookup)


def _absent_target(edge: Edge, resolved: ResolvedGraph, lookup: NodeLookup) -> Diagnostic:
    text = lookup.of(edge.target)
    at = (*edge.at, "node")
    reason = f'"{edge.target}" is the node "{text}"'
    return new_diagnostic(
        DANGLING_EDGE,
        at,
        f'"{edge.source}" connects to "{edge.target}", which is {lookup.what(edge.target)}',
        help="add the node, correct the name, or remove the connection",
        node=edge.source if edge.source in resolved.by_name else None,
        token=edge.target,
        alternatives=(text,) if text else lookup.names.near(edge.target),
        fix=Fix(True, (Edit("set", at, text),), reason) if text else None,
    )
