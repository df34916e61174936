"""Reduces a response schema for a small model: short texts and lists, choices, one alternative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAX_TEXT_CHARS = 24
_MAX_ITEMS = 6
_SCALARS = ("string", "number", "boolean")


def reduce_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the schema with limits on texts and lists, and only its choices where it has any.

    A small model with free text does not stop writing, so it is only asked to choose tools. Of
    alternatives the first is kept, since a model that can decline always does.
    """
    options = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(options, list) and options:
        return reduce_schema(options[0])
    kind = schema.get("type")
    if isinstance(kind, list):
        scalar = next((name for name in kind if name in _SCALARS), kind[0])
        return reduce_schema({**schema, "type": scalar})
    if kind == "object":
        return _reduce_object(schema)
    if kind == "array":
        return _reduce_array(schema)
    if kind == "string" and not _is_choice(schema):
        return {
            **schema,
            "maxLength": min(_MAX_TEXT_CHARS, schema.get("maxLength", _MAX_TEXT_CHARS)),
        }
    return dict(schema)


def _reduce_object(schema: Mapping[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties") or {}
    required = [key for key in schema.get("required", properties) if key in properties]
    chosen = [key for key in required if _has_choice(properties[key])] or required
    return {
        "type": "object",
        "properties": {key: reduce_schema(properties[key]) for key in chosen},
        "required": chosen,
        "additionalProperties": False,
    }


def _reduce_array(schema: Mapping[str, Any]) -> dict[str, Any]:
    most = min(_MAX_ITEMS, schema.get("maxItems", _MAX_ITEMS))
    items = schema.get("items")
    inner = {"items": reduce_schema(items)} if isinstance(items, Mapping) else {}
    return {**schema, **inner, "maxItems": most}


def _has_choice(schema: Mapping[str, Any]) -> bool:
    """Returns whether a schema contains a choice."""
    inner = [*(schema.get("properties") or {}).values(), schema.get("items")]
    children = (child for child in inner if isinstance(child, Mapping))
    return _is_choice(schema) or any(_has_choice(child) for child in children)


def _is_choice(schema: Mapping[str, Any]) -> bool:
    return "enum" in schema or "const" in schema
