"""Describes error answers and bodies for OpenAPI; reads policy switches and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel

from grounded_builder.drafting.constraints import narrow_constraints
from grounded_builder.interfaces.http.errors import ApiError
from grounded_builder.interfaces.http.schemas.bodies import Error
from grounded_builder.ir.options import Switches, SwitchesError, read_switches

_ALWAYS = (400, 401, 403, 404, 422, 429, 503)


def refusals(*more: int) -> dict[int | str, dict[str, Any]]:
    """Returns the error answers that a route may give."""
    return {status: {"model": Error} for status in sorted({*_ALWAYS, *more})}


def body_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Returns the description of a JSON body that the route reads itself, within its own bounds."""
    schema = shape.model_json_schema()
    schema = _inline(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _inline(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """Returns a schema with referenced shapes inlined: the document defines only its own
    components.
    """
    if isinstance(schema, list):
        return [_inline(part, shapes) for part in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in shapes:
        return _inline(shapes[name], shapes)
    return {key: _inline(value, shapes) for key, value in schema.items()}


def switches_of(given: Any) -> Switches:
    """Returns the policy switches of a request or a token; raises ApiError for a
    malformed value.
    """
    value = given.model_dump(exclude_none=True) if isinstance(given, BaseModel) else given
    try:
        return read_switches({} if value is None else value)
    except SwitchesError as error:
        hint = "docs/security.md lists the switches"
        raise ApiError(
            HTTPStatus.BAD_REQUEST, "bad-argument", str(error), hint, at="/policy"
        ) from error


def constraints_under(given: Mapping[str, Any], switches: Switches) -> dict[str, Any]:
    """Returns the constraints of a request with the switches of its token; raises ApiError for a
    bad one.
    """
    try:
        return dict(narrow_constraints(given, switches))
    except SwitchesError as error:
        raise ApiError(
            HTTPStatus.BAD_REQUEST, "bad-argument", str(error), at="/constraints"
        ) from error


def file_body(media_type: str) -> dict[str, Any]:
    """Returns the description of a body that is read as a file."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}
