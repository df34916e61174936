"""Summarizes tools as short JSON for language models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.text_search import Hit
from grounded_builder.ir.domain import Domain

_MAX_TEXT_CHARS = 60
_MAX_OPERATIONS = 40


def summarize_hits(hits: Iterable[Hit], registry: Registry) -> list[dict[str, Any]]:
    """Returns each hit with its operation as about 150 bytes of JSON."""
    return [_summarize_hit(hit, registry) for hit in hits]


def describe_tool(
    tool: str, params: Mapping[str, Any], domain: Domain, registry: Registry
) -> dict[str, Any]:
    """Returns a tool with its operations, or with presets the parameters of an operation.

    Raises KeyError if there is no such tool.
    """
    row = registry.tools[tool]
    version = row.default_version if row.default_version in row.versions else row.newest
    summary: dict[str, Any] = {"tool": row.id, "name": row.name, "version": version}
    if domain.resolving.summary_facts is not None:
        summary |= domain.resolving.summary_facts(tool, registry)
    if params or not row.operations:
        outline = domain.prompting.parameter_outline(registry.spec(row.id, version), params)
        return {**summary, "params": dict(params), "parameters": outline}
    operations = [
        " ".join(f"{k}={v}" for k, v in operation.params.items()) for operation in row.operations
    ]
    return {**summary, "operations": operations[:_MAX_OPERATIONS], "total": len(operations)}


def _summarize_hit(hit: Hit, registry: Registry) -> dict[str, Any]:
    row = registry.tools[hit.tool]
    summary: dict[str, Any] = {"tool": row.id, "name": row.name, "score": hit.score}
    if hit.params:
        summary["params"] = dict(hit.params)
    if row.is_superseded:
        summary["replaced_by"] = list(row.replaced_by)
    text = row.description
    summary["what"] = (
        text if len(text) <= _MAX_TEXT_CHARS else text[: _MAX_TEXT_CHARS - 1].rstrip() + "…"
    )
    return summary
