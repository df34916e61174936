"""How routes describe themselves in the OpenAPI document."""

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
    """Returns the answers of the one error shape that a route may give."""
    return {status: {"model": Error} for status in sorted({*_ALWAYS, *more})}


def body_of(shape: type[BaseModel]) -> dict[str, Any]:
    """Returns a JSON body that the route reads itself, within its own bounds."""
    schema = shape.model_json_schema()
    schema = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _inlined(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """Returns a schema with its own shapes where they are named: the document knows only its
    components.
    """
    if isinstance(schema, list):
        return [_inlined(item, shapes) for item in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in shapes:
        return _inlined(shapes[name], shapes)
    return {key: _inlined(value, shapes) for key, value in schema.items()}


def switches_of(given: Any) -> Switches:
    """Returns what a request or a token narrows the policy by; raises ApiError where it is in no
    shape.
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
    """Returns the constraints of a request with the switches of its token; ApiError names a bad
    one.
    """
    try:
        return dict(narrow_constraints(given, switches))
    except SwitchesError as error:
        raise ApiError(
            HTTPStatus.BAD_REQUEST, "bad-argument", str(error), at="/constraints"
        ) from error


def file_body(media_type: str) -> dict[str, Any]:
    """Returns a body that is read as a file."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}
