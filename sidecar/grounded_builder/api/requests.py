"""How routes describe themselves in the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from grounded_builder.api.shapes import Error

_ALWAYS = (400, 401, 403, 404, 422, 503)


def refusals(*more: int) -> dict[int | str, dict[str, Any]]:
    """The answers of the one error shape that a route may give."""
    return {status: {"model": Error} for status in sorted({*_ALWAYS, *more})}


def body_of(shape: type[BaseModel]) -> dict[str, Any]:
    """A JSON body that the route reads itself, within its own bounds."""
    schema = shape.model_json_schema()
    schema = _inlined(schema, schema.pop("$defs", {}))
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def _inlined(schema: Any, shapes: Mapping[str, Any]) -> Any:
    """A schema with its own shapes where they are named: the document knows only its components."""
    if isinstance(schema, list):
        return [_inlined(one, shapes) for one in schema]
    if not isinstance(schema, dict):
        return schema
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if name in shapes:
        return _inlined(shapes[name], shapes)
    return {key: _inlined(value, shapes) for key, value in schema.items()}


def file_body(media_type: str) -> dict[str, Any]:
    """A body that is read as a file."""
    content = {media_type: {"schema": {"type": "string", "format": "binary"}}}
    return {"requestBody": {"required": True, "content": content}}
