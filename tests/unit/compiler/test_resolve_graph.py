"""Binding the nodes of a graph to the tools of a catalog."""

from __future__ import annotations

from dataclasses import replace

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.resolution import NameContext, Resolution
from grounded_builder.resolve import resolve_name
from tests.support.registries import acme_registry


def test_a_wrong_name_is_looked_for_once_a_catalog() -> None:
    """Drafts that repeat a wrong name cost one search, and all get the same finding."""
    sought: list[str] = []

    def count_and_resolve(
        token: str, registry: Registry, context: NameContext | None
    ) -> Resolution:
        sought.append(token)
        return resolve_name(token, registry, context)

    counting = replace(N8N, resolving=replace(N8N.resolving, resolve=count_and_resolve))
    registry = acme_registry()
    draft = {
        "nodes": [{"name": f"N{place}", "type": "acme-nodes.mial"} for place in range(3)],
        "connections": {},
    }
    indexes = [
        compile_draft(draft, counting, registry, CompileOptions()).diagnostics for _ in range(3)
    ]
    assert sought == ["acme-nodes.mial"]
    assert indexes[0] == indexes[1] == indexes[2]
    compile_draft(draft, counting, acme_registry(), CompileOptions())
    assert len(sought) == 2
