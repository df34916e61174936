"""Compiles a tool definition into a ToolSpec, and lists why its arguments cannot be checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.tools.catalog.argument_schema import (
    ArgumentValidator,
    compile_validator,
    read_declared_arguments,
)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A compiled tool: its schema, the validator of its arguments, the names that it declares.

    ``names`` is None where arguments of any name are allowed. Without a ``validator`` arguments
    are not checked, and ``unchecked_reason`` is the reason.
    """

    id: str
    given_id: str
    schema: Mapping[str, Any] | None
    validator: ArgumentValidator | None
    unchecked_reason: str
    names: frozenset[str] | None
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]


def compile_tool(tool: Mapping[str, Any], version: float) -> ToolSpec:
    """Returns a compiled tool; raises KeyError when it has no such version."""
    for variant in tool["variants"]:
        if version in variant["versions"]:
            traits = variant.get("traits", {})
            schema = traits.get("schema")
            schema = schema if isinstance(schema, Mapping) else None
            validator, unchecked_reason = compile_validator(schema)
            names, properties, required = read_declared_arguments(schema)
            return ToolSpec(
                id=tool["id"],
                given_id=str(traits.get("given_id") or tool["id"]),
                schema=schema,
                validator=validator,
                unchecked_reason=unchecked_reason,
                names=names,
                properties=properties,
                required=required,
            )
    raise KeyError((tool["id"], version))


def find_contradictions(tool: Mapping[str, Any]) -> Iterator[str]:
    """Yields one line for each reason why the arguments of a tool cannot be checked."""
    for variant in tool["variants"]:
        spec = compile_tool(tool, variant["versions"][0])
        if spec.unchecked_reason:
            yield f"{tool['id']}: arguments are not checked: {spec.unchecked_reason}"
        declared = spec.required if spec.names is None else spec.names
        unknown = [name for name in spec.required if name not in declared]
        if unknown:
            yield f"{tool['id']}: it requires {', '.join(unknown)}, which it does not declare"
