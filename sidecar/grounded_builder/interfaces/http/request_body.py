"""Read request bodies within bounds of size, time and nesting."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any, BinaryIO
from urllib.parse import parse_qs

import orjson
from pydantic import BaseModel
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from grounded_builder.diagnostics.json_kind import kind_in_words
from grounded_builder.interfaces.http.errors import ApiError

_BODY_S = 60.0
_FILE_S = 600.0
# A client that is still sending does not listen: a body a little too large is read to its end.
_DRAINED = 64_000_000
_TOO_DEEP = ("depth", "ecursion")


async def read_body(request: Request, limit: int) -> bytes:
    """A body of at most ``limit`` bytes; ApiError when it is larger or slow."""
    parts: list[bytes] = []
    async with _in_time(_BODY_S):
        await _pump(request, limit, parts.append)
    return b"".join(parts)


async def read_file(request: Request, limit: int, target: BinaryIO) -> None:
    """Write a body of at most ``limit`` bytes to a file as it arrives."""
    async with _in_time(_FILE_S):
        await _pump(request, limit, target.write)


WORKFLOW = 'send {"workflow": {...}}; text that holds JSON goes into {"draft": "..."}'


def fields_of(shape: type[BaseModel]) -> str:
    """What to send for a body of this shape."""
    return f"send one JSON object with {', '.join(shape.model_fields)}"


def decode_object(body: bytes, sends: str = "send one JSON object") -> dict[str, Any]:
    """The JSON object in these bytes; ApiError says why it is none, and by ``sends`` what to do."""
    status = HTTPStatus.BAD_REQUEST
    if not body.strip():
        raise ApiError(status, "empty-body", "the body is empty", sends)
    try:
        value = _loaded(body)
    except orjson.JSONDecodeError as error:
        if any(word in error.msg for word in _TOO_DEEP):
            message = "the body is nested too deep to be read"
            raise ApiError(status, "too-deep", message, "flatten the document") from error
        message = f"the body is not JSON: {error.msg}"
        at = f"line {error.lineno}, column {error.colno}"
        raise ApiError(status, "not-json", message, sends, at=at) from error
    if not isinstance(value, dict):
        message = f"the body is {kind_in_words(value)}, not an object"
        raise ApiError(status, "not-an-object", message, sends)
    return value


def payload_of(raw: bytes) -> bytes:
    """Returns the JSON text in the form field ``payload``."""
    fields = parse_qs(raw.decode("utf-8", "replace"), max_num_fields=4)
    text = (fields.get("payload") or [""])[0]
    if not text.strip():
        message = "the form has no field payload"
        raise ApiError(HTTPStatus.BAD_REQUEST, "empty-body", message, "send payload={...}")
    return text.encode()


def json_answer(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """A JSON response."""
    return Response(encoded(value), status, media_type="application/json")


def encoded(value: Any) -> bytes:
    """JSON bytes; numbers and texts that orjson cannot write go the slow way."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value).encode()


def _loaded(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # Half an emoji: n8n stores such text, and so JavaScript takes it.
        if "surrogate" not in error.msg:
            raise
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise error from None


async def _pump(request: Request, limit: int, write: Callable[[bytes], object]) -> None:
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limit + _DRAINED:
        raise _too_large(limit)
    size = 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit + _DRAINED:
                raise _too_large(limit)
            if size <= limit:
                write(chunk)
    except ClientDisconnect as error:
        message = "the client went away while sending"
        raise ApiError(HTTPStatus.BAD_REQUEST, "cut-off", message) from error
    if size > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> ApiError:
    message = f"the body is larger than {limit:,} bytes"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    return ApiError(status, "too-large", message, "send less, or raise the limit in the settings")


@contextlib.asynccontextmanager
async def _in_time(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        message = f"the body did not arrive within {seconds:.0f} s"
        raise ApiError(HTTPStatus.REQUEST_TIMEOUT, "too-slow", message) from error
