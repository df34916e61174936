"""Serves the route that runs the real nodes of a workflow and shows what they would send."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from grounded_builder.domains.n8n.rehearsal.stand_ins import State
from grounded_builder.domains.n8n.rehearsal.variants import Kind
from grounded_builder.domains.n8n.trial.execution_result import Status
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.draft_request import read_draft_request
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import encode_json
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.schemas.bodies import DiagnosticShape, PolicyBody
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.services.rehearsal import rehearsal_result_json, run_rehearsal
from grounded_builder.services.rehearsal_order import OrderError, read_order

router = APIRouter(tags=["try"])


class RehearsalRequest(Shape):
    """A `workflow`, a `plan`, or a `draft` that is one of them.

    `samples` are the items with which triggers begin: lists of JSON objects, by node name.
    `expectations` state what must happen (docs/rehearsal.md). `faults` are what nodes get in place
    of answers, by node name, such as "429" or "cut". `at` is the time of schedules, expressions and
    JavaScript, in ISO 8601. `against` is the answer to an earlier rehearsal, with which this one is
    compared.
    """

    workflow: Any = Field(None, description="A document.")
    plan: Any = Field(None, description="A plan.")
    draft: Any = Field(None, description="Any of them, or text that contains one.")
    samples: dict[str, list[dict[str, Any]]] = Field({})
    expectations: list[dict[str, Any]] = Field([])
    faults: dict[str, str] = Field({})
    at: str = ""
    against: dict[str, Any] | None = None
    policy: PolicyBody | None = None


class ExchangeShape(BaseModel):
    """A request that a node sent, without secrets, and the answer that it got.

    `source` says what the answer was made from.
    """

    method: str
    url: str
    headers: dict[str, str]
    body: Any
    status: int
    answer: Any
    source: str


class StepShape(BaseModel):
    """One run of a node: the number of its items, its requests, and n8n's error."""

    node: str
    items: int
    ms: int
    error: str
    requests: list[ExchangeShape]


class VerdictShape(BaseModel):
    """Whether an expectation is met; if not, `miss` states what happened.

    One that is not `judged` is about something that no run reached. `scenario` names the runs that
    it is about, "" for those of the workflow as it is.
    """

    expectation: str
    scenario: str
    met: bool
    judged: bool
    miss: str


class WebhookAnswerShape(BaseModel):
    """What the caller of a webhook got."""

    status: int
    content_type: str
    body: Any


class RehearsedRunShape(BaseModel):
    """A run started by one trigger.

    `variant` is "natural" for the workflow as it is, which expectations judge; further runs are
    made for the `reason`: "sample" has other values, "fault" failing services, "called" an agent
    that calls sub-nodes, "forced" other nodes in place of some, "scenario" what an expectation
    gives. `execution` is n8n's number of the execution, `started` its start in ISO 8601. `refusal`
    is the reason for which it did not run. `answer` is that of a webhook whose answer the workflow
    makes, or of all calls of an MCP server. `loose_requests` belong to no node.
    """

    trigger: str
    variant: Kind
    reason: str
    status: Status
    execution: str
    started: str
    refusal: str
    answer: WebhookAnswerShape | None
    error: dict[str, Any] | None
    steps: list[StepShape]
    loose_requests: list[ExchangeShape]


class FilledShape(BaseModel):
    """A value that the workflow leaves open, and with which it was rehearsed."""

    node: str
    parameter: str
    value: Any


class UnreachedShape(BaseModel):
    """A node that no run reached."""

    node: str
    reason: str


class UnservedShape(BaseModel):
    """A node whose protocol has no server in a rehearsal.

    One that is "replaced" gave sample items, one that is "left_out" was not there; neither ran.
    One that is "unable" ran and could not connect.
    """

    node: str
    protocol: str
    state: State


class ReachedShape(BaseModel):
    """A node that no natural run reached, and the first kind of run that did."""

    node: str
    by: Kind


class ChangeShape(BaseModel):
    """A value that differs, by its path."""

    at: str
    earlier: Any
    later: Any


class ChangedRequestShape(BaseModel):
    """A request that only one of two rehearsals sent, or that differs."""

    change: Literal["added", "removed", "changed"]
    method: str
    url: str
    body: Any
    changes: list[ChangeShape]


class ChangedNodeShape(BaseModel):
    """What differs of a node: its runs, items and error, and its requests."""

    node: str
    changes: list[ChangeShape]
    requests: list[ChangedRequestShape]


class RunNameShape(BaseModel):
    """A run, by its trigger, and the reason of a run that is not the workflow's own."""

    trigger: str
    reason: str


class ChangedRunShape(RunNameShape):
    """What differs of a run."""

    changes: list[ChangeShape]
    nodes: list[ChangedNodeShape]


class DifferenceShape(BaseModel):
    """What differs from the rehearsal in `against`.

    `left_out` counts values that are made anew in each run: times, random identifiers.
    """

    equal: bool
    runs: list[ChangedRunShape]
    removed_runs: list[RunNameShape]
    added_runs: list[RunNameShape]
    left_out: int


class RehearsalAnswer(BaseModel):
    """The result of a rehearsal; nothing of it is left.

    `refused`: the workflow is wrong and nothing was run. `unavailable`: it could not be run, for
    the `reason`. `isolated`: the kernel kept the nodes from the network, not only a proxy;
    `gaps`: what the kernel of this machine does not prevent.
    `never_run`: nodes that no run reached. `reached_only`: nodes that no natural run reached.
    `bound`: the limit after which no further run began, if one was met. `difference`: present
    where `against` was sent.
    """

    outcome: Literal["passed", "failed", "unavailable", "refused"]
    reason: str
    isolated: bool
    gaps: list[str]
    diagnostics: list[DiagnosticShape]
    errors: list[dict[str, Any]]
    runs: list[RehearsedRunShape]
    expectations: list[VerdictShape]
    never_run: list[UnreachedShape]
    reached_only: list[ReachedShape]
    unserved: list[UnservedShape]
    bound: str
    at: str
    filled_values: list[FilledShape]
    difference: DifferenceShape | None = None


@router.post(
    "/v1/n8n/rehearsal",
    response_model=RehearsalAnswer,
    responses=refusals(413),
    openapi_extra=body_of(RehearsalRequest),
    dependencies=[requires("import", "waiting")],
)
async def rehearse(request: Request) -> Response:
    """Run the real nodes in an n8n without a network, and show the requests of each."""
    state = state_of(request)
    registry = state.registry("n8n")
    sent = await read_draft_request(request, RehearsalRequest)
    try:
        order = read_order(sent.content, sent.asked.model_dump(), sent.size)
    except OrderError as error:
        raise _refuse(error) from error
    facts = (order, sent.store, registry, state.references("n8n"), state.stages, state.compiler)

    def run() -> tuple[str, bytes]:
        result = run_rehearsal(*facts)
        return result.outcome, encode_json(rehearsal_result_json(result))

    try:
        outcome, content = await state.rehearsals.run(run)
    except OrderError as error:
        raise _refuse(error) from error
    state.counts[f"rehearsal:n8n:{outcome}"] += 1
    return Response(content, media_type="application/json")


def _refuse(error: OrderError) -> ApiError:
    status, help_text = HTTPStatus.BAD_REQUEST, "docs/rehearsal.md describes the fields"
    return ApiError(status, "bad-argument", str(error), help_text, at=f"/{error.key}")
