"""Answer clients that read nothing but the body of a success, such as Octave.

A client that sends the form field ``payload`` (a JSON text), or calls itself ``grounded-matlab``,
is answered 200 with ``ok`` whatever happens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from grounded_builder.interfaces.http.access import admitted
from grounded_builder.interfaces.http.client_capabilities import is_form, is_plain
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.request_body import (
    decode_body,
    fields_of,
    json_answer,
    payload_of,
    read_body,
)
from grounded_builder.interfaces.http.schemas.base import first_fault, said_of
from grounded_builder.storage import Scope

# A larger form is read in a thread: its marks take a while to be counted out.
_READ_AT_ONCE = 200_000


async def always_200(
    request: Request,
    scope: Scope,
    work: Callable[[], Awaitable[Mapping[str, Any]]],
    empty: Mapping[str, Any],
) -> Response:
    """Returns what the work comes to with ``ok``; ``empty`` stands beside an error that is told in
    200.
    """
    try:
        await admitted(request, scope, "waiting")
        content = await work()
    except ApiError as error:
        if not is_plain(request):
            raise
        entries = {"code": error.code, "message": str(error), "help": error.help or ""}
        return json_answer({"ok": False, **empty, "error": entries})
    return json_answer({"ok": True, **content})


async def shaped(request: Request, shape: type[BaseModel], limit: int) -> Any:
    """Returns the body as this shape, whether it came as JSON or in the form field."""
    body = await decode_body(await json_text(request, limit), fields_of(shape))
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        fault = first_fault(error)
        at = "/" + "/".join(str(part) for part in fault["loc"])
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", said_of(fault), at=at) from error


async def json_text(request: Request, limit: int) -> bytes:
    """Returns the JSON text of a body, whether it came as such or in the form field."""
    raw = await read_body(request, limit)
    if not is_form(request):
        return raw
    if len(raw) > _READ_AT_ONCE:
        return await asyncio.to_thread(payload_of, raw)
    return payload_of(raw)
