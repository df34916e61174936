"""Make the artifact: the calls to be made, in their order, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions
from grounded_builder.routing.references import references_in


def build(resolved: ResolvedGraph, setting: CompileOptions) -> Mapping[str, Any]:
    """Each call with its tool, arguments and the calls that it waits for."""
    del setting
    ids = [bound.node.name for bound in resolved.nodes]
    return {"calls": [_call(bound, ids) for bound in resolved.nodes]}


def _call(bound: ResolvedNode, ids: Sequence[str]) -> dict[str, Any]:
    node = bound.node
    stated = node.source.get("depends_on")
    named = [item for item in stated if isinstance(item, str)] if isinstance(stated, list) else []
    referred = [
        reference.step for _, reference in references_in(node.params, ids) if reference.step in ids
    ]
    return {
        "id": node.name,
        "tool": bound.tool.id if bound.tool is not None else node.tool,
        "arguments": dict(node.params),
        "depends_on": list(dict.fromkeys([*named, *referred])),
    }
