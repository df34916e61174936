"""Converts trial reports to diagnostics at the original nodes, and derives the trial's outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic, sorted_unique
from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expressions.texts import collect_texts
from grounded_builder.domains.n8n.trial.execution_result import Failure, NodeRun, Report
from grounded_builder.domains.n8n.trial.node_role import STOP
from grounded_builder.domains.n8n.trial.nodes import ROUNDS
from grounded_builder.domains.n8n.trial.run import UNCLEAR_RUN, Conduct
from grounded_builder.domains.n8n.trial.samples import CERTAIN
from grounded_builder.domains.n8n.trial.sandbox_copy import RUN_S, Cast, SandboxCopy

FAILED_RUN = Rule.wrong(
    "N8N601", "failed-run", "ExecutionError", "A node fails when the workflow runs."
)
FAILED_ON_SAMPLE = Rule.advice(
    "N8N602", "failed-on-sample", "ExecutionError", "A node fails on sample data."
)
UNFINISHED_RUN = Rule.advice(
    "N8N603", "unfinished-run", "ExecutionError", "A trial run exceeded its time limit."
)
TRIAL_EXTENT = Rule.info("N8N606", "trial-extent", "A trial ran, with stand-ins for some nodes.")

_NAMED = 4
_ENDLESS = "check whether the loop ends by itself: sample items do not change from round to round"


def findings(done: Conduct, cast: Cast, replica: SandboxCopy) -> tuple[Diagnostic, ...]:
    """Returns all findings of a trial, sorted and without duplicates."""
    diagnostics = [
        *done.trouble,
        *(_place_in_original(refusal, cast, replica) for refusal in done.refusals),
    ]
    for report in done.reports:
        diagnostics += _findings_of(report, cast, replica)
    return sorted_unique(diagnostics)


def extent_finding(reports: Sequence[Report], stood_in: Sequence[str]) -> Diagnostic | None:
    """Returns what a trial ran and what it cannot prove; None where nothing ran."""
    if not reports:
        return None
    starts = {report.start for report in reports}
    stood_in = [name for name in stood_in if name not in starts]
    ran = {run.node for report in reports for run in report.ran}.difference(stood_in)
    message = f"a copy of the workflow ran {len(ran)} {'node' if len(ran) == 1 else 'nodes'}"
    if not stood_in:
        return new_diagnostic(TRIAL_EXTENT, (), message)
    named = ", ".join(f'"{name}"' for name in stood_in[:_NAMED])
    more = f" and {len(stood_in) - _NAMED} more" if len(stood_in) > _NAMED else ""
    message += f"; stand-ins replaced {named}{more}, whose contents are not proven"
    return new_diagnostic(TRIAL_EXTENT, (), message, help="check what these nodes send")


def without_added_nodes(reports: Iterable[Report], replica: SandboxCopy) -> tuple[Report, ...]:
    """Returns the reports without the nodes that the trial itself added."""
    return tuple(
        replace(report, ran=tuple(ran for ran in report.ran if ran.node not in replica.owner))
        for report in reports
    )


def never_run(reports: Sequence[Report], cast: Cast) -> tuple[str, ...]:
    """Returns the nodes that no run reached."""
    reached = {ran.node for report in reports for ran in report.ran}
    return tuple(
        bound.node.name
        for bound in cast.resolved.nodes
        if cast.kind(bound.node.name) != "leave" and bound.node.name not in reached
    )


def _findings_of(report: Report, cast: Cast, replica: SandboxCopy) -> Iterator[Diagnostic]:
    if report.status == "stopped":
        message = (
            f'the run started by "{report.start}" did not end within {RUN_S} s and was stopped'
        )
        route = cast.resolved.by_name[report.start].node.at
        yield new_diagnostic(UNFINISHED_RUN, route, message, help=_ENDLESS, node=report.start)
    elif report.status == "unknown":
        message = f'n8n does not report how the run started by "{report.start}" ended'
        yield new_diagnostic(UNCLEAR_RUN, (), message, help="read n8n's log")
    elif report.failure is not None:
        yield from _failure_finding(report, report.failure, cast, replica)
    for ran in report.ran:
        if ran.node in replica.rounds and ran.runs >= ROUNDS:
            name = replica.owner[ran.node]
            message = f'the loop back to "{name}" did not end in {ROUNDS} rounds and was cut'
            route = cast.resolved.by_name[name].node.at
            yield new_diagnostic(UNFINISHED_RUN, route, message, help=_ENDLESS, node=name)


def _failure_finding(
    report: Report, failure: Failure, cast: Cast, replica: SandboxCopy
) -> Iterator[Diagnostic]:
    name = replica.owner.get(failure.node, failure.node)
    bound = cast.resolved.by_name.get(name)
    is_own = failure.node == name
    if (
        bound is None
        or (cast.kind(name) in ("start", "pass"))
        or (is_own and cast.kind(name) == "stand-in")
    ):
        message = f'the stand-in for "{name}" failed: {failure.message}'
        yield new_diagnostic(
            UNCLEAR_RUN, bound.node.at if bound else (), message, help="give other samples"
        )
        return
    if bound.node.tool == STOP:
        return  # the node is meant to stop with an error
    made_up = _made_up(name, report.ran, cast)
    route: Route = bound.node.at
    if is_own and failure.parameter in bound.node.params:
        route = (*route, "parameters", failure.parameter)
    if not made_up:
        message = f'"{name}" fails when the workflow runs: {failure.message}'
        yield new_diagnostic(FAILED_RUN, route, message, help="correct the node", node=name)
        return
    shown = ", ".join(f'"{each}"' for each in made_up[:_NAMED])
    message = f'"{name}" fails on sample data of {shown}: {failure.message}'
    hint = "make it accept other items too, or give samples like the real ones"
    yield new_diagnostic(FAILED_ON_SAMPLE, route, message, help=hint, node=name)


def _made_up(name: str, ran: Sequence[NodeRun], cast: Cast) -> list[str]:
    """Returns the nodes with made-up items whose data a node may have received in a run."""
    before: dict[str, set[str]] = {}
    for edge in cast.resolved.graph.edges:
        if edge.source_kind == MAIN:
            before.setdefault(edge.target, set()).add(edge.source)
    names = [ran_node.node for ran_node in ran]
    seen, stack = {name}, [name]
    while stack:
        here = stack.pop()
        for source in before.get(here, set()) | _mentioned_nodes(here, cast):
            if source not in seen:
                seen.add(source)
                stack.append(source)
    return [
        text
        for text in names
        if text in seen and text in cast.samples and cast.samples[text].origin not in CERTAIN
    ]


def _mentioned_nodes(name: str, cast: Cast) -> set[str]:
    bound = cast.resolved.by_name.get(name)
    if bound is None or bound.spec is None:
        return set()
    texts = [text.value for text in collect_texts(bound)]
    return {other for other in cast.resolved.by_name if any(other in text for text in texts)}


def _place_in_original(diagnostic: Diagnostic, cast: Cast, replica: SandboxCopy) -> Diagnostic:
    """Returns a refusal of the copy, placed at the node of the original workflow."""
    name = replica.owner.get(diagnostic.node or "", diagnostic.node or "")
    bound = cast.resolved.by_name.get(name)
    return replace(diagnostic, at=bound.node.at if bound else (), node=name or None)


def outcome_of(done: Conduct, diagnostics: Iterable[Diagnostic]) -> str:
    """Returns the outcome of a trial: passed, failed (on samples or for certain), or unfinished."""
    rules = {diagnostic.rule for diagnostic in diagnostics}
    if done.refusals or rules & {FAILED_RUN, FAILED_ON_SAMPLE}:
        return "failed"
    if done.trouble or rules & {UNFINISHED_RUN, UNCLEAR_RUN}:
        return "unfinished" if done.reports else "untried"
    return "passed"
