"""Implements ``grounded rehearse``: runs a workflow without a network, shows its requests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from grounded_builder.diagnostics.render import CheckedInput, render_text
from grounded_builder.domains.n8n.rehearsal.expectations import Expectation, read_expectations
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_lines
from grounded_builder.interfaces.cli.context import UnusableError, clear_errors, cli_context
from grounded_builder.interfaces.cli.inputs import Document, decode, only_document
from grounded_builder.interfaces.cli.isolated_compile import compiling_bounded
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.interfaces.cli.trial import read_samples
from grounded_builder.services.rehearsal import (
    RehearsalOrder,
    RehearsalResult,
    rehearsal_result_json,
    run_rehearsal,
)
from grounded_builder.services.stage_keeper import StageKeeper


def rehearse_file(
    file: Annotated[str, typer.Argument(help="A workflow or a draft, or - for standard input.")],
    samples: Annotated[str, typer.Option(help="A JSON file with items by trigger name.")] = "",
    expect: Annotated[str, typer.Option(help="A JSON file with expectations.")] = "",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Run the real nodes in an n8n of their own and show the requests; nothing leaves the
    machine.
    """
    expect_form(form, Format.text, Format.json)
    document = only_document(file, "workflows are rehearsed one at a time")
    context = cli_context("n8n", catalog)
    order = RehearsalOrder(
        decode(document.raw, context.options.limits),
        read_samples(samples),
        _read_expectations(expect),
    )
    keeper = StageKeeper(context.store.settings)
    try:
        with clear_errors():
            facts = (context.store, context.registry, context.references, keeper)
            result = run_rehearsal(order, *facts, compiling_bounded(document, context))
    finally:
        keeper.close()
    if form is Format.text:
        _write_result(document, result)
    else:
        write_json({"source": document.source, **rehearsal_result_json(result)})
    raise typer.Exit(0 if result.outcome == "passed" else 1)


def _read_expectations(path: str) -> tuple[Expectation, ...]:
    try:
        return read_expectations(json.loads(Path(path).read_text("utf-8"))) if path else ()
    except (OSError, ValueError, RecursionError) as error:
        raise UnusableError(f"{path}: {error}") from error


def _write_result(document: Document, result: RehearsalResult) -> None:
    text = document.raw.decode("utf-8", "replace")
    judged = CheckedInput(document.source, text, "wrong", result.diagnostics)
    for line in render_text(judged).splitlines()[:-1]:
        write_line(line)
    reason = f": {result.reason}" if result.reason else ""
    write_line(f"{document.source}: {result.outcome}{reason}")
    for line in rehearsal_lines(result.content):
        write_line(f"  {line}")
    for gap in result.gaps:
        write_line(f"  not prevented: {gap}")
