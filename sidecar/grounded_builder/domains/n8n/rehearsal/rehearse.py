"""Rehearses a workflow: runs a copy from each trigger, and assigns the sent requests to nodes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grounded_builder.domains.n8n.rehearsal.answers.choose_answer import Answers
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.exchange import Exchange
from grounded_builder.domains.n8n.rehearsal.execution import Execution, Step, read_execution
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import (
    CopyOrder,
    WorkflowCopy,
    copy_workflow,
)
from grounded_builder.domains.n8n.trial.samples import Sample

LIMIT_S = 30
_SLACK_S = 5.0
_POLL_S = 0.03
_SLOWEST_POLL_S = 0.3
_ENDED = frozenset({"success", "error", "crashed", "canceled", "failed"})
# The clocks of the proxy and of n8n are one; n8n notes the end of a node in whole milliseconds.
_ROUNDING_MS = 2


@dataclass(frozen=True, slots=True)
class RehearsedStep:
    """One run of a node with the requests that it sent."""

    step: Step
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class RehearsedRun:
    """What one trigger started; ``loose`` are requests that belong to no node.

    ``refusal`` is n8n's reason not to run the workflow at all.
    """

    trigger: str
    execution: Execution
    steps: tuple[RehearsedStep, ...]
    loose: tuple[Exchange, ...] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The runs of a workflow, one for each trigger.

    ``filled`` are the open values that were filled, ``samples`` the items of the triggers.
    """

    runs: tuple[RehearsedRun, ...]
    never_run: tuple[str, ...]
    filled: tuple[FilledValue, ...] = ()
    samples: Mapping[str, Sample] = field(default_factory=dict)


def rehearse(stage: Stage, order: CopyOrder, name: str) -> Rehearsal:
    """Runs a copy of the workflow from each of its triggers, and deletes it.

    Raises `EditorError` where n8n does not take the copy.
    """
    provide, ask = stage.provide_credential, stage.client.get_output_schema
    copy = copy_workflow(order, name, ask, provide, LIMIT_S)
    made = stage.client.create_workflow(copy.workflow)
    try:
        runs = tuple(
            _run(stage, str(made["id"]), trigger, Answers(order, copy.owners, ask))
            for trigger in copy.triggers
        )
    finally:
        stage.client.delete_workflow(str(made["id"]))
    return Rehearsal(runs, _list_never_run(copy, runs), copy.filled, copy.samples)


def _run(stage: Stage, workflow_id: str, trigger: str, answers: Answers) -> RehearsedRun:
    stage.answers.begin(answers.answer)
    try:
        execution_id = stage.client.start(workflow_id, trigger)
        execution = read_execution(trigger, _wait(stage, execution_id))
    except EditorError as error:
        stage.answers.end()
        if error.is_silence:
            raise
        return RehearsedRun(trigger, Execution("unknown", (), None), (), refusal=error.text)
    exchanges = stage.answers.end()
    steps, loose = _assign(execution.steps, exchanges, answers)
    return RehearsedRun(trigger, execution, steps, loose)


def _wait(stage: Stage, execution_id: str) -> Mapping[str, object]:
    """Waits for the end of an execution, and stops one that takes too long."""
    deadline = time.monotonic() + LIMIT_S + _SLACK_S
    pause = _POLL_S
    while True:
        execution = stage.client.get_execution(execution_id)
        if execution.get("status") in _ENDED:
            return execution
        if time.monotonic() > deadline:
            stage.client.stop_execution(execution_id)
            deadline = time.monotonic() + _SLACK_S
        time.sleep(pause)
        pause = min(pause * 1.5, _SLOWEST_POLL_S)


def _assign(
    steps: Sequence[Step], exchanges: Sequence[Exchange], answers: Answers
) -> tuple[tuple[RehearsedStep, ...], tuple[Exchange, ...]]:
    """Returns the steps with their requests, and the requests that belong to none.

    A request belongs to the node whose credential signed it. Without one it belongs to the shortest
    step that was running when it was sent: a tool of an agent runs while the agent does.
    """
    owned: dict[int, list[Exchange]] = {}
    loose: list[Exchange] = []
    for exchange in exchanges:
        at, sender = exchange.request.at_ms, answers.name_sender(exchange.request)
        running = [
            number
            for number, step in enumerate(steps)
            if step.start_ms - _ROUNDING_MS <= at <= step.end_ms + _ROUNDING_MS
        ]
        own = [number for number in running if steps[number].node == sender] or running
        if own:
            shortest = min(own, key=lambda number: steps[number].duration_ms)
            owned.setdefault(shortest, []).append(exchange)
        else:
            loose.append(exchange)
    rehearsed = (
        RehearsedStep(step, tuple(owned.get(number, ()))) for number, step in enumerate(steps)
    )
    return tuple(rehearsed), tuple(loose)


def _list_never_run(copy: WorkflowCopy, runs: Sequence[RehearsedRun]) -> tuple[str, ...]:
    reached = {rehearsed.step.node for run in runs for rehearsed in run.steps}
    names = [str(node["name"]) for node in copy.workflow["nodes"]]
    return tuple(name for name in names if name not in reached)
