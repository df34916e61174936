"""Reads an n8n workflow document into a graph, reports malformed parts, finds a wrapped one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Route, Rule, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.domains.n8n import api_schema as api
from grounded_builder.domains.n8n.parameters.javascript_semantics import number_of
from grounded_builder.domains.n8n.read.connections import (
    read_connections,
    report_edge_list,
    report_neighbours,
)
from grounded_builder.domains.n8n.read.edge_lists import EdgeList, ListedEdge
from grounded_builder.ir.domain import Reading
from grounded_builder.ir.graph import Graph, Node
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, UNREAD_KEY, WRONG_DOCUMENT

MALFORMED_NODE = Rule.wrong(
    "N8N103", "malformed-node", "InvalidDocument", "A node or setting is malformed."
)

WRAPPERS = ("workflow", "data", "workflowData")

# The parts of a workflow that drafts write beside its wrapper key.
_SHARED = ("name", "connections", "settings")
_KEYS = frozenset({*api.WORKFLOW, *api.WORKFLOW_EXPORT_ONLY})
_EDGE_ROUTE = ("connections", "source", "kind", "output", "position")


def read(document: Any) -> Reading:
    """Reads a workflow: bare, as the only item of a list, or under a wrapper key."""
    route, workflow = _unwrap(document)
    if isinstance(workflow, dict) and isinstance(workflow.get("nodes"), dict):
        return Reading(None, (_report_node_map(workflow["nodes"], (*route, "nodes")),))
    if not isinstance(workflow, dict) or not isinstance(workflow.get("nodes"), list):
        shape = name_json_kind(document) if not isinstance(workflow, dict) else "no list of nodes"
        message = f'the document is not an n8n workflow: {shape} where "nodes" is expected'
        hint = 'a workflow is {"nodes": [...], "connections": {...}}'
        return Reading(None, (new_diagnostic(WRONG_DOCUMENT, route, message, help=hint),))
    diagnostics: list[Diagnostic] = []
    if route and isinstance(document, dict):
        stated = _around(document, route, workflow, diagnostics)
        workflow = {**workflow, **stated} if stated else workflow
    nodes = tuple(_nodes(workflow["nodes"], (*route, "nodes"), diagnostics))
    connections = workflow.get("connections", {})
    for key, listed in find_edge_lists(workflow).items():
        diagnostics.append(report_edge_list(key, listed, connections, route))
    if not connections and not diagnostics:
        neighbours = _find_neighbours(workflow, route)
        if neighbours:
            diagnostics.append(report_neighbours(neighbours, route))
    at = (*route, "connections")
    edges = tuple(read_connections(connections, workflow["nodes"], at, diagnostics))
    return Reading(Graph(workflow, nodes, edges), tuple(diagnostics))


def find_edge_lists(workflow: Mapping[str, Any]) -> dict[str, list[ListedEdge]]:
    """Returns the edges that a workflow lists under keys that n8n does not know."""
    others = {key: value for key, value in workflow.items() if key not in _KEYS}
    if not others:
        return {}
    reader = EdgeList(workflow["nodes"])
    read_values = ((key, reader.read(value, key)) for key, value in others.items())
    return {key: edges for key, edges in read_values if edges is not None}


def _find_neighbours(workflow: Mapping[str, Any], at: Route) -> dict[Route, list[ListedEdge]]:
    """Returns the edges that the nodes themselves name, by the routes of their keys."""
    reader = EdgeList(workflow["nodes"])
    edges: dict[Route, list[ListedEdge]] = {}
    for index, node in enumerate(workflow["nodes"]):
        name = node.get("name") if isinstance(node, dict) else None
        if not isinstance(name, str):
            continue
        for key in (key for key in node if key not in api.NODE):
            listed = reader.read_neighbours(name, key, node[key])
            if listed:
                edges[*at, "nodes", index, key] = listed
    return edges


def base_route(graph: Graph) -> Route:
    """Returns the route of the workflow inside its document, taken from its first element."""
    if graph.nodes:
        return graph.nodes[0].at[:-2]
    return graph.edges[0].at[: -len(_EDGE_ROUTE)] if graph.edges else ()


def _unwrap(document: Any) -> tuple[Route, Any]:
    if isinstance(document, list) and len(document) == 1:
        return (0,), document[0]
    if isinstance(document, dict) and "nodes" not in document:
        for key in WRAPPERS:
            inner = document.get(key)
            if isinstance(inner, dict) and "nodes" in inner:
                return (key,), inner
    return (), document


def _around(
    document: dict[str, Any], route: Route, workflow: dict[str, Any], out: list[Diagnostic]
) -> dict[str, Any]:
    """Returns a workflow with the parts written around it; its own parts take precedence."""
    stated: dict[str, Any] = {}
    for key in _SHARED:
        value = document.get(key)
        if not value or workflow.get(key) == value:
            continue
        if not workflow.get(key):
            stated[key] = value
        else:
            # Public collections give workflows their own titles.
            rule = LOOSE_SHAPE if key == "name" else UNREAD_KEY
            message = f'"{key}" differs from that in "{route[0]}"; its value was not used'
            hint = "write one of the two values"
            out.append(new_diagnostic(rule, (key,), message, help=hint, token=key))
    return stated


def _report_node_map(nodes: dict[str, Any], at: Route) -> Diagnostic:
    """Returns the finding for nodes that are keyed by name or id; the fix lists them."""
    message = '"nodes" is an object, not a list of nodes'
    fix = None
    if all(isinstance(node, dict) for node in nodes.values()):
        listed = [
            {**node, "id": node.get("id", key)} if node.get("name") else {**node, "name": key}
            for key, node in nodes.items()
        ]
        fix = Fix(True, (Edit("set", at, listed),), "the nodes are written as a list")
    hint = 'a workflow is {"nodes": [...], "connections": {...}}'
    return new_diagnostic(MALFORMED_NODE, at, message, help=hint, fix=fix)


def _nodes(nodes: list[Any], at: Route, out: list[Diagnostic]) -> Iterator[Node]:
    for index, node in enumerate(nodes):
        here = (*at, index)
        if not isinstance(node, dict):
            message = f"node {index} is {name_json_kind(node)}, not an object"
            out.append(
                new_diagnostic(MALFORMED_NODE, here, message, help="write the node as an object")
            )
            continue
        yield _node(node, index, here, out)


def _node(entry: dict[str, Any], index: int, at: Route, out: list[Diagnostic]) -> Node:
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        message = f"node {index} has no name"
        out.append(new_diagnostic(MALFORMED_NODE, at, message, help='give the node a "name"'))
        name = f"#{index}"
    params = entry.get("parameters", {})
    if not isinstance(params, dict):
        message = f'the parameters of "{name}" are {name_json_kind(params)}, not an object'
        here = (*at, "parameters")
        out.append(
            new_diagnostic(MALFORMED_NODE, here, message, help="write them as an object", node=name)
        )
        params = {}
    tool = entry.get("type")
    version = entry.get("typeVersion")
    if version is not None and (isinstance(version, bool) or not isinstance(version, int | float)):
        out.append(_version_shape(version, name, at))
        version = None
    return Node(
        name=name,
        tool=tool if isinstance(tool, str) and tool else None,
        version=version,
        params=params,
        at=at,
        source=entry,
        disabled=entry.get("disabled") is True,
    )


def _version_shape(version: Any, name: str, at: Route) -> Diagnostic:
    message = f'typeVersion of "{name}" is {name_json_kind(version)}, not a number'
    here = (*at, "typeVersion")
    number = number_of(version) if isinstance(version, str) and version.strip() else math.nan
    fix = None
    if math.isfinite(number):
        written = int(number) if number.is_integer() else number
        fix = Fix(True, (Edit("set", here, written),), f'the version of "{name}" is a number')
    help_ = "write the version as a number"
    return new_diagnostic(MALFORMED_NODE, here, message, help=help_, node=name, fix=fix)
