"""Tell of tools in short: answers that a model can afford to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.text_search import Hit
from grounded_builder.ir.domain import Domain

_LONGEST_TEXT = 60
_MOST_OPERATIONS = 40


def summarize_tool(hits: Iterable[Hit], registry: Registry) -> list[dict[str, Any]]:
    """Each tool found with the operation that fits, in about a hundred and fifty bytes."""
    return [_line(hit, registry) for hit in hits]


def closely(
    tool: str, params: Mapping[str, Any], domain: Domain, registry: Registry
) -> dict[str, Any]:
    """One tool: its operations, or with presets the parameters of one; KeyError for no tool."""
    row = registry.tools[tool]
    version = row.default_version if row.default_version in row.versions else row.newest
    entries: dict[str, Any] = {"tool": row.id, "name": row.name, "version": version}
    if domain.resolving.summary_facts is not None:
        entries |= domain.resolving.summary_facts(tool, registry)
    if params or not row.operations:
        brief = domain.prompting.parameter_outline(registry.spec(row.id, version), params)
        return {**entries, "params": dict(params), "parameters": brief}
    operations = [
        " ".join(f"{k}={v}" for k, v in operation.params.items()) for operation in row.operations
    ]
    return {**entries, "operations": operations[:_MOST_OPERATIONS], "total": len(operations)}


def _line(hit: Hit, registry: Registry) -> dict[str, Any]:
    row = registry.tools[hit.tool]
    entries: dict[str, Any] = {"tool": row.id, "name": row.name, "score": hit.score}
    if hit.params:
        entries["params"] = dict(hit.params)
    if row.superseded:
        entries["replaced_by"] = list(row.replaced_by)
    text = row.description
    entries["what"] = (
        text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1].rstrip() + "…"
    )
    return entries
