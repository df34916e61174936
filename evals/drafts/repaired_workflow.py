"""Repairs a draft and builds the workflow for n8n, whatever the verdict is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft, compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic, Verdict
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions

_SETTING = CompileOptions(purpose="publish")


@dataclass(frozen=True, slots=True)
class RepairedDraft:
    """The result of repair; ``workflow`` is None if the draft contains none."""

    verdict: Verdict
    workflow: Mapping[str, Any] | None
    diagnostics: tuple[Diagnostic, ...]
    corrections: tuple[Diagnostic, ...]


def repair_and_build(content: Any, registry: Registry, *, repair: bool = True) -> RepairedDraft:
    """Repairs a draft if ``repair`` is set, then builds its workflow."""
    done = (compile_with_fixes if repair else compile_draft)(content, N8N, registry, _SETTING)
    graph = N8N.reading.read(done.document).graph
    workflow = None
    if graph is not None:
        resolved, _ = resolve_graph(graph, N8N, registry)
        workflow = N8N.building.build(resolved, _SETTING)
    return RepairedDraft(done.verdict, workflow, done.diagnostics, done.corrections)
