"""Converts a rehearsal to diagnostics: failures that are certain, and what was sent.

A failure is certain where no node of the run had an invented answer or invented items before it:
real answers may differ from invented ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic, sorted_unique
from grounded_builder.domains.n8n.rehearsal.failure_place import find_parameter_route
from grounded_builder.domains.n8n.rehearsal.judge import Verdict
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, RehearsedRun
from grounded_builder.domains.n8n.trial.findings import FAILED_RUN
from grounded_builder.domains.n8n.trial.node_role import STOP
from grounded_builder.domains.n8n.trial.samples import CERTAIN, Sample
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.redaction.redact import without_secrets

UNMET_EXPECTATION = Rule.wrong(
    "N8N607", "unmet-expectation", "ExecutionError", "A rehearsal contradicts an expectation."
)
REHEARSAL_EXTENT = Rule.info(
    "N8N608", "rehearsal-extent", "A rehearsal ran the real nodes without a network."
)

_NAMED = 8
_SHOWN_URL = 100


def rehearsal_findings(
    resolved: ResolvedGraph, rehearsal: Rehearsal, verdicts: Sequence[Verdict] = ()
) -> tuple[Diagnostic, ...]:
    """Returns the findings of a rehearsal, with one that says what was and was not shown."""
    diagnostics = [
        *(
            item
            for run in rehearsal.natural_runs
            for item in _report_failures(resolved, run, rehearsal.samples)
        ),
        *(_report_unmet(verdict) for verdict in verdicts if verdict.state == "unmet"),
    ]
    if rehearsal.runs:
        diagnostics.append(_report_extent(rehearsal, verdicts))
    return sorted_unique(diagnostics)


def _report_failures(
    resolved: ResolvedGraph, run: RehearsedRun, samples: Mapping[str, Sample]
) -> Iterator[Diagnostic]:
    failure = run.execution.failure
    bound = None if failure is None else resolved.by_name.get(failure.node)
    if failure is None or bound is None or bound.node.tool == STOP or run.execution.waits:
        return
    if _is_certain(run, samples):
        message = f'"{failure.node}" fails when the workflow runs: {failure.message}'
        route = find_parameter_route(bound, failure.parameter)
        yield new_diagnostic(FAILED_RUN, route, message, help="correct the node", node=failure.node)


def _is_certain(run: RehearsedRun, samples: Mapping[str, Sample]) -> bool:
    """Returns whether nothing invented came before the failure of a run."""
    sample = samples.get(run.trigger)
    answered = any(rehearsed.exchanges for rehearsed in run.steps) or run.loose
    return sample is not None and sample.origin in CERTAIN and not answered


def _report_unmet(verdict: Verdict) -> Diagnostic:
    about = (
        f"a rehearsal contradicts what is expected, {_name_expectation(verdict)}: {verdict.miss}"
    )
    sent = f"; requests sent: {', '.join(verdict.sent)}" if verdict.sent else ""
    message = str(without_secrets(f"{about}{sent}"))
    return new_diagnostic(
        UNMET_EXPECTATION,
        (),
        message,
        help="correct the nodes, or the expectation where it is wrong",
    )


def _name_expectation(verdict: Verdict) -> str:
    scenario = f"{verdict.scenario}: " if verdict.scenario else ""
    return f"{scenario}{verdict.expectation}"


def _report_extent(rehearsal: Rehearsal, verdicts: Sequence[Verdict]) -> Diagnostic:
    """Returns the finding that lists what is proven and what is not, with the requests."""
    sent = dict.fromkeys(
        f'"{rehearsed.step.node}" {exchange.request.method} '
        f"{exchange.request.url.partition('?')[0][:_SHOWN_URL]}"
        for run in rehearsal.runs
        for rehearsed in run.steps
        for exchange in rehearsed.exchanges
    )
    parts = list(_list_verdicts(verdicts))
    parts.append(f"requests: {_join_texts(list(sent))}" if sent else "no request was sent")
    for run in rehearsal.natural_runs:
        failure = run.execution.failure
        if failure is not None:
            state = "waits" if run.execution.waits else "failed"
            name = f'"{failure.node}" {state}' if failure.node else "n8n did not run it"
            parts.append(f"{name}: {failure.message}")
    changed = [f'"{name}"' for name, kind in rehearsal.reached.items() if kind == "forced"]
    if changed:
        parts.append(
            f"reached only where nodes before were forced or replaced: {_join_texts(changed)}"
        )
    called = [f'"{name}"' for name, kind in rehearsal.reached.items() if kind == "called"]
    if called:
        parts.append(f"called only by an agent of the rehearsal: {_join_texts(called)}")
    if rehearsal.never_run:
        names = [f'"{unreached.node}" ({unreached.reason})' for unreached in rehearsal.never_run]
        parts.append(f"not reached: {_join_texts(names)}")
    message = f"the real nodes ran with invented answers; {'; '.join(parts)}"
    return new_diagnostic(
        REHEARSAL_EXTENT, (), message, help="check what these nodes send (grounded rehearse)"
    )


def _list_verdicts(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yields which expectations are proven, contradicted and not judged."""
    met = [_name_expectation(verdict) for verdict in verdicts if verdict.is_met]
    unmet = [_name_expectation(verdict) for verdict in verdicts if verdict.state == "unmet"]
    unjudged = [
        f"{_name_expectation(verdict)} ({verdict.miss})"
        for verdict in verdicts
        if verdict.state == "unjudged"
    ]
    for title, listed in (
        ("proven", met),
        ("not proven", unmet),
        ("expected but not judged", unjudged),
    ):
        if listed:
            yield f"{title}: {_join_texts([str(without_secrets(text)) for text in listed])}"


def _join_texts(texts: Sequence[str]) -> str:
    more = f" and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return f"{', '.join(texts[:_NAMED])}{more}"
