"""Serves the route that runs a copy of a workflow in n8n that reaches nothing outside."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from grounded_builder.domains.n8n.trial.execution_result import NodeRun, Status
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.draft_request import read_draft_request
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import encode_json
from grounded_builder.interfaces.http.schemas.base import Shape
from grounded_builder.interfaces.http.schemas.bodies import DiagnosticShape, PolicyBody
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.services.trial_run import Trial, run_trial, trial_json

router = APIRouter(tags=["try"])


class TrialRequest(Shape):
    """A `workflow`, a `plan`, or a `draft` that is one of them.

    `samples` are the items of nodes that are not run: lists of JSON objects, by node name. Without
    samples they are pinned data, n8n's schemas, or made up.
    """

    workflow: Any = Field(None, description="A document.")
    plan: Any = Field(None, description="A plan.")
    draft: Any = Field(None, description="Any of them, or text that contains one.")
    samples: dict[str, list[dict[str, Any]]] = Field({})
    policy: PolicyBody | None = None


class RunShape(BaseModel):
    """The run started by one trigger."""

    start: str
    status: Status
    ran: list[NodeRun]


class StoodInShape(BaseModel):
    """A node that was not run: the reason, and the origin of its items."""

    node: str
    why: str
    sample: Literal["given", "pinned", "known", "schema", "read", "plain"]


class TrialAnswer(BaseModel):
    """The result of a trial; nothing of it is left in n8n, or a diagnostic reports it.

    `refused`: the workflow is wrong and nothing was sent. `untried`: n8n could not run it.
    `never_run`: nodes that no run reached.
    """

    outcome: Literal["passed", "failed", "unfinished", "untried", "refused"]
    diagnostics: list[DiagnosticShape]
    errors: list[dict[str, Any]]
    runs: list[RunShape]
    stood_in: list[StoodInShape]
    never_run: list[str]


@router.post(
    "/v1/n8n/trial",
    response_model=TrialAnswer,
    responses=refusals(413),
    openapi_extra=body_of(TrialRequest),
    dependencies=[requires("import", "waiting")],
)
async def trial(request: Request) -> Response:
    """Run a copy that reaches nothing outside of n8n, and report where it fails."""
    state = state_of(request)
    registry = state.registry("n8n")
    sent = await read_draft_request(request, TrialRequest)
    order = Trial(sent.content, sent.asked.samples, sent.size)
    facts = (order, sent.store, registry, state.references("n8n"), state.compiler)

    def try_workflow() -> tuple[str, bytes]:
        result = run_trial(*facts)
        return result.outcome, encode_json(trial_json(result))

    outcome, content = await state.trials.run(try_workflow)
    state.counts[f"trial:n8n:{outcome}"] += 1
    return Response(content, media_type="application/json")
