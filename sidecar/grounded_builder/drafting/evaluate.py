"""Compile a draft for a request and classify its findings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.goal_coverage import (
    GOAL_NOT_COVERED,
    StepSummary,
    check_goal_coverage,
)
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes, open_points
from grounded_builder.diagnostics import Diagnostic, sorted_unique
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs


@dataclass(frozen=True, slots=True)
class CompileContext:
    """The registry and options that replies are compiled with; ``salvage`` permits
    partial builds.
    """

    domain: Domain
    registry: Registry
    options: CompileOptions
    references: ReferenceCatalogs
    salvage: bool = False


def evaluate_draft(draft: Any, request: str, bench: CompileContext) -> Compilation:
    """Returns a draft compiled and corrected; services of the request that it lacks are advice."""
    compilation = compile_with_fixes(
        draft, bench.domain, bench.registry, bench.options, bench.references
    )
    if compilation.artifact is None:
        return compilation
    gaps = check_goal_coverage(
        request, _compiled_steps(compilation, bench.domain), bench.domain, bench.registry
    )
    diagnostics = (
        diagnostic for diagnostic in compilation.diagnostics if diagnostic.rule != GOAL_NOT_COVERED
    )
    return replace(compilation, diagnostics=sorted_unique((*diagnostics, *gaps)))


def open_issue_count(compilation: Compilation) -> tuple[int, int]:
    """Returns how much a draft that compiles leaves open: points for a person, and advice."""
    diagnostics = compilation.diagnostics
    return len(open_points(diagnostics)), sum(is_better(diagnostic) for diagnostic in diagnostics)


def keys_of(wanted: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Returns findings as texts that are equal when the findings are."""
    return tuple(sorted({f"{d.code} {d.at} {d.message}" for d in wanted}))


def is_wrong(diagnostic: Diagnostic) -> bool:
    """Returns whether nothing can be built before it is fixed."""
    return diagnostic.rule.kind == "wrong"


def is_missing(diagnostic: Diagnostic) -> bool:
    """Returns whether a drafter can supply it: values and triggers, but never credentials."""
    return diagnostic.rule.kind == "incomplete" and diagnostic.rule.error_type in (
        "MissingParameter",
        "UnknownParameter",
        "MissingTrigger",
    )


def is_better(diagnostic: Diagnostic) -> bool:
    """Returns whether it is advice worth another draft: a better tool, or an uncovered goal."""
    rule = diagnostic.rule
    is_tool = rule.error_type == "SuboptimalTool" and rule.severity != "info"
    return rule.kind == "advice" and (is_tool or rule == GOAL_NOT_COVERED)


def _compiled_steps(compilation: Compilation, domain: Domain) -> list[StepSummary]:
    """Returns the steps of a compilation with their names."""
    graph = domain.reading.read(compilation.artifact).graph
    nodes = graph.nodes if graph is not None else ()
    return [
        StepSummary(node.tool, node.params, node.name) for node in nodes if node.tool is not None
    ]
