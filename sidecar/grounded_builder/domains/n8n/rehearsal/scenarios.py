"""Rehearses a workflow as it is and in the scenarios of expectations, and judges all runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.expectations import Expectation, Scenario
from grounded_builder.domains.n8n.rehearsal.judge import (
    Reach,
    Verdict,
    describe_expectation,
    find_reach,
    judge_runs,
)
from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal, rehearse
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from grounded_builder.domains.n8n.rehearsal.variants import Kind, Variant
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder


@dataclass(frozen=True, slots=True)
class JudgedRehearsal:
    """The runs of a workflow and of its scenarios, with a verdict on each expectation."""

    rehearsal: Rehearsal
    verdicts: tuple[Verdict, ...]


def rehearse_expected(
    stage: Stage, order: CopyOrder, expectations: Sequence[Expectation], name: str
) -> JudgedRehearsal:
    """Runs the workflow and then each scenario, and judges the expectations.

    Raises `EditorError` where n8n does not take a copy.
    """
    reach = find_reach(order.resolved)
    plain = [item for item in expectations if item.subject != "when"]
    rehearsal = rehearse(stage, order, name)
    verdicts = list(judge_runs(plain, rehearsal.runs, reach))
    for number, item in enumerate((x for x in expectations if x.subject == "when"), 1):
        title = item.why or f"scenario {number}"
        reason = _explain_refusal(order, item, reach)
        if reason:
            verdicts += (
                Verdict(describe_expectation(inner), "unjudged", reason, scenario=title)
                for inner in item.inner
            )
            continue
        scenario = _order_of(order, item.scenario)
        made = rehearse(stage, scenario, f"{name} {number}", explores=False)
        trigger = item.content.get("trigger")
        runs = tuple(
            replace(run, variant=Variant(run.trigger, "scenario", title))
            for run in made.runs
            if trigger is None or run.trigger == trigger
        )
        faulty = frozenset(item.scenario.faults)
        judged = judge_runs(item.inner, runs, replace(reach, faulty=faulty))
        verdicts += (replace(verdict, scenario=title) for verdict in judged)
        rehearsal = _join(rehearsal, replace(made, runs=runs))
    return JudgedRehearsal(rehearsal, tuple(verdicts))


def _order_of(order: CopyOrder, scenario: Scenario) -> CopyOrder:
    return replace(
        order,
        given={**order.given, **scenario.samples},
        faults={**order.faults, **scenario.faults},
        answers={**order.answers, **scenario.answers},
        items={**order.items, **scenario.items},
    )


def _explain_refusal(order: CopyOrder, item: Expectation, reach: Reach) -> str:
    """Returns why a scenario cannot be made, "" where it can."""
    scenario = item.scenario
    for node in _list_nodes(scenario):
        if node not in reach.nodes:
            return f'the workflow has no node "{node}"'
    for edge in order.resolved.graph.edges:
        if edge.source_kind != MAIN and edge.source in scenario.items:
            return (
                f'"{edge.source}" serves another node and outputs no items; give its answer as'
                ' {"body": ...}'
            )
    return ""


def _list_nodes(scenario: Scenario) -> Iterator[str]:
    parts: Sequence[Mapping[str, object]] = (
        scenario.samples,
        scenario.items,
        scenario.answers,
        scenario.faults,
    )
    for part in parts:
        yield from part


def _join(first: Rehearsal, second: Rehearsal) -> Rehearsal:
    reached = {rehearsed.step.node for run in second.runs for rehearsed in run.steps}
    never_run = tuple(item for item in first.never_run if item.node not in reached)
    kinds: dict[str, Kind] = {**dict.fromkeys(sorted(reached), "scenario"), **first.reached}
    runs = (*first.runs, *second.runs)
    return replace(first, runs=runs, never_run=never_run, reached=kinds)
