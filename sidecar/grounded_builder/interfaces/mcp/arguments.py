"""Defines the MCP server that refuses calls with wrong arguments by name, value and remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from grounded_builder.catalog.likeness import NearestNames
from grounded_builder.diagnostics.json_kind import name_json_kind

_LONGEST_SHOWN = 60


class ExplainingServer(MCPServer[Any]):
    """A server that refuses a call with wrong arguments in the words of its tools."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool; raises ToolError for an unknown tool or arguments that it does not take."""
        tools = {tool.name: tool.input_schema for tool in await self.list_tools()}
        if name not in tools:
            known = ", ".join(tools)
            raise ToolError(f'there is no tool "{name[:_LONGEST_SHOWN]}"; its tools are {known}')
        misspelt = list(_find_misspelt(name, arguments, tools[name]))
        if misspelt:
            raise ToolError("; ".join(misspelt))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            cause = error.__cause__
            if not isinstance(cause, ValidationError):
                raise
            wrong = dict.fromkeys(str(fault["loc"][0]) for fault in cause.errors() if fault["loc"])
            raise ToolError(_explain(name, arguments, tools[name], tuple(wrong))) from cause


def _find_misspelt(
    tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]
) -> Iterator[str]:
    """Yields a message for each unknown argument that resembles one of the tool.

    Others are ignored, since clients add arguments of their own.
    """
    names = schema["properties"]
    absent = NearestNames(name for name in names if name not in arguments)
    for key in arguments:
        near = absent.near(key) if key not in names else ()
        if near:
            yield f'{tool} takes no argument "{key[:_LONGEST_SHOWN]}"; use "{near[0]}"'


def _explain(
    tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any], wrong: Sequence[str]
) -> str:
    """Returns a sentence for each wrong argument: missing, or what it is and what it has to be."""
    sentences = []
    for name in wrong:
        wanted = _describe(schema["properties"].get(name, {}))
        if name not in arguments:
            sentences.append(f'{tool} needs the argument "{name}", which is missing; give {wanted}')
        else:
            value = _show(arguments[name])
            sentences.append(f'the argument "{name}" of {tool} is {value}; give {wanted}')
    return "; ".join(sentences)


def _describe(schema: Mapping[str, Any]) -> str:
    """Returns what an argument has to be: its types, its range, and what it is for."""
    forms = [form for form in schema.get("anyOf", [schema]) if form.get("type") != "null"]
    kinds = " or ".join(_KINDS.get(form.get("type", ""), "a value") for form in forms)
    limits = [f"{word} {schema[key]}" for key, word in _LIMITS.items() if key in schema]
    text = schema.get("description", "")
    purpose = text if text.endswith("...") else text.removesuffix(".")
    return f"{' '.join([kinds, *limits])}{f' ({purpose})' if purpose else ''}"


def _show(value: Any) -> str:
    """Returns a short form of a value: a text or number itself, the kind of any other."""
    if isinstance(value, str):
        return f'"{value[:_LONGEST_SHOWN]}{"..." if len(value) > _LONGEST_SHOWN else ""}"'
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)[:_LONGEST_SHOWN]
    return name_json_kind(value)


_KINDS = {
    "string": "a text", "integer": "a whole number", "number": "a number",
    "boolean": "true or false", "object": "an object", "array": "a list",
}  # fmt: skip
_LIMITS = {"minimum": "from", "maximum": "to"}
