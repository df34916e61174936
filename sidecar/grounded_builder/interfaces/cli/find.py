"""Implements ``grounded find``: lists tools for a purpose, or an operation's parameters."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from grounded_builder.interfaces.cli.context import CliContext, UnusableError, cli_context
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.resolve.tool_search import describe_tool, find_tools, summarize_hits


def find(
    query: Annotated[list[str] | None, typer.Argument(help="The purpose, in words.")] = None,
    tool: Annotated[str, typer.Option(help="Show this tool; QUERY is key=value presets.")] = "",
    kind: Annotated[str, typer.Option(help="Only tools of this kind, e.g. ai_memory.")] = "",
    family: Annotated[str, typer.Option(help="Only tools of this vendor or service.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=100)] = 10,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
) -> None:
    """Find tools by what they do, within a family or among those of one kind."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    words = query or []
    if not (words or tool or kind or family):
        raise UnusableError('there is no query: write a purpose, as in `grounded find "send mail"`')
    context = cli_context(domain, catalog)
    records = (
        _tool_records(tool, words, context)
        if tool
        else _find_records(words, kind, family, limit, context)
    )
    if form is Format.json:
        write_json(records)
    for record in records if form is not Format.json else ():
        if form is Format.jsonl:
            write_record(record)
        else:
            write_line(_line(record))
    raise typer.Exit(0 if records else 1)


def _find_records(
    words: list[str], kind: str, family: str, limit: int, context: CliContext
) -> list[dict[str, Any]]:
    hits = find_tools(
        " ".join(words), context.registry, limit, kind=kind or None, family=family or None
    )
    return summarize_hits(hits, context.registry)


def _tool_records(tool: str, words: list[str], context: CliContext) -> list[dict[str, Any]]:
    if tool not in context.registry.tools:
        raise typer.BadParameter(f"no tool {tool!r} is in the catalog", param_hint="--tool")
    presets = dict(word.split("=", 1) for word in words if "=" in word)
    return [describe_tool(tool, presets, context.domain, context.registry)]


def _line(record: dict[str, Any]) -> str:
    if "what" in record:
        preset = "".join(f" {key}={value}" for key, value in record.get("params", {}).items())
        return f"{record['tool']}{preset}: {record['what'] or record['name']}"
    rest = record.get("parameters") or "\n  ".join(record.get("operations", ()))
    return f"{record['tool']} version {record['version']:g}\n  {rest}"
