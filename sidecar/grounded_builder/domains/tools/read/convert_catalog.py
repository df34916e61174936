"""Converts a list of tool definitions into a catalog file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import orjson

from grounded_builder import __version__
from grounded_builder.catalog.catalog_file import CatalogError, Problem
from grounded_builder.catalog.catalog_line import SCHEMA
from grounded_builder.domains.tools.read.definitions import (
    Definition,
    is_definitions,
    read_definitions,
)
from grounded_builder.routing.capabilities import normalize_capabilities

_LONGEST = 300


def convert_catalog(raw: bytes) -> bytes | None:
    """Returns the catalog file of a text of tool definitions; None when it contains none.

    Raises CatalogError when a definition is wrong.
    """
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return make_catalog(document) if is_definitions(document) else None


def make_catalog(document: Any) -> bytes:
    """Returns the catalog file of a list of definitions, the same whatever their order.

    Raises CatalogError when a definition is wrong.
    """
    definitions = read_definitions(document)
    lines: list[Mapping[str, Any]] = [
        {
            "kind": "header",
            "domain": "tools",
            "schema": SCHEMA,
            "origin": "installed",
            "versions": {},
            "packages": [],
            "generator": f"grounded-builder {__version__}",
        },
        *(make_line(definition) for definition in definitions),
        {"kind": "end", "tools": len(definitions), "credentials": 0},
    ]
    try:
        return b"".join(orjson.dumps(line) + b"\n" for line in lines)
    except TypeError as error:
        problem = Problem("a definition contains a value that JSON in UTF-8 cannot represent")
        raise CatalogError((problem,), "send the definitions as JSON") from error


def make_line(definition: Definition) -> dict[str, Any]:
    """Returns the catalog line of a definition."""
    operation = (
        f"{definition.provider}.{definition.operation}"
        if definition.provider and definition.operation
        else ""
    )
    names = (definition.given_id, definition.title, definition.source.get("name"), operation)
    aliases = dict.fromkeys(str(name)[:_LONGEST] for name in names if name)
    aliases.pop(definition.name, None)
    named_capabilities = (
        *definition.capabilities,
        operation,
        definition.operation,
        definition.name,
    )
    capabilities = normalize_capabilities(named_capabilities)
    return {
        "kind": "tool",
        "id": definition.name,
        "name": definition.title or definition.name,
        "aliases": list(aliases),
        # Search finds a tool by these words as by those of its description.
        "keywords": [capability.replace(".", " ") for capability in capabilities],
        "description": definition.description,
        "family": definition.provider,
        "package": definition.provider,
        "capabilities": list(capabilities),
        "variants": [
            {
                "versions": [1],
                "inputs": [],
                "outputs": [],
                "parameters": _list_parameters(definition.schema),
                "traits": {
                    "schema": definition.schema,
                    "given_id": definition.given_id,
                    "operation": definition.operation,
                },
            }
        ],
    }


def _list_parameters(schema: Mapping[str, Any] | None) -> Sequence[dict[str, Any]]:
    """Returns the parameters of a catalog line; calls are checked by the schema itself."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return []
    required = (schema or {}).get("required")
    needed = set(required) if isinstance(required, list) and _all_text(required) else set()
    return [
        {"name": name, "type": _format_type(prop), "required": name in needed}
        for name, prop in properties.items()
    ]


def _format_type(schema: Any) -> str:
    declared = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(declared, list):
        return "|".join(name for name in declared if isinstance(name, str)) or "any"
    return declared if isinstance(declared, str) else "any"


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
