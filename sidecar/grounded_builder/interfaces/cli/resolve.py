"""Implements ``grounded resolve``: finds the installed tool that a name means."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Annotated, Any

import typer

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.name_stats import NameOccurrence, occurrence_of_resolution
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.context import UnusableError, cli_context, count_names
from grounded_builder.interfaces.cli.inputs import read_lines
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_fault,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.resolve.query import QueryError, answer_query, as_json


def resolve(
    names: Annotated[list[str] | None, typer.Argument(help="Names, or with jsonl: files.")] = None,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
) -> None:
    """Resolve tool names: to one tool, to candidates, or to none."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    if not names and form is not Format.jsonl:
        raise UnusableError('there is no name: write one, as in `grounded resolve "gmail"`')
    context = cli_context(domain, catalog)
    registry = context.registry
    met: Counter[NameOccurrence] = Counter()
    clean = True
    if form is Format.jsonl:
        for line in read_lines(names or []):
            text = line.value.get("text")
            if line.fault is not None or not isinstance(text, str):
                fault = line.fault or f'line {line.number} has no "text"'
                write_fault(line.id, fault)
                clean = False
                continue
            try:
                record = resolved_record(text, registry, line.value.get("context"))
            except QueryError as error:
                write_fault(line.id, str(error))
                clean = False
                continue
            met.update(_sightings_of(text, record))
            clean = clean and record["status"] == "resolved"
            write_record({"id": line.id, **record})
        count_names(met, context)
        raise typer.Exit(0 if clean else 1)
    records = [{"text": name, **resolved_record(name, registry)} for name in names or []]
    if form is Format.json:
        write_json(records)
    else:
        for record in records:
            write_line(_line(record))
    for record in records:
        met.update(_sightings_of(record["text"], record))
    count_names(met, context)
    raise typer.Exit(0 if all(record["status"] == "resolved" for record in records) else 1)


def resolved_record(text: str, registry: Registry, context: Any = None) -> dict[str, Any]:
    """Returns one resolution as a record, with its time in milliseconds; raises QuestionError."""
    started = perf_counter()
    domain = DOMAINS[registry.domain]
    resolution = answer_query(text, context, registry, domain.prompting.fallback, domain.resolving)
    ms = (perf_counter() - started) * 1000
    return {**as_json(resolution, registry), "ms": round(ms, 3)}


def _sightings_of(text: str, record: dict[str, Any]) -> tuple[NameOccurrence, ...]:
    """Returns how a record is counted: not at all for the exact name of a tool."""
    return occurrence_of_resolution(text, record["status"], record["tool"], record["method"])


def _line(record: dict[str, Any]) -> str:
    if record["status"] == "resolved":
        params = "".join(f" {key}={value}" for key, value in record["params"].items())
        return f"{record['text']}: {record['tool']}{params} ({record['method']})"
    candidates = ", ".join(candidate["tool"] for candidate in record["candidates"][:5])
    return f"{record['text']}: {record['status']}{f'; nearest: {candidates}' if candidates else ''}"
