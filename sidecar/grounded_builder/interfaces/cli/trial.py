"""Implements ``grounded try``: runs a copy of a workflow in n8n that reaches nothing outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    cli_context,
    require_n8n,
)
from grounded_builder.interfaces.cli.inputs import Document, decode, only_document
from grounded_builder.interfaces.cli.isolated_compile import compiling_bounded
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.interfaces.cli.rehearse import rehearse_document
from grounded_builder.interfaces.cli.run_files import read_json, write_findings
from grounded_builder.services.trial_run import Samples, Trial, TrialResult, run_trial, trial_json


def try_file(
    file: Annotated[str, typer.Argument(help="A workflow or a draft, or - for standard input.")],
    samples: Annotated[str, typer.Option(help="A JSON file with items by node name.")] = "",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Rehearse a workflow where rehearsals are set up (see rehearse). Otherwise run a copy in the
    n8n of GROUNDED_N8N_URL; it reaches nothing outside and is deleted afterwards.
    """
    expect_form(form, Format.text, Format.json)
    document = only_document(file, "workflows are tried one at a time")
    context = cli_context("n8n", catalog)
    if context.store.settings.rehearsal is not None:
        asked = {"samples": read_json(samples) if samples else {}}
        raise typer.Exit(rehearse_document(document, context, asked, form))
    require_n8n(context.store.settings, "a trial needs an n8n instance")
    order = Trial(decode(document.raw, context.options.limits), _read_samples(samples))
    with clear_errors():
        compiling = compiling_bounded(document, context)
        facts = (context.store, context.registry, context.references)
        result = run_trial(order, *facts, compiling, preparing=compiling)
    if form is Format.text:
        _write_result(document, result)
    else:
        write_json({"source": document.source, **trial_json(result)})
    raise typer.Exit(0 if result.outcome == "passed" else 1)


def _read_samples(path: str) -> Samples:
    """Reads sample items by node name; no path, no samples."""
    if not path:
        return {}
    value = read_json(path)
    if not isinstance(value, Mapping) or not all(
        isinstance(samples, list) and all(isinstance(sample, Mapping) for sample in samples)
        for samples in value.values()
    ):
        message = f'{path} has no samples: {{"name of a node": [{{"field": "value"}}]}} is expected'
        raise UnusableError(message)
    return value


def _write_result(document: Document, result: TrialResult) -> None:
    write_findings(document, result.diagnostics)
    write_line(f"{document.source}: {result.outcome}")
    for run in result.reports:
        steps = ", ".join(f"{ran.node} ({ran.items})" for ran in run.ran)
        write_line(f'  "{run.start}" {run.status}: {steps}')
    for node in result.stood_in:
        write_line(f'  not run: "{node["node"]}", {node["why"]}; items: {node["sample"]}')
    if result.never_run:
        write_line(f"  not reached: {', '.join(result.never_run)}")
