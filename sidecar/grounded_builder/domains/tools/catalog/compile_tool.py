"""Compile a tool of a catalog into what its calls are judged by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.tools.catalog.argument_schema import Judge, compile_judge, declared


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool ready to be called: its schema, the judge of arguments, the names it declares.

    ``names`` is None where arguments of any name are taken; without a ``judge`` nothing
    can be said of arguments, and ``unjudged`` says why.
    """

    id: str
    given_id: str
    schema: Mapping[str, Any] | None
    judge: Judge | None
    unjudged: str
    names: frozenset[str] | None
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]


def compile_tool(tool: Mapping[str, Any], version: float) -> ToolSpec:
    """Compile a tool; KeyError when it has no such version."""
    for variant in tool["variants"]:
        if version in variant["versions"]:
            traits = variant.get("traits", {})
            schema = traits.get("schema")
            schema = schema if isinstance(schema, Mapping) else None
            judge, unjudged = compile_judge(schema)
            names, properties, required = declared(schema)
            return ToolSpec(
                id=tool["id"],
                given_id=str(traits.get("given_id") or tool["id"]),
                schema=schema,
                judge=judge,
                unjudged=unjudged,
                names=names,
                properties=properties,
                required=required,
            )
    raise KeyError((tool["id"], version))
