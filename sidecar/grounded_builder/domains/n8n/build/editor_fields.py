"""Reports the id, position and webhook id that n8n's editor would add to a node, with a fix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Edit, Fix, new_diagnostic
from grounded_builder.domains.n8n.build.artifact import node_id, places, webhook_id
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.rules.artifact import CORRECTED


def missing_fields(resolved: ResolvedGraph, options: CompileOptions) -> Iterator[Diagnostic]:
    """Yields one finding for each node that lacks such fields, with the values of its artifact.

    n8n creates ids itself for a new workflow, but no positions.
    """
    for bound, place in zip(resolved.nodes, places(resolved), strict=True):
        given, name = bound.node.source, bound.node.name
        absent: dict[str, Any] = {}
        if not given.get("id"):
            absent["id"] = node_id(options.seed, name)
        if "position" not in given:
            absent["position"] = place
        hooked = bound.spec is not None and bound.spec.traits.get("webhooks")
        if hooked and not given.get("webhookId"):
            absent["webhookId"] = webhook_id(bound, options)
        if absent:
            edits = tuple(Edit("set", (*bound.node.at, key), absent[key]) for key in absent)
            reason = f'"{name}" gets what it lacks: {", ".join(absent)}'
            yield new_diagnostic(
                CORRECTED, bound.node.at, reason, node=name, fix=Fix(True, edits, reason)
            )
