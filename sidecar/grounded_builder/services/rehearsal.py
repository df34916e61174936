"""Compiles a workflow, rehearses it in the n8n of rehearsals, and formats the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from ulid import ULID

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.diagnostics import Diagnostic, new_diagnostic, sorted_unique
from grounded_builder.diagnostics.finding_json import as_json, to_short_form
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expectations import read_expectations
from grounded_builder.domains.n8n.rehearsal.difference import compare_rehearsals
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.findings import rehearsal_findings
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_json
from grounded_builder.domains.n8n.rehearsal.scenarios import rehearse_expected
from grounded_builder.domains.n8n.rehearsal.stage import StageError
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from grounded_builder.domains.n8n.trial.run import UNCLEAR_RUN
from grounded_builder.drafting.after_trial import Trying
from grounded_builder.ir.options import CompileOptions
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.isolation.compiler import Compiling, compile_here
from grounded_builder.services.rehearsal_order import RehearsalOrder, expect_names
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.storage.store import Store


@dataclass(frozen=True, slots=True)
class RehearsalResult:
    """The result of a rehearsal.

    ``outcome`` is "passed", "failed", "unavailable" (there is no n8n to run it, ``reason`` says
    why) or "refused" (the workflow is wrong and nothing was run). ``is_isolated`` is whether the
    kernel kept n8n from the network, ``gaps`` what it did not prevent.
    """

    outcome: str
    diagnostics: tuple[Diagnostic, ...] = ()
    content: Mapping[str, Any] = field(
        default_factory=lambda: {
            "runs": [],
            "expectations": [],
            "never_run": [],
            "reached_only": [],
            "unserved": [],
            "bound": "",
            "at": "",
            "filled_values": [],
        }
    )
    is_isolated: bool = False
    gaps: tuple[str, ...] = ()
    reason: str = ""


def run_rehearsal(
    order: RehearsalOrder,
    store: Store,
    registry: Registry,
    references: ReferenceCatalogs,
    keeper: StageKeeper,
    compiling: Compiling = compile_here,
) -> RehearsalResult:
    """Compiles the content and rehearses the artifact.

    Raises `OrderError` where the order names a node that the workflow does not have.
    """
    settings = store.settings
    options = CompileOptions(purpose="judge", policy=settings.policy, limits=settings.limits)
    work = partial(compile_with_fixes, order.content, N8N, registry, options, references)
    compilation: Compilation = compiling(work, order.size)
    graph = None if compilation.artifact is None else N8N.reading.read(compilation.artifact).graph
    if graph is None:
        return RehearsalResult("refused", compilation.diagnostics)
    resolved, _ = resolve_graph(graph, N8N, registry, references)
    triggers = [
        bound.node.name for bound in resolved.nodes if is_start(bound) and not bound.node.disabled
    ]
    expect_names(order, resolved.by_name, triggers)
    routes = [item.at for item in compilation.diagnostics if item.rule.kind == "incomplete"]
    try:
        with keeper.use() as stage:
            name = f"Rehearsal {ULID()}"
            copied = CopyOrder(resolved, order.samples, routes, order.faults, order.moment)
            expected = (*order.expectations, *read_expectations(list(compilation.expect)))
            judged = rehearse_expected(stage, copied, expected, name)
            limits = (stage.is_isolated, stage.gaps)
    except (StageError, EditorError) as error:
        return RehearsalResult("unavailable", compilation.diagnostics, reason=str(error))
    rehearsal, verdicts = judged.rehearsal, judged.verdicts
    natural = rehearsal.natural_runs
    passed = all(run.execution.status == "success" or run.execution.waits for run in natural)
    left_out = len(triggers) - len(natural)
    met = all(verdict.is_met for verdict in verdicts)
    findings = rehearsal_findings(resolved, rehearsal, verdicts)
    moment = "" if order.moment is None else order.moment.isoformat()
    content = {**rehearsal_json(rehearsal, verdicts), "at": moment}
    if order.earlier is not None:
        written = json.dumps(compilation.artifact, ensure_ascii=False)
        content = {**content, "difference": compare_rehearsals(order.earlier, content, written)}
    return RehearsalResult(
        "passed" if passed and met and natural and not left_out else "failed",
        sorted_unique((*compilation.diagnostics, *findings)),
        content,
        *limits,
        f"{left_out} of {len(triggers)} triggers began no run within the limit" if left_out else "",
    )


def rehearsal_runner(
    store: Store, registry: Registry, references: ReferenceCatalogs, keeper: StageKeeper
) -> Trying:
    """Returns the function that rehearses the drafts of a conversation.

    Where no n8n can run them, the reason is a finding.
    """

    def run(compilation: Compilation) -> tuple[Diagnostic, ...]:
        if compilation.artifact is None:
            return ()
        expected = read_expectations(list(compilation.expect))
        order = RehearsalOrder(compilation.artifact, expectations=expected)
        result = run_rehearsal(order, store, registry, references, keeper)
        if result.outcome == "unavailable":
            count = f"; expected but not judged: {len(expected)}" if expected else ""
            message = f"the draft could not be rehearsed: {result.reason}{count}"
            return (new_diagnostic(UNCLEAR_RUN, (), message, help="build without a rehearsal"),)
        return tuple(
            # The places are those of the artifact, which is not what the drafter wrote.
            replace(item, at=()) if compilation.plan is not None else item
            for item in result.diagnostics
            if item.rule.stage == "run"
        )

    return run


def rehearsal_result_json(result: RehearsalResult) -> dict[str, Any]:
    """Returns the result as the JSON that all interfaces share."""
    return {
        "outcome": result.outcome,
        "reason": result.reason,
        "isolated": result.is_isolated,
        "gaps": list(result.gaps),
        "diagnostics": [as_json(diagnostic) for diagnostic in result.diagnostics],
        "errors": to_short_form(result.diagnostics),
        **result.content,
    }
