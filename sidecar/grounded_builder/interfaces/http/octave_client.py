"""Adapts answers and bodies for clients such as Octave: status 200 always, JSON in form fields.

A client that sends the form field ``payload`` (a JSON text), or identifies as ``grounded-matlab``,
always gets status 200 with a field ``ok``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from grounded_builder.interfaces.http.access import admit_request
from grounded_builder.interfaces.http.client_capabilities import is_form, is_plain
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.request_body import (
    decode_body,
    fields_of,
    json_answer,
    payload_of,
    read_body,
)
from grounded_builder.interfaces.http.schemas.base import fault_message, first_fault
from grounded_builder.storage import Scope

# A larger form is decoded in a thread, because that takes a while.
_READ_AT_ONCE = 200_000


async def always_200(
    request: Request,
    scope: Scope,
    work: Callable[[], Awaitable[Mapping[str, Any]]],
    empty: Mapping[str, Any],
) -> Response:
    """Returns the result of the work with ``ok``; ``empty`` is added to an error in a
    200 answer.
    """
    try:
        await admit_request(request, scope, "waiting")
        content = await work()
    except ApiError as error:
        if not is_plain(request):
            raise
        facts = {"code": error.code, "message": str(error), "help": error.help or ""}
        return json_answer({"ok": False, **empty, "error": facts})
    return json_answer({"ok": True, **content})


async def read_shaped(request: Request, shape: type[BaseModel], limit: int) -> Any:
    """Returns the body as this shape, from JSON or from the form field."""
    body = await decode_body(await json_text(request, limit), fields_of(shape))
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        fault = first_fault(error)
        at = "/" + "/".join(str(part) for part in fault["loc"])
        raise ApiError(
            HTTPStatus.BAD_REQUEST, "bad-argument", fault_message(fault), at=at
        ) from error


async def json_text(request: Request, limit: int) -> bytes:
    """Returns the JSON text of a body, sent directly or in the form field."""
    raw = await read_body(request, limit)
    if not is_form(request):
        return raw
    if len(raw) > _READ_AT_ONCE:
        return await asyncio.to_thread(payload_of, raw)
    return payload_of(raw)
