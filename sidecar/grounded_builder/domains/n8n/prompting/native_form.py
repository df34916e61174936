"""Defines the prompt rule and the JSON Schema for drafters that write a whole n8n workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grounded_builder.ir.domain import NativeForm

_RULE = (
    "Instead of a plan you may answer with the whole workflow as n8n exports it: "
    '{"name": "...", "nodes": [{"name": "...", "type": "id of a tool", "typeVersion": 1, '
    '"position": [0, 0], "parameters": {...}}], "connections": {"name": {"main": '
    '[[{"node": "...", "type": "main", "index": 0}]]}}}.'
)


def _schema(tools: Sequence[str]) -> dict[str, Any]:
    """Returns the JSON Schema of a workflow whose types are an enumeration."""
    text: dict[str, Any] = {"type": "string"}
    node = {
        "type": "object",
        "properties": {
            "name": text,
            "type": {**text, "enum": list(tools)} if tools else text,
            "typeVersion": {"type": "number"},
            "position": {"type": "array", "items": {"type": "number"}},
            "parameters": {"type": "object"},
        },
        "required": ["name", "type", "parameters"],
    }
    return {
        "type": "object",
        "properties": {
            "name": text,
            "nodes": {"type": "array", "items": node, "minItems": 1},
            "connections": {"type": "object"},
            "settings": {"type": "object"},
        },
        "required": ["nodes", "connections"],
    }


NATIVE_FORM = NativeForm(_RULE, _schema)
