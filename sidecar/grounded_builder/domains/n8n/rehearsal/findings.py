"""Converts a rehearsal to diagnostics: failures that are certain, and what was sent.

A failure is certain where no node of the run had an invented answer or invented items before it:
real answers may differ from invented ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic, sorted_unique
from grounded_builder.domains.n8n.rehearsal.expectations import Verdict
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, RehearsedRun
from grounded_builder.domains.n8n.trial.findings import FAILED_RUN
from grounded_builder.domains.n8n.trial.node_role import STOP
from grounded_builder.domains.n8n.trial.samples import CERTAIN, Sample
from grounded_builder.ir.graph import ResolvedGraph

UNMET_EXPECTATION = Rule.wrong(
    "N8N607", "unmet-expectation", "ExecutionError", "A rehearsal contradicts an expectation."
)
REHEARSAL_EXTENT = Rule.info(
    "N8N608", "rehearsal-extent", "A rehearsal ran the real nodes without a network."
)

_NAMED = 8
_SHOWN_URL = 100


def rehearsal_findings(
    resolved: ResolvedGraph, rehearsal: Rehearsal, verdicts: Sequence[Sequence[Verdict]]
) -> tuple[Diagnostic, ...]:
    """Returns the findings of a rehearsal, with one that says what was and was not shown."""
    diagnostics = [
        *(
            item
            for run in rehearsal.natural_runs
            for item in _failures(resolved, run, rehearsal.samples)
        ),
        *(_unmet(verdict) for judged in verdicts for verdict in judged if not verdict.is_met),
    ]
    if rehearsal.runs:
        diagnostics.append(_extent(rehearsal))
    return sorted_unique(diagnostics)


def _failures(
    resolved: ResolvedGraph, run: RehearsedRun, samples: Mapping[str, Sample]
) -> Iterator[Diagnostic]:
    failure = run.execution.failure
    bound = None if failure is None else resolved.by_name.get(failure.node)
    if failure is None or bound is None or bound.node.tool == STOP or run.execution.waits:
        return
    if _is_certain(run, samples):
        message = f'"{failure.node}" fails when the workflow runs: {failure.message}'
        yield new_diagnostic(
            FAILED_RUN, bound.node.at, message, help="correct the node", node=failure.node
        )


def _is_certain(run: RehearsedRun, samples: Mapping[str, Sample]) -> bool:
    """Returns whether nothing invented came before the failure of a run."""
    sample = samples.get(run.trigger)
    answered = any(rehearsed.exchanges for rehearsed in run.steps) or run.loose
    return sample is not None and sample.origin in CERTAIN and not answered


def _unmet(verdict: Verdict) -> Diagnostic:
    message = f"a rehearsal contradicts what is expected, {verdict.expectation}: {verdict.miss}"
    return new_diagnostic(UNMET_EXPECTATION, (), message, help="correct the nodes that send this")


def _extent(rehearsal: Rehearsal) -> Diagnostic:
    """Returns the finding that lists requests, failures on invented answers, unreached nodes."""
    sent = dict.fromkeys(
        f'"{rehearsed.step.node}" {exchange.request.method} '
        f"{exchange.request.url.partition('?')[0][:_SHOWN_URL]}"
        for run in rehearsal.runs
        for rehearsed in run.steps
        for exchange in rehearsed.exchanges
    )
    parts = [f"requests: {_list(list(sent))}" if sent else "no request was sent"]
    for run in rehearsal.natural_runs:
        failure = run.execution.failure
        if failure is not None:
            state = "waits" if run.execution.waits else "failed"
            name = f'"{failure.node}" {state}' if failure.node else "n8n did not run it"
            parts.append(f"{name}: {failure.message}")
    changed = [f'"{name}"' for name, kind in rehearsal.reached.items() if kind == "forced"]
    if changed:
        parts.append(f"reached only where nodes before were forced or replaced: {_list(changed)}")
    if rehearsal.never_run:
        names = [f'"{unreached.node}" ({unreached.reason})' for unreached in rehearsal.never_run]
        parts.append(f"not reached: {_list(names)}")
    message = f"the real nodes ran with invented answers; {'; '.join(parts)}"
    return new_diagnostic(
        REHEARSAL_EXTENT, (), message, help="check what these nodes send (grounded rehearse)"
    )


def _list(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return f"{', '.join(texts[:_NAMED])}{more}"
