"""Serves the routes of tool routing (open, reply, result, show), and its statistics."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from grounded_builder.catalog.registry import Registry
from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals
from grounded_builder.interfaces.http.request_body import (
    as_shape,
    encode_json,
    fields_of,
    json_answer,
    read_object,
)
from grounded_builder.interfaces.http.schemas.base import with_whole_texts
from grounded_builder.interfaces.http.schemas.routing import (
    RouteAnswer,
    RouteBody,
    RouteReplyBody,
    RouteStatistics,
)
from grounded_builder.interfaces.http.state import State, state_of
from grounded_builder.routing.request import RouteInput, RouteRequest
from grounded_builder.services.session_lookup import ConversationError
from grounded_builder.services.tool_routes import ToolRoutingSessions

router = APIRouter(tags=["route"])

DOMAIN = "tools"
# The result of a call may be larger than a draft, and is passed on in full.
_RESULT_BYTES = 16_000_000
_STATUS = {
    "unknown-session": (HTTPStatus.NOT_FOUND, "unknown-route"),
    "session-ended": (HTTPStatus.CONFLICT, "route-ended"),
    "stale-draft": (HTTPStatus.CONFLICT, "stale-reply"),
}


@router.post(
    "/v1/route",
    response_model=RouteAnswer,
    responses=refusals(409, 413),
    openapi_extra=body_of(RouteBody),
    dependencies=[requires("draft")],
)
async def open_route(request: Request) -> Response:
    """Open a route: messages for the model, the first call to make, or the end."""
    state = state_of(request)
    asked = await _shape(request, RouteBody)
    order = RouteRequest(
        request=asked.request,
        tools=asked.tools,
        catalog=asked.catalog,
        drafter=asked.drafter,
        rounds=asked.rounds,
        answer=asked.answer,
        forbid=tuple(asked.forbid),
        caller=asked.caller,
        parent_call=asked.parent_call,
    )
    return await _step(state, lambda routing: routing.open(order))


@router.post(
    "/v1/route/{route}/reply",
    response_model=RouteAnswer,
    responses=refusals(409, 413),
    openapi_extra=body_of(RouteReplyBody),
    dependencies=[requires("draft")],
)
async def reply_to_route(route: str, request: Request) -> Response:
    """Take the model's reply or a call's result: the next messages, the next call, or the end."""
    state = state_of(request)
    shape = await _shape(request, RouteReplyBody, _RESULT_BYTES)
    if sum(part is not None for part in (shape.reply, shape.failed, shape.result)) != 1:
        message = "exactly one of reply, failed and result is expected"
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, 'send {"reply": "..."}')
    given = RouteInput(
        reply=shape.reply,
        failed=shape.failed,
        result=None if shape.result is None else shape.result.model_dump(),
        present=None if shape.connected is None else frozenset(shape.connected),
    )
    return await _step(state, lambda routing: routing.take(route, given))


@router.get(
    "/v1/route/statistics",
    response_model=RouteStatistics,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def route_statistics(
    request: Request, limit: Annotated[int, Query(ge=1, le=500)] = 20
) -> Response:
    """The most frequent unknown tools, and the calls that fail most."""
    routing = routing_sessions(state_of(request))
    return json_answer(await asyncio.to_thread(routing.statistics, limit))


@router.get(
    "/v1/route/{route}",
    response_model=RouteAnswer,
    responses=refusals(),
    dependencies=[requires("draft")],
)
async def show_route(route: str, request: Request) -> Response:
    """Repeat the last answer of a route."""
    return await _step(state_of(request), lambda routing: dict(routing.session(route).answer))


def routing_sessions(state: State) -> ToolRoutingSessions:
    """Returns the routing sessions of this process."""

    def load_registry(fingerprint: str) -> Registry:
        active = state.registries.get(DOMAIN)
        if active is not None and fingerprint in ("", active.fingerprint):
            return active
        return state.store.registry(fingerprint) if fingerprint else state.load_registry(DOMAIN)

    return ToolRoutingSessions(state.store, state.domain(DOMAIN), load_registry, state.compiler)


async def _step(state: State, work: Callable[[ToolRoutingSessions], dict[str, Any]]) -> Response:
    routing = routing_sessions(state)

    def encode_answer() -> tuple[dict[str, Any], bytes]:
        answer = work(routing)
        return answer, encode_json(answer)

    try:
        answer, content = await state.routes.run(encode_answer)
    except ConversationError as error:
        status, code = _STATUS[error.kind]
        raise ApiError(status, code, str(error), error.help) from error
    state.counts[f"route:{answer.get('outcome', answer['status'])}"] += 1
    return Response(content, media_type="application/json")


async def _shape(request: Request, shape: type[Any], least: int = 0) -> Any:
    """Returns the body as a shape; it may have ``least`` bytes whatever the settings."""
    limit = max(least, state_of(request).settings.body_bytes)
    return as_shape(with_whole_texts(await read_object(request, limit, fields_of(shape))), shape)
