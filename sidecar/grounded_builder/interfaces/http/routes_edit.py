"""Serves the route that edits an existing document as a request asks."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.openapi_params import body_of, constraints_under, refusals
from grounded_builder.interfaces.http.routes_sessions import edit_setup, read_shape, take_step
from grounded_builder.interfaces.http.schemas.base import Constraints, Shape
from grounded_builder.interfaces.http.schemas.session import LONGEST_REQUEST, Answer
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.services.conversation_record import EXTERNAL, PLANNER, DraftRequest
from grounded_builder.services.edit_sessions import edit, start_edit_session
from grounded_builder.settings import MOST_ROUNDS

router = APIRouter(tags=["generate"])


class EditBody(Shape):
    """A workflow and the changes to make.

    `auto` is the configured model, or rules for plain requests without one; `planner` the rules;
    with `external` the caller runs the model, and the answer requests its reply.
    """

    workflow: dict[str, Any]
    request: str = Field(min_length=1, max_length=LONGEST_REQUEST, pattern=r"\S")
    constraints: Constraints = Field({})
    rounds: int | None = Field(None, ge=1, le=MOST_ROUNDS, description="Maximum number of drafts.")
    drafter: Literal["auto", "planner", "external"] = "auto"


@router.post(
    "/v1/{domain}/edit",
    response_model=Answer,
    responses=refusals(409, 413),
    openapi_extra=body_of(EditBody),
    dependencies=[requires("draft", "waiting")],
)
async def edit_document(domain: str, request: Request) -> Response:
    """Change a document; everything that the request does not mention stays unchanged."""
    state = state_of(request)
    state.registry(domain)
    tools = edit_setup(state, domain)
    asked = await read_shape(request, EditBody)
    drafters = {"planner": PLANNER, "external": EXTERNAL, "auto": "auto"}
    constraints = constraints_under(asked.constraints, state.switches)
    order = DraftRequest(asked.request, constraints, asked.rounds, drafters[asked.drafter])
    run = start_edit_session if asked.drafter == "external" else edit
    return await take_step(state, lambda: run(order, asked.workflow, tools), state.generations)
