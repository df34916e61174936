"""``grounded analytics``: what a period came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    clear_errors,
    known_domain,
    opened,
    settings_from_environment,
)
from grounded_builder.interfaces.cli.output import Format, only, write_json, write_line
from grounded_builder.storage.analytics import Named
from grounded_builder.storage.analytics import analytics as read


def analytics(
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    days: Annotated[int, typer.Option(min=1, max=3_650, help="How many, up to today.")] = 30,
    limit: Annotated[int, typer.Option(min=0, max=1_000, help="How many names.")] = 20,
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Tell the names that stood for no tool, those put right, and how runs ended."""
    only(form, Format.text, Format.json)
    known = known_domain(domain)
    until = datetime.now(UTC).date()
    since = until - timedelta(days=days - 1)
    with clear_errors():
        store = opened(settings_from_environment())
        result = read(store.engine, known.name, since.isoformat(), until.isoformat(), limit)
    if form is Format.json:
        write_json(result.as_json())
        return
    write_line(f"{known.name}, {result.since} to {result.until}")
    _tell("runs", [f"{count:>6} {name}" for name, count in _most(result.outcomes)])
    _tell("why they ended so", [f"{count:>6} {name}" for name, count in _most(result.reasons)])
    _tell(
        "names of no one tool", [f"{_named(named)} ({named.kind})" for named in result.unresolved]
    )
    _tell("names put right", [f"{_named(named)} -> {named.tool}" for named in result.corrected])


def _named(named: Named) -> str:
    return f"{named.count:>6} {named.name}"


def _most(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _tell(title: str, found: Iterable[str]) -> None:
    rows = list(found)
    write_line(f"{title}:" if rows else f"{title}: none")
    for row in rows:
        write_line(row)
