"""Rehearses a workflow: runs a copy from each trigger, and assigns the sent requests to nodes."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from grounded_builder.domains.n8n.rehearsal.answer_server import TOO_MANY
from grounded_builder.domains.n8n.rehearsal.answers.chat_models import MOST_TOOLS
from grounded_builder.domains.n8n.rehearsal.answers.choose_answer import Answers, KnownOutputs
from grounded_builder.domains.n8n.rehearsal.answers.forms import AnswerForms, correct_forms
from grounded_builder.domains.n8n.rehearsal.coverage import Coverage, UnreachedNode
from grounded_builder.domains.n8n.rehearsal.data_tables import DataTables
from grounded_builder.domains.n8n.rehearsal.editor_client import EditorError
from grounded_builder.domains.n8n.rehearsal.exchange import Exchange
from grounded_builder.domains.n8n.rehearsal.execution import (
    WAITING,
    Execution,
    Step,
    join_executions,
    read_execution,
)
from grounded_builder.domains.n8n.rehearsal.explore import Explorer
from grounded_builder.domains.n8n.rehearsal.failure_place import place_failure
from grounded_builder.domains.n8n.rehearsal.mcp_client import (
    call_tools,
    describe_replies,
    find_error,
    plan_server,
    publish_at,
)
from grounded_builder.domains.n8n.rehearsal.open_values import FilledValue
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from grounded_builder.domains.n8n.rehearsal.stand_ins import (
    UnservedNode,
    explain_replaced,
    list_unserved,
    replace_unserved,
)
from grounded_builder.domains.n8n.rehearsal.sub_node_caller import (
    CALLER_NUMBER,
    CALLER_TYPE,
    MOST_CALLS,
    is_of_caller,
    put_caller,
)
from grounded_builder.domains.n8n.rehearsal.variants import NATURAL, Kind, Variant
from grounded_builder.domains.n8n.rehearsal.varied_copy import vary_workflow
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
from grounded_builder.domains.n8n.trial.choose_samples import samples_of
from grounded_builder.domains.n8n.trial.execution_result import Failure
from grounded_builder.domains.n8n.trial.expected_fields import read_shapes
from grounded_builder.domains.n8n.trial.samples import Sample

LIMIT_S = 30
TOTAL_S = 60
MOST_RUNS = 12
_SLACK_S = 5.0
_POLL_S = 0.03
_SLOWEST_POLL_S = 0.3
_SHOWN_ANSWER = 300
_MOST_STOPS = 3
_MOST_CORRECTIONS = 3
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

    ``variant`` says how the run differs from the workflow's own.

    ``refusal`` is n8n's reason not to run the workflow at all. ``answer`` is what the caller of a
    webhook got.
    """

    trigger: str
    execution: Execution
    steps: tuple[RehearsedStep, ...]
    loose: tuple[Exchange, ...] = ()
    refusal: str = ""
    answer: WebhookAnswer | None = None
    variant: Variant = NATURAL


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The runs of a workflow: its own, one for each trigger, and those that reach further nodes.

    ``filled`` are the open values that were filled, ``samples`` the items of the triggers.
    ``reached`` has the first kind of run that reached each node. ``bound`` is the limit that
    prevented further runs. ``unserved`` are nodes that have no server to connect to.
    """

    runs: tuple[RehearsedRun, ...]
    never_run: tuple[UnreachedNode, ...]
    filled: tuple[FilledValue, ...] = ()
    samples: Mapping[str, Sample] = field(default_factory=dict)
    reached: Mapping[str, Kind] = field(default_factory=dict)
    bound: str = ""
    unserved: tuple[UnservedNode, ...] = ()

    @property
    def natural_runs(self) -> tuple[RehearsedRun, ...]:
        """The runs of the workflow as it is."""
        return tuple(run for run in self.runs if run.variant.is_natural)


def rehearse(stage: Stage, order: CopyOrder, name: str, *, explores: bool = True) -> Rehearsal:
    """Runs a copy of the workflow from each of its triggers, and varied until all nodes ran.

    Begins no further run after ``TOTAL_S`` or ``MOST_RUNS``, and none but the workflow's own
    without ``explores``. Raises `EditorError` where n8n does not take the copy.
    """
    begin = time.monotonic()
    provide, ask = stage.provide_credential, stage.client.get_output_schema
    unserved = list_unserved(order, stage.name_unserved_protocol)
    replaced = explain_replaced(unserved, order)
    order = replace_unserved(order, unserved, ask)
    copy = copy_workflow(order, name, ask, provide, LIMIT_S)
    coverage = Coverage(order.resolved, copy.triggers, replaced)
    forms = [AnswerForms()]
    runs: list[RehearsedRun] = []

    def run(variant: Variant) -> None:
        rehearsed = _run_corrected(stage, order, copy, variant, forms)
        steps = tuple(step for step in rehearsed.steps if step.step.node not in replaced)
        own = tuple(step.step for step in steps)
        execution = replace(rehearsed.execution, steps=own)
        rehearsed = replace(rehearsed, execution=execution, steps=steps)
        senders = [step.step.node for step in rehearsed.steps if step.exchanges]
        coverage.add(variant, rehearsed.execution, senders)
        runs.append(rehearsed)

    explorer, bound = Explorer(order.resolved, copy.triggers, coverage), ""
    for trigger in copy.triggers:
        if runs and time.monotonic() - begin > TOTAL_S:
            bound = f"{TOTAL_S} s"
            coverage.leave_out(trigger, f"no run begins after {bound}")
        else:
            run(Variant(trigger))
    while explores and (variant := explorer.choose()) is not None:
        if len(runs) >= max(MOST_RUNS, len(copy.triggers) + 1):
            bound = f"{len(runs)} runs"
            break
        if time.monotonic() - begin > TOTAL_S:
            bound = f"{TOTAL_S} s"
            break
        run(variant)
    unreached = tuple(coverage.explain_unreached())
    return Rehearsal(
        tuple(runs), unreached, copy.filled, copy.samples, coverage.kinds, bound, unserved
    )


def _run_corrected(
    stage: Stage, order: CopyOrder, copy: WorkflowCopy, variant: Variant, forms: list[AnswerForms]
) -> RehearsedRun:
    """Returns a run; one whose node cannot read an invented answer is repeated with another form.

    The last of ``forms`` is what is known of the forms; a correction is added for later runs.
    """
    for _ in range(_MOST_CORRECTIONS):
        run = _run(stage, order, copy, variant, forms[-1])
        corrected = _correct_forms(order, run, forms[-1])
        if corrected is None:
            return run
        forms.append(corrected)
    return _run(stage, order, copy, variant, forms[-1])


def _correct_forms(order: CopyOrder, run: RehearsedRun, forms: AnswerForms) -> AnswerForms | None:
    failure = run.execution.failure
    if failure is None or not failure.node:
        return None
    sent = [step.exchanges for step in run.steps if step.step.node == failure.node]
    last = sent[-1][-1] if sent and sent[-1] else None
    shapes = read_shapes(order.resolved, frozenset(order.resolved.by_name))
    return correct_forms(forms, failure.message, last, shapes)


def _run(
    stage: Stage, order: CopyOrder, copy: WorkflowCopy, variant: Variant, forms: AnswerForms
) -> RehearsedRun:
    trigger, ask = variant.trigger, stage.client.get_output_schema
    copy = copy.with_values(variant.values)
    order = replace(order, faults={**variant.faults, **order.faults})
    call = server = None
    if not variant.forced and not variant.replaced and not variant.callers:
        bound = order.resolved.by_name[trigger]
        marks = [mark for mark, owner in copy.owners.items() if owner == trigger]
        call = plan_call(bound, copy.samples[trigger], marks)
        server = plan_server(bound, marks)
    if server is not None and not variant.reason:
        variant = replace(variant, reason="a client calls each tool of the server once")
    is_called = call is not None or server is not None
    workflow = copy.with_one_trigger(trigger) if is_called else copy.workflow
    if server is not None:
        workflow = publish_at(workflow, trigger, server)
    given = samples_of(order.resolved, frozenset(variant.replaced), {}, ask)
    items = {name: sample.items for name, sample in given.items()}
    workflow = vary_workflow(workflow, variant, items)
    for root, edges in variant.callers.items():
        login = stage.provide_credential(CALLER_TYPE, CALLER_NUMBER)
        workflow = put_caller(workflow, root, edges, login)
    tables = DataTables(order.resolved, copy.samples)
    made = stage.client.create_workflow(tables.make(stage.client, workflow, variant.values))
    answer, is_silent = None, False
    most = MOST_CALLS if variant.callers else MOST_TOOLS
    known = KnownOutputs(ask, stage.sources.list_fields, forms, variant.values, most, copy.filled)
    answers = Answers(order, copy.owners, known)
    stage.answers.begin(answers.answer, answers.prepare)
    try:
        if is_called:
            stage.client.publish(made)
        if server is not None:
            replies = call_tools(stage.door, server, LIMIT_S)
            answer = describe_replies(replies)
            listed = _list_calls(stage, str(made["id"]), len(replies))
            execution = join_executions([read_execution(trigger, raw) for raw in listed])
            error = execution.failure or find_error(replies, execution.steps)
            if error is not None:
                execution = replace(execution, status="error", failure=error)
        elif call is not None:
            answer = call_webhook(stage.door, call, LIMIT_S + _SLACK_S)
            execution_id = _find_execution(stage, str(made["id"]), answer)
            execution = read_execution(trigger, _wait(stage, execution_id))
        else:
            execution_id = stage.client.start(str(made["id"]), trigger)
            execution = read_execution(trigger, _wait(stage, execution_id))
    except EditorError as error:
        if error.is_silence:
            # An n8n that does not answer is replaced, and its workflows with it.
            is_silent = True
            raise
        unknown = Execution("unknown", (), None)
        return RehearsedRun(trigger, unknown, (), (), error.text, answer, variant)
    finally:
        exchanges = [item for item in stage.answers.end() if not is_of_caller(item.request)]
        if not is_silent:
            stage.client.delete_workflow(str(made["id"]))
            if tables.is_used:
                stage.client.delete_data_tables()
    if stage.answers.is_full:
        execution = replace(execution, failure=Failure("", f"the run was ended: {TOO_MANY}"))
    execution = place_failure(execution, order.resolved)
    steps, loose = _assign(execution.steps, exchanges, answers)
    steps = tuple(
        RehearsedStep(item.step, (*item.exchanges, *tables.describe(item.step))) for item in steps
    )
    return RehearsedRun(trigger, execution, steps, loose, answer=answer, variant=variant)


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


def _list_calls(stage: Stage, workflow_id: str, calls: int) -> list[Mapping[str, object]]:
    """Returns the ended executions of the calls of tools; n8n lists the last a moment later.

    Raises `EditorError` where no call started any.
    """
    deadline = time.monotonic() + _SLACK_S
    while True:
        listed = stage.client.list_executions(workflow_id, calls + 1)
        if len(listed) >= calls or time.monotonic() > deadline:
            break
        time.sleep(_POLL_S)
    if not listed:
        raise EditorError("the MCP server", "a call of its tools starts nothing", 404)
    return [_wait(stage, str(entry["id"])) for entry in reversed(listed)]


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
