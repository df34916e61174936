"""Narrow a response schema to what a small model can fill without losing itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LONGEST = 24
_ITEMS = 6
_SCALARS = ("string", "number", "boolean")


def narrowed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with texts and lists bounded, and without what it leaves open beside choices.

    A small model that may write anything writes without end: what it is asked for is the choice
    among tools. Of alternatives the first is kept, for one that may decline always does.
    """
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list) and options:
        return narrowed(options[0])
    kind = schema.get("type")
    if isinstance(kind, list):
        plain = next((item for item in kind if item in _SCALARS), kind[0])
        return narrowed({**schema, "type": plain})
    if kind == "object":
        return _object(schema)
    if kind == "array":
        return _array(schema)
    if kind == "string" and not _is_choice(schema):
        return {**schema, "maxLength": min(_LONGEST, schema.get("maxLength", _LONGEST))}
    return dict(schema)


def _object(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    required = [key for key in schema.get("required", properties) if key in properties]
    chosen = [key for key in required if _asks_for_choice(properties[key])] or required
    return {
        "type": "object",
        "properties": {key: narrowed(properties[key]) for key in chosen},
        "required": chosen,
        "additionalProperties": False,
    }


def _array(schema: Mapping[str, Any]) -> dict[str, Any]:
    most = min(_ITEMS, schema.get("maxItems", _ITEMS))
    items = schema.get("items")
    inner = {"items": narrowed(items)} if isinstance(items, Mapping) else {}
    return {**schema, **inner, "maxItems": most}


def _asks_for_choice(schema: Mapping[str, Any]) -> bool:
    """Whether somewhere in it there is something to choose."""
    inner = [*(schema.get("properties") or {}).values(), schema.get("items")]
    below = (item for item in inner if isinstance(item, Mapping))
    return _is_choice(schema) or any(_asks_for_choice(item) for item in below)


def _is_choice(schema: Mapping[str, Any]) -> bool:
    return "enum" in schema or "const" in schema
