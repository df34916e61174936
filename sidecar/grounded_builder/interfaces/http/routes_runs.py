"""Serves the routes that list and show recorded generations."""

from __future__ import annotations

import asyncio
import dataclasses
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import refusals
from grounded_builder.interfaces.http.request_body import json_answer
from grounded_builder.interfaces.http.schemas.base import Shape, with_fields_of
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage import runs

router = APIRouter(tags=["runs"])


@with_fields_of(runs.RunLine)
class RunShape(Shape):
    """A generation in short; `outcome` is null while it is open or abandoned."""


class Runs(Shape):
    """The newest generations; pass the last `id` as `before` for the next page."""

    runs: list[RunShape]


class RunDraftShape(Shape):
    """One draft: the prompt, the raw reply, and its compilation.

    `failed` is the reason why no reply arrived; `ms` is the compile time alone, `tokens` the
    estimated tokens of prompt and reply.
    """

    number: int
    drafter: str
    messages: Any
    tokens: int
    reply: str | None
    failed: str | None
    parsed: Any
    resolved: Any
    resolutions: Any
    verdict: str | None
    diagnostics: Any
    ms: int
    at: str


class RunDetail(RunShape):
    """A generation in full; `shown` are the tools in its prompt, `result` is its answer.

    `prompt` accounts for the first prompt: its estimated tokens and their budget, the services in
    the request, the tools omitted or shortened for space, the names listed as absent, the runs used
    as examples, and whether the request was cut.
    """

    constraints: Any
    prompt_version: str
    shown: list[str]
    prompt: dict[str, Any] | None
    drafts: list[RunDraftShape]
    result: Any


@router.get(
    "/v1/runs",
    response_model=Runs,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def list_runs(
    request: Request,
    limit: Annotated[int, Query(ge=1, le=500)] = 20,
    before: Annotated[str, Query(max_length=26)] = "",
) -> Response:
    """The newest generations."""
    engine = state_of(request).store.engine
    lines = await asyncio.to_thread(runs.list_runs, engine, limit, before)
    return json_answer({"runs": [dataclasses.asdict(line) for line in lines]})


@router.get(
    "/v1/runs/{run}",
    response_model=RunDetail,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def show_run(run: str, request: Request) -> Response:
    """One generation with every prompt, reply and verdict."""
    recorded = await asyncio.to_thread(runs.get_run, state_of(request).store.engine, run[:27])
    if recorded is None:
        message = f"there is no run {run[:40]!r}"
        help_text = "GET /v1/runs lists them"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-run", message, help_text)
    return json_answer(recorded.as_json())
