"""Edges that touch a node that is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, found
from grounded_builder.domains.n8n.spelling import Names
from grounded_builder.domains.n8n.wiring import Wiring
from grounded_builder.domains.n8n.workflow import base_route
from grounded_builder.graph import Edge, Resolved


def check_dangling(resolved: Resolved, wiring: Wiring) -> Iterator[Diagnostic]:
    """Find ends that name no node, and the node that is meant by its id or a loose spelling."""
    connections = resolved.graph.document.get("connections")
    known = resolved.by_name
    named = connections if isinstance(connections, dict) else {}
    sources = [name for name in named if name not in known]
    targets = [edge for edge in resolved.graph.edges if edge.target not in known]
    if not sources and not targets:
        return
    names, ids = Names(known), _ids(resolved)
    at = (*base_route(resolved.graph), "connections")
    for name in sources:
        meant = ids.get(name) or names.respelled(name)
        fix = None
        if name not in wiring.after and name not in wiring.served:
            edit = Edit("remove", (*at, name))
            fix = Fix(True, (edit,), f'"{name}" is no node and its entry connects nothing')
        elif meant is not None and meant not in named:
            edit = Edit("rename", (*at, name), meant)
            fix = Fix(True, (edit,), f'"{name}" is the node "{meant}"')
        yield found(
            "GB313",
            (*at, name),
            f'connections start at "{name}", which is {_what(name, ids)}',
            help="add the node, correct the name, or take the entry out",
            token=name,
            alternatives=(meant,) if meant else names.near(name),
            fix=fix,
        )
    for edge in targets:
        meant = ids.get(edge.target) or names.respelled(edge.target)
        yield _absent_target(edge, resolved, names, meant, _what(edge.target, ids))


def _absent_target(
    edge: Edge, resolved: Resolved, names: Names, meant: str | None, what: str
) -> Diagnostic:
    at = (*edge.at, "node")
    reason = f'"{edge.target}" is the node "{meant}"'
    return found(
        "GB313",
        at,
        f'"{edge.source}" connects to "{edge.target}", which is {what}',
        help="add the node, correct the name, or take the connection out",
        node=edge.source if edge.source in resolved.by_name else None,
        token=edge.target,
        alternatives=(meant,) if meant else names.near(edge.target),
        fix=Fix(True, (Edit("set", at, meant),), reason) if meant else None,
    )


def _ids(resolved: Resolved) -> Mapping[str, str]:
    """The names of nodes by id, where an id is one node's alone."""
    names: dict[str, str] = {}
    shared: set[str] = set()
    for node in resolved.graph.nodes:
        identity = node.source.get("id")
        if isinstance(identity, str) and identity:
            if identity in names:
                shared.add(identity)
            names[identity] = node.name
    return {identity: name for identity, name in names.items() if identity not in shared}


def _what(name: str, ids: Mapping[str, str]) -> str:
    if name in ids:
        return f'the id of "{ids[name]}": connections follow names'
    return "no node of the workflow"
