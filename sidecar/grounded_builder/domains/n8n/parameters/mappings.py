"""Converts values by column to a resource mapper's value, and completes one with its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import is_expression

MAPPING_KEYS = frozenset(
    "mappingMode value schema matchingColumns attemptToConvertTypes convertFieldsToString".split()
)
DEFINED_BELOW = "defineBelow"


def as_mapping(value: Any) -> Any:
    """Returns values by column as a mapping with a schema; anything else unchanged."""
    if not isinstance(value, Mapping) or not value:
        return value
    if MAPPING_KEYS.isdisjoint(value):
        value = {"mappingMode": DEFINED_BELOW, "value": _as_expressions(value)}
    return complete_mapping(value)


def complete_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a mapping with the schema that n8n's editor writes for its columns.

    Some nodes throw without it (Google Sheets, Airtable). Without a type in the schema n8n converts
    no value.
    """
    columns, mode = value.get("value"), value.get("mappingMode")
    if not isinstance(columns, Mapping) or not columns or mode not in (None, DEFINED_BELOW):
        return dict(value)
    if value.get("schema"):
        return {**value, "mappingMode": DEFINED_BELOW}
    matched = value.get("matchingColumns")
    names = [*matched] if isinstance(matched, list) else []
    names += [name for name in columns if name not in names]
    schema = [
        {
            "id": name,
            "displayName": name,
            "required": False,
            "defaultMatch": False,
            "display": True,
            "canBeUsedToMatch": True,
        }
        for name in names
        if isinstance(name, str)
    ]
    return {**value, "mappingMode": DEFINED_BELOW, "schema": schema}


def _as_expressions(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        str(name): f"={value}"
        if isinstance(value, str) and "{{" in value and not is_expression(value)
        else value
        for name, value in values.items()
    }
