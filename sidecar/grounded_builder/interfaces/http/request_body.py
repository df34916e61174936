"""Reads, limits and validates request bodies (JSON, files, forms), and encodes JSON answers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, BinaryIO, TypeVar
from urllib.parse import unquote_to_bytes

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from grounded_builder.compiler.parse import count_marks, holds_more_values
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.diagnostics.json_texts import dump_json
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.schemas.base import fault_message, first_fault

_BODY_S = 60.0
_FILE_S = 600.0
# A client that is still sending reads no answer: a body a little too large is read to its end.
_DRAINED = 64_000_000
_TOO_DEEP = ("depth", "ecursion")
# Decoding more would block the process for longer than a health check may take: the interpreter
# decodes JSON in one piece. The largest of 2,000 published workflows has 47,000 values.
MOST_VALUES = 150_000
# A larger body is counted and decoded in a thread.
_DECODED_AT_ONCE = 65_536
_PAYLOAD = b"payload="
_MOST_FIELDS = 4
# A form escape has three bytes; chunks never cut one.
_FORM_CHUNK = 65_536
_ESCAPE_BYTES = 3

_Shape = TypeVar("_Shape", bound=BaseModel)


async def read_body(request: Request, limit: int) -> bytes:
    """Returns a body of at most ``limit`` bytes; raises ApiError when it is larger or slow."""
    parts: list[bytes] = []
    async with _within_time(_BODY_S):
        await _read_chunks(request, limit, parts.append)
    return b"".join(parts)


async def read_file(request: Request, limit: int, target: BinaryIO) -> None:
    """Writes a body of at most ``limit`` bytes to a file as it arrives."""
    async with _within_time(_FILE_S):
        await _read_chunks(request, limit, target.write)


WORKFLOW = 'send {"workflow": {...}}; text that holds JSON goes into {"draft": "..."}'


def fields_of(shape: type[BaseModel]) -> str:
    """Returns the help on the fields of a body of this shape."""
    return f"send one JSON object with {', '.join(shape.model_fields)}"


async def read_object(
    request: Request, limit: int, sends: str = "send one JSON object"
) -> dict[str, Any]:
    """Returns the JSON object in a body of at most ``limit`` bytes; raises ApiError without one.

    ``sends`` is the help on what to send.
    """
    return await decode_body(await read_body(request, limit), sends)


async def decode_body(raw: bytes, sends: str = "send one JSON object") -> dict[str, Any]:
    """Returns the JSON object in these bytes; other requests are answered meanwhile."""
    if len(raw) <= _DECODED_AT_ONCE:
        return decode_object(raw, sends)
    return await asyncio.to_thread(decode_object, raw, sends)


def decode_object(
    body: bytes, sends: str = "send one JSON object", most_values: int = MOST_VALUES
) -> dict[str, Any]:
    """Returns the JSON object in these bytes; raises ApiError, with the help ``sends``, without
    one.

    A body of more than ``most_values`` is not decoded.
    """
    expect_few_values(body, most_values)
    status = HTTPStatus.BAD_REQUEST
    if not body.strip():
        raise ApiError(status, "empty-body", "the body is empty", sends)
    try:
        value = _load(body)
    except orjson.JSONDecodeError as error:
        if any(word in error.msg for word in _TOO_DEEP):
            message = "the body is nested too deep to be read"
            raise ApiError(status, "too-deep", message, "flatten the document") from error
        message = f"the body is not JSON: {error.msg}"
        at = f"line {error.lineno}, column {error.colno}"
        raise ApiError(status, "not-json", message, sends, at=at) from error
    if not isinstance(value, dict):
        message = f"the body is {name_json_kind(value)}, not an object"
        raise ApiError(status, "not-an-object", message, sends)
    return value


def as_shape(
    body: Mapping[str, Any],
    shape: type[_Shape],
    messages: Mapping[str, Mapping[str, str]] | None = None,
) -> _Shape:
    """Returns a body as a shape; raises ApiError at its first value that does not match.

    ``messages`` replace those of pydantic, by the JSON pointer of the value and the fault's type.
    """
    try:
        return shape.model_validate(body)
    except ValidationError as error:
        fault = first_fault(error)
        at = "/" + "/".join(str(part) for part in fault["loc"])
        message = (messages or {}).get(at, {}).get(fault["type"], fault_message(fault))
        raise ApiError(HTTPStatus.BAD_REQUEST, "bad-argument", message, at=at) from error


def expect_few_values(body: bytes, most: int = MOST_VALUES, *, in_strings: bool = False) -> None:
    """Raises ApiError for a JSON text of more than ``most`` values, without decoding it.

    With ``in_strings`` the values inside strings count too, as these are decoded in their turn.
    """
    if count_marks(body) > most if in_strings else holds_more_values(body, most):
        message = f"the body has more than {most:,} values: commas, lists and objects"
        status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        raise ApiError(status, "too-many-values", message, "send a smaller document")


def payload_of(raw: bytes) -> bytes:
    """Returns the JSON text in the form field ``payload``."""
    fields = raw.split(b"&", _MOST_FIELDS)
    text = next((field[len(_PAYLOAD) :] for field in fields if field.startswith(_PAYLOAD)), b"")
    decoded = b"".join(map(unquote_to_bytes, _form_chunks(text.replace(b"+", b" "))))
    if not decoded.strip():
        message = "the form has no field payload"
        raise ApiError(HTTPStatus.BAD_REQUEST, "empty-body", message, "send payload={...}")
    return decoded


def _form_chunks(text: bytes) -> Iterator[bytes]:
    """Cuts the text of a form field into chunks between its escapes.

    Decoding an escape takes twenty times its bytes in memory.
    """
    start = 0
    while start < len(text):
        end = start + _FORM_CHUNK
        cut = text.rfind(b"%", end - _ESCAPE_BYTES + 1, end)
        end = end if cut < 0 else cut
        yield text[start:end]
        start = end


def json_answer(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Returns a JSON response."""
    return Response(encode_json(value), status, media_type="application/json")


def encode_json(value: Any) -> bytes:
    """Returns the bytes of a value as JSON."""
    return dump_json(value).encode()


def _load(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # Half an emoji: JavaScript accepts such text, and n8n stores it.
        if "surrogate" not in error.msg:
            raise
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise error from None


async def _read_chunks(request: Request, limit: int, write: Callable[[bytes], object]) -> None:
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
async def _within_time(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        message = f"the body did not arrive within {seconds:.0f} s"
        raise ApiError(HTTPStatus.REQUEST_TIMEOUT, "too-slow", message) from error
