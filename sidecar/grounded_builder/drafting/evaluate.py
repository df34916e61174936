"""Compiles and corrects a draft, reports what it lacks of the request, and ranks it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.goal_coverage import (
    GOAL_NOT_COVERED,
    StepSummary,
    check_goal_coverage,
)
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.stated_values import STATED_VALUE_ABSENT, check_stated_values
from grounded_builder.diagnostics import Diagnostic, sorted_unique
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs

_SUPPLIED_BY_DRAFTER = frozenset({"MissingParameter", "UnknownParameter", "MissingTrigger"})
_UNREADABLE = 2
_MAX_REQUEST_CHARS = 8_000


@dataclass(frozen=True, slots=True)
class CompileContext:
    """The registry and options that replies are compiled with.

    ``salvage`` permits partial builds, ``offers_native`` the schema of native documents. With
    ``expects`` drafts state what runs have to show.
    """

    domain: Domain
    registry: Registry
    options: CompileOptions
    references: ReferenceCatalogs
    salvage: bool = False
    offers_native: bool = False
    expects: bool = False


def with_size_limit(context: CompileContext, size: int) -> CompileContext:
    """Returns the context for drafts of at most ``size`` bytes."""
    limits = replace(context.options.limits, draft_bytes=size)
    return replace(context, options=replace(context.options, limits=limits))


def evaluate_draft(draft: Any, request: str, context: CompileContext) -> Compilation:
    """Returns a draft compiled and corrected; services and values of the request that it lacks are
    advice.
    """
    compilation = compile_with_fixes(
        draft, context.domain, context.registry, context.options, context.references
    )
    if compilation.artifact is None:
        return compilation
    gaps = check_goal_coverage(
        request, _compiled_steps(compilation, context.domain), context.domain, context.registry
    )
    is_manual = _asks_for_manual_start(request, context.domain)
    diagnostics = (
        diagnostic
        for diagnostic in compilation.diagnostics
        if diagnostic.rule != GOAL_NOT_COVERED and not (is_manual and _is_start_advice(diagnostic))
    )
    lost = check_stated_values(request, compilation.document)
    return replace(compilation, diagnostics=sorted_unique((*diagnostics, *gaps, *lost)))


def _asks_for_manual_start(request: str, domain: Domain) -> bool:
    """Returns whether a request states that a person starts the graph."""
    speech = domain.prompting
    return any(
        re.search(phrase.pattern, request[:_MAX_REQUEST_CHARS], re.IGNORECASE)
        for phrase in speech.phrases
        if phrase.starts and phrase.tool == speech.default_trigger
    )


def _is_start_advice(diagnostic: Diagnostic) -> bool:
    """Returns whether it advises a start by a trigger instead of a person."""
    return diagnostic.rule.kind == "advice" and diagnostic.rule.error_type == "MissingTrigger"


def rank_draft(compilation: Compilation, domain: Domain) -> tuple[int, ...]:
    """Returns the rank of a draft; a lower one is better.

    It compares whether a draft compiles or can at least be read, then the numbers of wrong places,
    of places that a drafter could improve, and of all places that are open. A place is counted once
    for each rule, node and parameter.
    """
    diagnostics = compilation.diagnostics
    if compilation.artifact is not None:
        state = 0
    else:
        graph = domain.reading.read(compilation.document).graph
        has_nodes = compilation.plan is not None or (graph is not None and graph.nodes)
        state = 1 if has_nodes else _UNREADABLE
    return (
        state,
        _count_places(d for d in diagnostics if is_wrong(d)),
        _count_places(d for d in diagnostics if is_missing(d) or is_better(d)),
        _count_places(d for d in diagnostics if d.rule.kind == "incomplete"),
    )


def is_readable(rank: tuple[int, ...]) -> bool:
    """Returns whether a draft of this rank has steps or nodes."""
    return bool(rank) and rank[0] < _UNREADABLE


def _count_places(diagnostics: Iterable[Diagnostic]) -> int:
    return len({(d.code, d.at, d.node, d.token) for d in diagnostics})


def keys_of(wanted: Iterable[Diagnostic]) -> tuple[str, ...]:
    """Returns findings as texts that are equal when the findings are."""
    return tuple(sorted({f"{d.code} {d.at} {d.message}" for d in wanted}))


def is_wrong(diagnostic: Diagnostic) -> bool:
    """Returns whether nothing can be built before it is fixed."""
    return diagnostic.rule.kind == "wrong"


def is_missing(diagnostic: Diagnostic) -> bool:
    """Returns whether a drafter can supply it: a trigger or a value, but none that only the user
    knows.
    """
    return (
        diagnostic.rule.kind == "incomplete"
        and not diagnostic.only_user
        and diagnostic.rule.error_type in _SUPPLIED_BY_DRAFTER
    )


def is_left_to_user(diagnostic: Diagnostic) -> bool:
    """Returns whether it is a missing value that only the user knows."""
    return diagnostic.rule.kind == "incomplete" and diagnostic.only_user


_WORTH_ANOTHER_DRAFT = frozenset({"EmptyData", "EndlessRun", "SuboptimalTool"})
_GAPS = (GOAL_NOT_COVERED, STATED_VALUE_ABSENT)


def is_better(diagnostic: Diagnostic) -> bool:
    """Returns whether it is advice worth another draft: a better tool, data that is empty when the
    result runs, runs without end, an uncovered goal, a value that is lost, or one without effect.
    """
    rule = diagnostic.rule
    is_tool = rule.error_type in _WORTH_ANOTHER_DRAFT and rule.severity != "info"
    is_advice = rule.kind == "advice" and (is_tool or rule in _GAPS)
    return is_advice or is_without_effect(diagnostic)


def is_other_tool(diagnostic: Diagnostic) -> bool:
    """Returns whether it is advice to use another tool, such as that after a deprecated one."""
    rule = diagnostic.rule
    is_advice = rule.kind == "advice" and rule.severity != "info"
    return is_advice and rule.error_type == "SuboptimalTool"


def is_empty_data(diagnostic: Diagnostic) -> bool:
    """Returns whether it is about data that a node reads and that is not there when it runs."""
    rule = diagnostic.rule
    return rule.kind == "advice" and rule.error_type == "EmptyData" and rule.severity != "info"


def is_without_effect(diagnostic: Diagnostic) -> bool:
    """Returns whether it is about a written value that is ignored as the draft stands."""
    rule = diagnostic.rule
    is_unread = rule.error_type == "UnknownParameter" and rule.severity != "info"
    return rule.kind == "advice" and is_unread and diagnostic.fix is None


def is_repeatable(diagnostic: Diagnostic) -> bool:
    """Returns whether it is advice that a wrong draft gets too, and that is not repeated."""
    return is_without_effect(diagnostic) or is_other_tool(diagnostic)


def is_dictated(diagnostic: Diagnostic, request: str) -> bool:
    """Returns whether it is advice against an address that the request itself states."""
    token = diagnostic.token or ""
    return "." in token and token.casefold() in request.casefold()


def _compiled_steps(compilation: Compilation, domain: Domain) -> list[StepSummary]:
    """Returns the steps of a compilation with their names."""
    graph = domain.reading.read(compilation.artifact).graph
    nodes = graph.nodes if graph is not None else ()
    return [
        StepSummary(node.tool, node.params, node.name) for node in nodes if node.tool is not None
    ]
