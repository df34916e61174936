"""Infers the missing type of a node, and reports nodes whose type does not fit their content."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from grounded_builder.catalog.name_index import id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Edit, Fix, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import MAIN, ports_of
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.type_inference.choice import choose_type
from grounded_builder.domains.n8n.type_inference.node_features import (
    NodeFeatures,
    SubNodeEdges,
    extract_features,
)
from grounded_builder.ir.domain import Recognition
from grounded_builder.ir.graph import Graph, Node, ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

MISMATCHED_TYPE = Rule.advice(
    "N8N342", "mismatched-type", "UnknownTool", "The type does not accept what the node carries."
)

_MAX_CHECKED = 400
# With more candidate types than this the node's type is not inferred.
_MAX_CANDIDATES = 4


def infer_type(
    node: Node, graph: Graph, registry: Registry, among: Sequence[str] = ()
) -> Recognition | None:
    """Returns the type that a node's parameters, credentials, edges and name fit, from some or all.

    None if the node's own type accepts anything that it carries.
    """
    signs = extract_features(node, SubNodeEdges.of(graph))
    own = registry.tools.get(node.tool or "")
    if own is None:
        return choose_type(node, signs, registry, among)
    if not _declared_parameters(own.id, registry).isdisjoint(signs.params):
        return None
    return _infer_other_type(node, own.id, signs, registry)


def check_types(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports nodes whose type accepts nothing that they carry, if another type does."""
    del options
    served = {
        name
        for edge in resolved.graph.edges
        if edge.source_kind != MAIN
        for name in (edge.source, edge.target)
    }
    edges = SubNodeEdges.of(resolved.graph)
    left = _MAX_CHECKED
    for bound in resolved.nodes:
        if left and isinstance(bound.spec, NodeSpec) and _may_mismatch(bound, bound.spec, served):
            signs = extract_features(bound.node, edges)
            if _is_mismatched(bound, bound.spec, signs, registry):
                left -= 1
                yield from _report_mismatch(bound, bound.spec.id, signs, registry)


def _may_mismatch(bound: ResolvedNode, spec: NodeSpec, served: Container[str]) -> bool:
    """Returns whether the version of a node may accept nothing; a cheap test for every node."""
    node = bound.node
    if node.params:
        known = spec.declarations.root.by_name
        return not any(name in known for name in node.params)
    source = node.source
    return bool(source.get("credentials") or source.get("notes") or node.name in served)


def _is_mismatched(
    bound: ResolvedNode, spec: NodeSpec, signs: NodeFeatures, registry: Registry
) -> bool:
    """Returns whether a type accepts nothing of a node in any version."""
    if signs.params:
        return _declared_parameters(spec.id, registry).isdisjoint(signs.params)
    if signs.credentials and not spec.credentials:
        return True
    if signs.sub_node_kinds:
        ports = ports_of(bound)
        return bool(
            (ports.outputs is not None and signs.leaving - ports.outputs.keys())
            or (ports.inputs is not None and signs.arriving - ports.inputs.keys())
        )
    return any(
        name != id_tail(spec.id) and registry.names.by_tail(name) for name in signs.noted_ids
    )


def _declared_parameters(tool: str, registry: Registry) -> frozenset[str]:
    """Returns the parameters that a type declares in any version."""
    return frozenset(
        parameter["name"]
        for variant in registry.tool(tool)["variants"]
        for parameter in variant["parameters"]
    )


def _infer_other_type(
    node: Node, own: str, signs: NodeFeatures, registry: Registry
) -> Recognition | None:
    """Returns the type that fits a node better than its own, None if that is uncertain.

    A type without parameters is likely a placeholder for a lost type. A type with parameters may be
    right and the parameters wrong: then the node's name or notes must confirm the other type.
    """
    recognition = choose_type(node, signs, registry)
    if recognition is None or own in recognition.tools:
        return None
    is_bare = not (signs.params or signs.credentials or signs.sub_node_kinds)
    has_blank_type = not _declared_parameters(own, registry) and not _is_trigger(own, registry)
    if has_blank_type:
        return recognition if not is_bare or recognition.mention_count else None
    if (
        not recognition.is_sure
        or not recognition.mention_count
        or _is_trigger(own, registry) != _is_trigger(recognition.tools[0], registry)
    ):
        return None
    return recognition if not is_bare or recognition.mention_count > 1 else None


def _is_trigger(tool: str, registry: Registry) -> bool:
    return "trigger" in registry.tools[tool].capabilities


def _report_mismatch(
    bound: ResolvedNode, own: str, signs: NodeFeatures, registry: Registry
) -> Iterator[Diagnostic]:
    recognition = _infer_other_type(bound.node, own, signs, registry)
    if recognition is None or not (
        recognition.is_sure or len(recognition.tools) <= _MAX_CANDIDATES
    ):
        return
    node, first = bound.node, recognition.tools[0]
    at = (*node.at, "type")
    reason = f'{first} accepts what "{node.name}" carries: {recognition.because}'
    carried = ", ".join(list(signs.params)[:6]) or ", ".join(sorted(signs.credentials)) or "edges"
    yield new_diagnostic(
        MISMATCHED_TYPE,
        at,
        f'{own} accepts nothing that "{node.name}" has ({carried})'
        if signs.params or signs.credentials or signs.sub_node_kinds
        else f'"{node.name}" is called and described as {first}, but is of type {own}',
        help=f'write "{first}"' if recognition.is_sure else "write the intended type",
        node=node.name,
        token=own,
        alternatives=recognition.tools,
        fix=Fix(True, (Edit("set", at, first),), reason) if recognition.is_sure else None,
    )
