"""Implements ``grounded rehearse``: runs a workflow without a network, shows its requests."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import typer

from grounded_builder.domains.n8n.expectations import FAULTS
from grounded_builder.domains.n8n.rehearsal.difference import difference_lines
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_lines
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    clear_errors,
    cli_context,
)
from grounded_builder.interfaces.cli.inputs import Document, decode, only_document
from grounded_builder.interfaces.cli.isolated_compile import compiling_bounded
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.interfaces.cli.run_files import read_json, write_findings
from grounded_builder.services.rehearsal import (
    RehearsalResult,
    rehearsal_result_json,
    run_rehearsal,
)
from grounded_builder.services.rehearsal_order import OrderError, read_order
from grounded_builder.services.stage_keeper import StageKeeper


def rehearse_file(
    file: Annotated[str, typer.Argument(help="A workflow or a draft, or - for standard input.")],
    samples: Annotated[str, typer.Option(help="A JSON file with items by trigger name.")] = "",
    sample: Annotated[
        list[str] | None,
        typer.Option(help="NODE=JSON: the item, or the items, with which a trigger begins."),
    ] = None,
    fail: Annotated[
        list[str] | None,
        typer.Option(help=f"NODE=FAULT, in place of answers: {', '.join(FAULTS)}."),
    ] = None,
    at: Annotated[
        str, typer.Option(help="The time of schedules, expressions and JavaScript, in ISO 8601.")
    ] = "",
    expect: Annotated[str, typer.Option(help="A JSON file with expectations.")] = "",
    against: Annotated[
        str, typer.Option(help="The JSON of an earlier rehearsal to compare with.")
    ] = "",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
) -> None:
    """Run the real nodes in an n8n of their own and show the requests; nothing leaves the
    machine.
    """
    expect_form(form, Format.text, Format.json)
    document = only_document(file, "workflows are rehearsed one at a time")
    context = cli_context("n8n", catalog)
    asked = {
        "samples": _merge_samples(read_json(samples) if samples else {}, sample or ()),
        "faults": dict(_split_values("--fail", fail or ())),
        "at": at,
        "expectations": read_json(expect) if expect else [],
        "against": read_json(against) if against else None,
    }
    raise typer.Exit(rehearse_document(document, context, asked, form))


def rehearse_document(
    document: Document, context: CliContext, asked: Mapping[str, Any], form: Format
) -> int:
    """Rehearses a document as ``asked``, writes the result, and returns the exit code."""
    keeper = StageKeeper(context.store.settings)
    try:
        order = read_order(decode(document.raw, context.options.limits), asked)
        with clear_errors():
            facts = (context.store, context.registry, context.references, keeper)
            result = run_rehearsal(order, *facts, compiling_bounded(document, context))
    except OrderError as error:
        raise UnusableError(f"{error.key}: {error}") from error
    finally:
        keeper.close()
    if form is Format.text:
        _write_result(document, result)
    else:
        write_json({"source": document.source, **rehearsal_result_json(result)})
    return 0 if result.outcome == "passed" else 1


def _merge_samples(of_file: Any, options: Sequence[str]) -> Any:
    """Returns the samples of a file with those of options, which take precedence."""
    if not options:
        return of_file
    if not isinstance(of_file, dict):
        raise UnusableError("--samples: the file is not a JSON object")
    given: dict[str, Any] = {}
    for name, text in _split_values("--sample", options):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise UnusableError(f'--sample "{name}": {error}') from error
        given[name] = value if isinstance(value, list) else [value]
    return {**of_file, **given}


def _split_values(option: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    for value in values:
        name, equals, content = value.partition("=")
        if not name or not equals:
            raise UnusableError(f'{option} "{value}" is not NODE=VALUE')
        yield name, content


def _write_result(document: Document, result: RehearsalResult) -> None:
    write_findings(document, result.diagnostics)
    reason = f": {result.reason}" if result.reason else ""
    write_line(f"{document.source}: {result.outcome}{reason}")
    for line in rehearsal_lines(result.content):
        write_line(f"  {line}")
    if result.content["at"]:
        write_line(f"  at {result.content['at']}; Python and nodes themselves read the real clock")
    for gap in result.gaps:
        write_line(f"  not prevented: {gap}")
    if result.content.get("difference") is not None:
        for line in difference_lines(result.content["difference"]):
            write_line(f"  {line}")
