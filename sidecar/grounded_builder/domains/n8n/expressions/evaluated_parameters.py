"""Determines whether n8n evaluates a node's parameter: not if hidden; recognizes sticky notes."""

from __future__ import annotations

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode


def is_used(bound: ResolvedNode, at: Route) -> bool:
    """Returns whether the parameter of a route has an effect: n8n evaluates no hidden one."""
    depth = len(bound.node.at)
    if not isinstance(bound.spec, NodeSpec) or at[:depth] != bound.node.at or len(at) < depth + 2:
        return True
    known = bound.spec.declarations.root.by_name.get(str(at[depth + 1]))
    if known is None:
        return True
    simple = filled_parameters(bound).simple
    return any(prop.is_shown(simple, simple) for prop in known)


def is_note(bound: ResolvedNode) -> bool:
    """Returns whether a node has no ports; its texts are for people."""
    variant = bound.spec.variant
    return not variant["inputs"] and not variant["outputs"]
