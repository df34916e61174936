"""Serves the routes by which admins list, create and delete tokens."""

from __future__ import annotations

import asyncio
from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from grounded_builder.interfaces.http.access import requires
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.openapi_params import body_of, refusals, switches_of
from grounded_builder.interfaces.http.request_body import (
    as_shape,
    fields_of,
    json_answer,
    read_object,
)
from grounded_builder.interfaces.http.schemas import bodies as shapes
from grounded_builder.interfaces.http.state import state_of
from grounded_builder.storage.tokens import LastAdminError, PolicyOfAdminError

router = APIRouter(tags=["tokens"], dependencies=[requires("admin")])

_SMALL_BODY = 10_000


@router.get("/v1/tokens", response_model=shapes.Tokens, responses=refusals())
async def list_tokens(request: Request) -> Response:
    """All tokens, without the token texts."""
    listed = await asyncio.to_thread(state_of(request).store.tokens)
    return json_answer({"tokens": [token.as_json() for token in listed]})


@router.post(
    "/v1/tokens",
    status_code=HTTPStatus.CREATED,
    response_model=shapes.MadeToken,
    responses=refusals(413),
    openapi_extra=body_of(shapes.TokenBody),
)
async def make_token(request: Request) -> Response:
    """Create a token; it is shown only once."""
    state = state_of(request)
    wanted = await read_object(request, _SMALL_BODY, fields_of(shapes.TokenBody))
    body = as_shape(wanted, shapes.TokenBody)
    switches = switches_of(body.policy)
    try:
        token, text = await asyncio.to_thread(
            state.store.make_token, body.label, body.scopes, switches
        )
    except PolicyOfAdminError as error:
        raise ApiError(
            HTTPStatus.BAD_REQUEST, error.code, str(error), error.help, at="/policy"
        ) from error
    await asyncio.to_thread(state.refresh)
    return json_answer({**token.as_json(), "token": text}, HTTPStatus.CREATED)


@router.delete("/v1/tokens/{token_id}", status_code=HTTPStatus.NO_CONTENT, responses=refusals(409))
async def drop_token(token_id: str, request: Request) -> Response:
    """Remove a token; the last one of an admin stays."""
    state = state_of(request)
    try:
        dropped = await asyncio.to_thread(state.store.drop_token, token_id)
    except LastAdminError as error:
        raise ApiError(HTTPStatus.CONFLICT, error.code, str(error), error.help) from error
    if not dropped:
        message = f"there is no token {token_id[:60]!r}"
        raise ApiError(HTTPStatus.NOT_FOUND, "unknown-token", message, "GET /v1/tokens lists them")
    await asyncio.to_thread(state.refresh)
    return Response(status_code=HTTPStatus.NO_CONTENT)
