"""Find nodes whose type takes nothing of what they carry, and the type that takes it all."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from grounded_builder.catalog.name_index import id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, ports_of
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.type_inference.choice import recognise
from grounded_builder.domains.n8n.type_inference.node_features import (
    NodeFeatures,
    SubNodeEdges,
    signs_of,
)
from grounded_builder.ir.domain import Recognition
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

MISMATCHED_TYPE = Rule.advice(
    "N8N342", "mismatched-type", "UnknownTool", "The type does not accept what the node carries."
)

_MOST = 400
# So many types that would take what a node carries say nothing about which one is meant.
_TELLING = 4


def recognised(
    node: Node, graph: Graph, registry: Registry, among: Sequence[str] = ()
) -> Recognition | None:
    """The type that a node's parameters, credentials, edges and name tell, among some or all.

    Nothing for a node whose own type has a place for some of what it carries.
    """
    signs = signs_of(node, SubNodeEdges.of(graph))
    own = registry.tools.get(node.tool or "")
    if own is None:
        return recognise(node, signs, registry, among)
    if not _names(own.id, registry).isdisjoint(signs.params):
        return None
    return _other(node, own.id, signs, registry)


def check_types(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Finds nodes of a type that has no place for any of what they carry, where another has."""
    del setting
    served = {
        name
        for edge in resolved.graph.edges
        if edge.source_kind != MAIN
        for name in (edge.source, edge.target)
    }
    edges = SubNodeEdges.of(resolved.graph)
    left = _MOST
    for bound in resolved.nodes:
        if left and isinstance(bound.spec, NodeSpec) and _may_be_misfit(bound, bound.spec, served):
            signs = signs_of(bound.node, edges)
            if _is_misfit(bound, bound.spec, signs, registry):
                left -= 1
                yield from _misfit(bound, bound.spec.id, signs, registry)


def _may_be_misfit(bound: ResolvedNode, spec: NodeSpec, served: Container[str]) -> bool:
    """The first look, cheap enough for every node: its version takes nothing of what is there."""
    node = bound.node
    if node.params:
        known = spec.declarations.root.by_name
        return not any(name in known for name in node.params)
    source = node.source
    return bool(source.get("credentials") or source.get("notes") or node.name in served)


def _is_misfit(
    bound: ResolvedNode, spec: NodeSpec, signs: NodeFeatures, registry: Registry
) -> bool:
    """Returns whether a type takes nothing of a node, in whatever version."""
    if signs.params:
        return _names(spec.id, registry).isdisjoint(signs.params)
    if signs.credentials and not spec.credentials:
        return True
    if signs.serving:
        ports = ports_of(bound)
        return bool(
            (ports.outputs is not None and signs.leaving - ports.outputs.keys())
            or (ports.inputs is not None and signs.arriving - ports.inputs.keys())
        )
    return any(name != id_tail(spec.id) and registry.names.by_tail(name) for name in signs.told)


def _names(tool: str, registry: Registry) -> frozenset[str]:
    """Returns the parameters that a type declares in any version."""
    return frozenset(
        parameter["name"]
        for variant in registry.tool(tool)["variants"]
        for parameter in variant["parameters"]
    )


def _other(node: Node, own: str, signs: NodeFeatures, registry: Registry) -> Recognition | None:
    """Returns the type that is meant instead of a node's own, as surely as can be said.

    A type without parameters is what is left of a node whose type was lost. One with parameters
    of its own may be what is meant, and the parameters wrong: then the node's words have to say.
    """
    recognition = recognise(node, signs, registry)
    if recognition is None or own in recognition.tools:
        return None
    is_bare = not (signs.params or signs.credentials or signs.serving)
    is_blank = not _names(own, registry) and not _starts(own, registry)
    if is_blank:
        return recognition if not is_bare or recognition.mention_count else None
    if (
        not recognition.is_sure
        or not recognition.mention_count
        or _starts(own, registry) != _starts(recognition.tools[0], registry)
    ):
        return None
    return recognition if not is_bare or recognition.mention_count > 1 else None


def _starts(tool: str, registry: Registry) -> bool:
    return "trigger" in registry.tools[tool].capabilities


def _misfit(
    bound: ResolvedNode, own: str, signs: NodeFeatures, registry: Registry
) -> Iterator[Diagnostic]:
    recognition = _other(bound.node, own, signs, registry)
    if recognition is None or not (recognition.is_sure or len(recognition.tools) <= _TELLING):
        return
    node, first = bound.node, recognition.tools[0]
    at = (*node.at, "type")
    reason = f'"{node.name}" carries what {first} takes: {recognition.because}'
    carried = ", ".join(list(signs.params)[:6]) or ", ".join(sorted(signs.credentials)) or "edges"
    yield new_diagnostic(
        MISMATCHED_TYPE,
        at,
        f'{own} takes nothing of what "{node.name}" carries ({carried})'
        if signs.params or signs.credentials or signs.serving
        else f'"{node.name}" is called and described as {first}, but is of type {own}',
        help=f'write "{first}"' if recognition.is_sure else "write the type that is meant",
        node=node.name,
        token=own,
        alternatives=recognition.tools,
        fix=Fix(True, (Edit("set", at, first),), reason) if recognition.is_sure else None,
    )
