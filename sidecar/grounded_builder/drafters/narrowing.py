"""Narrow a response schema to what a small model can fill without losing itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST = 24
_ITEMS = 6
_SCALARS = ("string", "number", "boolean")


def narrowed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with every text and list bounded, and what it leaves open left empty.

    A small model that may write anything writes without end: what it is asked for is the choice
    among tools. Of alternatives the first is kept, for one that may decline always does.
    """
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list) and options:
        return narrowed(options[0])
    kind = schema.get("type")
    if isinstance(kind, list):
        plain = next((one for one in kind if one in _SCALARS), kind[0])
        return narrowed({**schema, "type": plain})
    if kind == "object":
        return _object(schema)
    if kind == "array":
        return _array(schema)
    if kind == "string" and "enum" not in schema and "const" not in schema:
        return {**schema, "maxLength": min(_LONGEST, schema.get("maxLength", _LONGEST))}
    return dict(schema)


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties")
    if not properties:
        return {"type": "object", "properties": {}, "additionalProperties": False}
    required = schema.get("required", ())
    kept = {key: narrowed(value) for key, value in properties.items() if key in required}
    return {
        "type": "object",
        "properties": kept or {key: narrowed(value) for key, value in properties.items()},
        "required": list(required),
        "additionalProperties": False,
    }


def _array(schema: Mapping[str, Any]) -> dict[str, Any]:
    most = min(_ITEMS, schema.get("maxItems", _ITEMS))
    items = schema.get("items")
    inner = {"items": narrowed(items)} if isinstance(items, Mapping) else {}
    return {**schema, **inner, "maxItems": most}
