"""Makes one valid value for a JSON schema, from which fuzz tests start."""

from __future__ import annotations

from typing import Any

_DEEPEST = 6
_PLAIN: dict[str, Any] = {
    "string": "x",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
    "array": [],
    "object": {},
}


def make_sample(schema: Any, document: dict[str, Any], depth: int = 0) -> Any:
    """Returns a value with every property of the schema; references are to the document."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return make_sample(document["components"]["schemas"][name], document, depth + 1)
    for key in ("const", "default"):
        if schema.get(key) is not None:
            return schema[key]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return make_sample(schema[key][0], document, depth + 1)
    if "properties" in schema:
        return {
            name: make_sample(child, document, depth + 1)
            for name, child in schema["properties"].items()
        }
    if schema.get("type") == "array" and "items" in schema:
        return [make_sample(schema["items"], document, depth + 1)]
    kind = schema.get("type")
    return _PLAIN.get(kind) if isinstance(kind, str) else None
