"""``grounded try``: run a copy of a workflow in n8n that reaches nothing outside, and tell."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.diagnostics.render import Judged, as_text
from grounded_builder.interfaces.cli.bounded import compiling_bounded
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    cli_context,
    require_n8n,
)
from grounded_builder.interfaces.cli.inputs import Document, decoded, only_document
from grounded_builder.interfaces.cli.output import Format, only, write_json, write_line
from grounded_builder.services.trial_run import Samples, Trial, TrialResult, run_trial, trial_json


def try_file(
    file: Annotated[str, typer.Argument(help="A workflow or a draft, or - for standard input.")],
    samples: Annotated[str, typer.Option(help="A JSON file: items by names of nodes.")] = "",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Run a copy in the n8n of GROUNDED_N8N_URL: nothing outside is reached, nothing is left."""
    only(form, Format.text, Format.json)
    document = only_document(file, "one workflow at a time is tried")
    bench = cli_context("n8n", catalog)
    require_n8n(bench.store.settings, "a trial needs the n8n to run in")
    order = Trial(decoded(document.raw, bench.setting.limits), _samples(samples))
    with clear_errors():
        compiling = compiling_bounded(document, bench)
        result = run_trial(order, bench.store, bench.registry, bench.references, compiling)
    if form is Format.text:
        _tell(document, result)
    else:
        write_json({"source": document.source, **trial_json(result)})
    raise typer.Exit(0 if result.outcome == "passed" else 1)


def _samples(path: str) -> Samples:
    if not path:
        return {}
    try:
        value: Any = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UnusableError(f"{path}: {error}") from error
    if not isinstance(value, Mapping) or not all(
        isinstance(items, list) and all(isinstance(item, Mapping) for item in items)
        for items in value.values()
    ):
        message = f'{path} is no samples: {{"name of a node": [{{"field": "value"}}]}} is expected'
        raise UnusableError(message)
    return value


def _tell(document: Document, result: TrialResult) -> None:
    text = document.raw.decode("utf-8", "replace")
    judged = Judged(document.source, text, "wrong", result.diagnostics)
    for line in as_text(judged).splitlines()[:-1]:
        write_line(line)
    write_line(f"{document.source}: {result.outcome}")
    for run in result.reports:
        steps = ", ".join(f"{ran.node} ({ran.items})" for ran in run.ran)
        write_line(f'  "{run.start}" {run.status}: {steps}')
    for item in result.stood_in:
        write_line(f'  not run: "{item["node"]}", {item["why"]}; items: {item["sample"]}')
    if result.never_run:
        write_line(f"  no run came to: {', '.join(result.never_run)}")
