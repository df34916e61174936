"""Builds the artifact of a list of calls: each call with its arguments and dependencies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.routing.references import find_references


def build(resolved: ResolvedGraph, options: CompileOptions) -> Mapping[str, Any]:
    """Returns each call with its tool, its arguments and the calls that it depends on."""
    del options
    ids = [bound.node.name for bound in resolved.nodes]
    return {"calls": [_build_call(bound, ids) for bound in resolved.nodes]}


def _build_call(bound: ResolvedNode, ids: Sequence[str]) -> dict[str, Any]:
    """Returns one call; its dependencies are the declared ones, then those of its references."""
    node = bound.node
    declared = node.source.get("depends_on")
    declared_names = (
        [item for item in declared if isinstance(item, str)] if isinstance(declared, list) else []
    )
    implied = [
        reference.step
        for _, reference in find_references(node.params, ids)
        if reference.step in ids
    ]
    return {
        "id": node.name,
        "tool": bound.tool.id if bound.tool is not None else node.tool,
        "arguments": dict(node.params),
        "depends_on": list(dict.fromkeys([*declared_names, *implied])),
    }
