"""Implements ``grounded runs``: lists, shows and exports recorded generations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    open_store,
)
from grounded_builder.interfaces.cli.output import Format, write_json, write_line, write_record
from grounded_builder.services.training_pairs import pairs as tuning_pairs
from grounded_builder.storage import runs as record
from grounded_builder.storage.runs import Run, RunLine
from grounded_builder.storage.store import Store

_EXPORT = "export"
_PAGE = 100
_WIDTH = 60
_REPLY = 400


def runs(
    run: Annotated[
        str, typer.Argument(help="The id of a run, or export; without, the newest are listed.")
    ] = "",
    limit: Annotated[
        int, typer.Option(min=1, max=10_000, help="Maximum number of runs to list.")
    ] = 20,
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
    *,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Export chats for tuning, without secrets.")
    ] = False,
) -> None:
    """List generations, show one with every prompt, reply and verdict, or export all."""
    if pairs and run != _EXPORT:
        raise UnusableError("--pairs requires `grounded runs export`")
    with clear_errors():
        store = open_store()
        if run == _EXPORT:
            _export(store, pairs=pairs)
            return
        if run:
            _show(record.get_run(store.engine, run), run, form)
            return
        run_lines = record.list_runs(store.engine, limit)
    if form is Format.json:
        write_json([asdict(line) for line in run_lines])
    for line in run_lines if form is not Format.json else ():
        if form is Format.jsonl:
            write_record(asdict(line))
        else:
            write_line(_line(line))
    if not run_lines and form is Format.text:
        write_line('nothing has been generated yet; try `grounded generate "..."`')


def _export(store: Store, *, pairs: bool) -> None:
    """Writes every run, or its training chats, one per line, newest first."""
    last = ""
    while page := record.list_runs(store.engine, _PAGE, last):
        last = page[-1].id
        for line in page:
            run = record.get_run(store.engine, line.id)
            if run is None:
                continue
            for chat in tuning_pairs(run) if pairs else (run.as_json(),):
                write_record(chat)


def _show(run: Run | None, wanted: str, form: Format) -> None:
    if run is None:
        raise UnusableError(f"there is no run {wanted}; see `grounded runs`")
    if form is not Format.text:
        write = write_json if form is Format.json else write_record
        write(run.as_json())
        return
    write_line(_line(run.line))
    write_line(f"request: {run.line.request}")
    write_line(f"catalog {run.line.catalog[:12]}, prompt {run.prompt_version}")
    write_line(f"tools shown: {', '.join(run.shown)}")
    for draft in run.drafts:
        verdict = draft["failed"] or draft["verdict"] or "no draft"
        write_line(f"draft {draft['number']} by {draft['drafter']}: {verdict}, {draft['ms']} ms")
        reply = " ".join((draft["reply"] or "").split())
        if reply:
            write_line(f"  reply: {reply[:_REPLY]}{'...' if len(reply) > _REPLY else ''}")
        for finding in draft["diagnostics"] or ():
            write_line(f"  {finding['code']} at {finding['at'] or '/'}: {finding['message']}")
    if run.line.summary:
        write_line(run.line.summary)


def _line(line: RunLine) -> str:
    request = " ".join(line.request.split())
    shown = request if len(request) <= _WIDTH else f"{request[: _WIDTH - 3]}..."
    outcome = line.outcome or "open"
    reason = f" ({line.reason})" if line.reason else ""
    return f"{line.id}  {line.started_at[:19]}  {outcome}{reason}  {line.drafter[:40]}  {shown}"
