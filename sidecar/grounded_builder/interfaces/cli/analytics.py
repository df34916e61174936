"""Implements ``grounded analytics``: shows unresolved and corrected names and outcomes of runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    clear_errors,
    known_domain,
    open_store,
)
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.storage.analytics import NameTotal
from grounded_builder.storage.analytics import analytics as read


def analytics(
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    days: Annotated[int, typer.Option(min=1, max=3_650, help="Number of days, ending today.")] = 30,
    limit: Annotated[int, typer.Option(min=0, max=1_000, help="Maximum number of names.")] = 20,
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Show the names that were not resolved, the names that were corrected, and how runs ended."""
    expect_form(form, Format.text, Format.json)
    known = known_domain(domain)
    until = datetime.now(UTC).date()
    since = until - timedelta(days=days - 1)
    with clear_errors():
        store = open_store()
        result = read(store.engine, known.name, since.isoformat(), until.isoformat(), limit)
    if form is Format.json:
        write_json(result.as_json())
        return
    write_line(f"{known.name}, {result.since} to {result.until}")
    _write_section(
        "runs", [f"{count:>6} {name}" for name, count in _most_frequent(result.outcomes)]
    )
    _write_section(
        "reasons", [f"{count:>6} {name}" for name, count in _most_frequent(result.reasons)]
    )
    _write_section(
        "names without exactly one tool",
        [f"{_format_name(name)} ({name.kind})" for name in result.unresolved],
    )
    _write_section(
        "corrected names", [f"{_format_name(name)} -> {name.tool}" for name in result.corrected]
    )


def _format_name(name: NameTotal) -> str:
    return f"{name.count:>6} {name.name}"


def _most_frequent(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _write_section(title: str, lines: Iterable[str]) -> None:
    rows = list(lines)
    write_line(f"{title}:" if rows else f"{title}: none")
    for row in rows:
        write_line(row)
