"""Reports nodes that share a name or an id, with a fix that renames one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import Ports, ports_of
from grounded_builder.domains.n8n.build.artifact import node_id
from grounded_builder.ir.graph import Edge, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.edges import DUPLICATE_NAME
from grounded_builder.ir.unique_names import UniqueNames

DUPLICATE_ID = Rule.wrong("GB312", "duplicate-id", "DuplicateName", "Two nodes have the same id.")


def check_duplicate_nodes(resolved: ResolvedGraph, options: CompileOptions) -> Iterator[Diagnostic]:
    """Reports shared names, by which n8n identifies edges, and shared ids; n8n rejects both."""
    yield from _check_names(resolved)
    yield from _check_ids(resolved, options)


def _check_names(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    by_name: dict[str, list[ResolvedNode]] = {}
    for bound in resolved.nodes:
        by_name.setdefault(bound.node.name, []).append(bound)
    for name, resolved_nodes in by_name.items():
        if len(resolved_nodes) == 1:
            continue
        given = _choose_renames(resolved_nodes, resolved, by_name)
        for index, bound in enumerate(resolved_nodes[1:], 1):
            yield new_diagnostic(
                DUPLICATE_NAME,
                (*bound.node.at, "name"),
                f'two nodes are named "{name}"',
                help="give each node its own name; connections refer to nodes by name",
                node=name,
                related=(Related((*resolved_nodes[0].node.at, "name"), "the first of them"),),
                # The fix of the first diagnostic renames all of these nodes.
                fix=given if index == 1 else None,
            )


def _choose_renames(
    resolved_nodes: list[ResolvedNode],
    resolved: ResolvedGraph,
    by_name: Mapping[str, Collection[ResolvedNode]],
) -> Fix:
    """Returns a fix that gives all nodes but one another name.

    It is safe if only one of them is not a sticky note, or if the edges already use a name that no
    node has and that fits only one of the two nodes. Otherwise the first node keeps name and edges.
    """
    working = [bound for bound in resolved_nodes if not _is_note(bound)]
    if len(working) <= 1:
        resolved_node = working[0] if working else resolved_nodes[0]
        return _rename_nodes(
            [bound for bound in resolved_nodes if bound is not resolved_node], by_name, safe=True
        )
    name = resolved_nodes[0].node.name
    lost = {end for edge in resolved.graph.edges for end in (edge.source, edge.target)}
    lost -= by_name.keys()
    if len(resolved_nodes) == 2 and len(lost) == 1:
        ghost = next(iter(lost))
        fitting = [
            item
            for item, other in (resolved_nodes, resolved_nodes[::-1])
            if _has_ports_for(item, ghost, resolved.graph.edges)
            and _has_ports_for(other, name, resolved.graph.edges)
        ]
        if len(fitting) == 1:
            edit = Edit("set", (*fitting[0].node.at, "name"), ghost)
            return Fix(True, (edit,), f'edges refer to the other node named "{name}" as "{ghost}"')
    return _rename_nodes(resolved_nodes[1:], by_name, safe=False)


def _is_note(bound: ResolvedNode) -> bool:
    ports = ports_of(bound)
    return ports.inputs == {} and ports.outputs == {}


def _has_ports_for(bound: ResolvedNode, name: str, edges: Collection[Edge]) -> bool:
    """Returns whether a node has a port for every edge that uses this name."""
    ports: Ports = ports_of(bound)
    for edge in edges:
        if edge.source == name and not _has_port(
            ports.outputs, edge.source_kind, edge.source_index
        ):
            return False
        if edge.target == name and not _has_port(ports.inputs, edge.target_kind, edge.target_index):
            return False
    return True


def _has_port(side: Mapping[str, tuple[Any, ...]] | None, kind: str, index: int) -> bool:
    return side is None or 0 <= index < len(side.get(kind, ()))


def _rename_nodes(resolved_nodes: list[ResolvedNode], taken: Collection[str], *, safe: bool) -> Fix:
    names = UniqueNames(taken, first=1, separator="", fold=str)
    edits = [
        Edit("set", (*bound.node.at, "name"), names.claim(bound.node.name))
        for bound in resolved_nodes
    ]
    text = ", ".join(f'"{edit.value}"' for edit in edits[:6])
    return Fix(
        safe,
        tuple(edits),
        f'one node keeps the name "{resolved_nodes[0].node.name}": the others become {text}',
    )


def _check_ids(resolved: ResolvedGraph, options: CompileOptions) -> Iterator[Diagnostic]:
    first: dict[str, ResolvedNode] = {}
    for bound in resolved.nodes:
        identity = bound.node.source.get("id")
        if not isinstance(identity, str) or not identity:
            continue
        before = first.setdefault(identity, bound)
        if before is bound:
            continue
        at, name = (*bound.node.at, "id"), bound.node.name
        yield new_diagnostic(
            DUPLICATE_ID,
            at,
            f'nodes "{before.node.name}" and "{name}" share the id {identity}',
            help="give each node its own id, or remove the id",
            node=name,
            related=(Related((*before.node.at, "id"), "the first of them"),),
            fix=Fix(
                not _is_referenced(identity, resolved),
                (Edit("set", at, node_id(options.seed, name)),),
                f'"{name}" gets its own id',
            ),
        )


def _is_referenced(identity: str, resolved: ResolvedGraph) -> bool:
    """Returns whether node groups or edges refer to the id."""
    if resolved.graph.document.get("nodeGroups"):
        return True
    return any(identity in (edge.source, edge.target) for edge in resolved.graph.edges)
