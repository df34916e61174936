"""Rehearses a workflow: runs a copy from each trigger, and assigns the sent requests to nodes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grounded_builder.domains.n8n.rehearsal.answer_server import TOO_MANY
from grounded_builder.domains.n8n.rehearsal.answers.choose_answer import Answers
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.exchange import Exchange
from grounded_builder.domains.n8n.rehearsal.execution import (
    WAITING,
    Execution,
    Step,
    read_execution,
)
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from grounded_builder.domains.n8n.rehearsal.webhook_call import (
    WebhookAnswer,
    call_webhook,
    plan_call,
)
from grounded_builder.domains.n8n.rehearsal.workflow_copy import (
    CopyOrder,
    WorkflowCopy,
    copy_workflow,
)
from grounded_builder.domains.n8n.trial.execution_result import Failure
from grounded_builder.domains.n8n.trial.samples import Sample

LIMIT_S = 30
_SLACK_S = 5.0
_POLL_S = 0.03
_SLOWEST_POLL_S = 0.3
_SHOWN_ANSWER = 300
_MOST_STOPS = 3
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

    ``refusal`` is n8n's reason not to run the workflow at all. ``answer`` is what the caller of a
    webhook got.
    """

    trigger: str
    execution: Execution
    steps: tuple[RehearsedStep, ...]
    loose: tuple[Exchange, ...] = ()
    refusal: str = ""
    answer: WebhookAnswer | None = None


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
    runs = tuple(_run(stage, order, copy, trigger) for trigger in copy.triggers)
    return Rehearsal(runs, _list_never_run(copy, runs), copy.filled, copy.samples)


def _run(stage: Stage, order: CopyOrder, copy: WorkflowCopy, trigger: str) -> RehearsedRun:
    marks = [mark for mark, owner in copy.owners.items() if owner == trigger]
    call = plan_call(order.resolved.by_name[trigger], copy.samples[trigger], marks)
    workflow = copy.workflow if call is None else copy.with_one_trigger(trigger)
    made = stage.client.create_workflow(workflow)
    answer = None
    answers = Answers(order, copy.owners, stage.client.get_output_schema)
    stage.answers.begin(answers.answer)
    try:
        if call is None:
            execution_id = stage.client.start(str(made["id"]), trigger)
        else:
            stage.client.publish(made)
            answer = call_webhook(stage.door, call, LIMIT_S + _SLACK_S)
            execution_id = _find_execution(stage, str(made["id"]), answer)
        execution = read_execution(trigger, _wait(stage, execution_id))
    except EditorError as error:
        if error.is_silence:
            raise
        return RehearsedRun(
            trigger, Execution("unknown", (), None), (), refusal=error.text, answer=answer
        )
    finally:
        exchanges = stage.answers.end()
        stage.client.delete_workflow(str(made["id"]))
    if stage.answers.is_full:
        execution = replace(execution, failure=Failure("", f"the run was ended: {TOO_MANY}"))
    steps, loose = _assign(execution.steps, exchanges, answers)
    return RehearsedRun(trigger, execution, steps, loose, answer=answer)


def _find_execution(stage: Stage, workflow_id: str, answer: WebhookAnswer | None) -> str:
    """Returns the id of the execution that a call started; raises EditorError without one."""
    listed = stage.client.list_executions(workflow_id)
    if not listed:
        text = "no answer"
        if answer is not None:
            body = answer.body.decode("utf-8", "replace")
            text = f"{answer.status} {body}"[:_SHOWN_ANSWER]
        raise EditorError("the webhook", f"a call of the webhook starts nothing: {text}", 404)
    return str(listed[-1]["id"])


def _wait(stage: Stage, execution_id: str) -> Mapping[str, object]:
    """Waits for the end of an execution, and stops one that waits itself or takes too long."""
    deadline = time.monotonic() + LIMIT_S + _SLACK_S
    pause, stops = _POLL_S, 0
    while True:
        execution = stage.client.get_execution(execution_id)
        if execution.get("status") in _ENDED or stops > _MOST_STOPS:
            return execution
        if execution.get("status") == WAITING:
            stage.client.stop_execution(execution_id)
            return execution
        if time.monotonic() > deadline or stage.answers.is_full:
            stage.client.stop_execution(execution_id)
            deadline, stops = time.monotonic() + _SLACK_S, stops + 1
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
