"""Make the project's catalog file of a list of tool definitions."""

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
from grounded_builder.routing.capabilities import normal_capabilities

_LONGEST = 300


def adopt(raw: bytes) -> bytes | None:
    """The catalog file of a text that holds tool definitions; None when it holds none.

    CatalogError names what is wrong with the definitions.
    """
    try:
        document = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
    return catalog_of(document) if is_definitions(document) else None


def catalog_of(document: Any) -> bytes:
    """The catalog file of a list of definitions, the same whatever their order.

    CatalogError names what is wrong with them.
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
        *(_line(definition) for definition in definitions),
        {"kind": "end", "tools": len(definitions), "credentials": 0},
    ]
    try:
        return b"".join(orjson.dumps(line) + b"\n" for line in lines)
    except TypeError as error:
        problem = Problem("a definition holds what JSON in UTF-8 cannot hold")
        raise CatalogError((problem,), "send the definitions as JSON") from error


def _line(definition: Definition) -> dict[str, Any]:
    operation = (
        f"{definition.provider}.{definition.operation}"
        if definition.provider and definition.operation
        else ""
    )
    names = (definition.given_id, definition.title, definition.source.get("name"), operation)
    aliases = dict.fromkeys(str(name)[:_LONGEST] for name in names if name)
    aliases.pop(definition.name, None)
    results = (*definition.capabilities, operation, definition.operation, definition.name)
    capabilities = normal_capabilities(results)
    return {
        "kind": "tool",
        "id": definition.name,
        "name": definition.title or definition.name,
        "aliases": list(aliases),
        # Searched by, as what the author says that it can do.
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
                "parameters": _parameters(definition.schema),
                "traits": {
                    "schema": definition.schema,
                    "given_id": definition.given_id,
                    "operation": definition.operation,
                },
            }
        ],
    }


def _parameters(schema: Mapping[str, Any] | None) -> Sequence[dict[str, Any]]:
    """What a list of parameters can say of a schema; the schema itself is judged by."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return []
    required = (schema or {}).get("required")
    needed = set(required) if isinstance(required, list) and _all_text(required) else set()
    return [
        {"name": name, "type": _type(prop), "required": name in needed}
        for name, prop in properties.items()
    ]


def _type(schema: Any) -> str:
    declared = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(declared, list):
        return "|".join(item for item in declared if isinstance(item, str)) or "any"
    return declared if isinstance(declared, str) else "any"


def _all_text(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
