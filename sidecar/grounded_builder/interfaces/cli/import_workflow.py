"""Implements ``grounded import``: compiles a draft and imports it into n8n."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from grounded_builder.compiler.approval import NEEDS_APPROVAL
from grounded_builder.diagnostics.render import CheckedInput, render_text
from grounded_builder.domains.n8n.deploy.import_workflow import ImportResult
from grounded_builder.interfaces.cli.context import clear_errors, cli_context, require_n8n
from grounded_builder.interfaces.cli.inputs import Document, decode, only_document
from grounded_builder.interfaces.cli.isolated_compile import compiling_bounded
from grounded_builder.interfaces.cli.output import Format, expect_form, write_json, write_line
from grounded_builder.services.import_workflow import WorkflowImport, result_json, run_import


def import_(
    file: Annotated[str, typer.Argument(help="A draft, or - for standard input.")],
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    key: Annotated[
        str, typer.Option(help="Repeated imports with this key create one workflow.")
    ] = "",
    workflow_id: Annotated[str, typer.Option(help="The workflow to replace.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text or json.")] = Format.text,
    approve: Annotated[
        list[str] | None,
        typer.Option(help="A finding you approve, by its token; repeatable."),
    ] = None,
    *,
    publish: Annotated[bool, typer.Option(help="Publish the workflow.")] = False,
    lists: Annotated[
        bool,
        typer.Option(
            "--lists/--no-lists", help="Look up names in n8n's lists, with GROUNDED_N8N_EMAIL."
        ),
    ] = True,
) -> None:
    """Correct, compile and import a draft into the n8n of GROUNDED_N8N_URL."""
    document = only_document(file, "drafts are imported one at a time")
    context = cli_context("n8n", catalog)
    expect_form(form, Format.text, Format.json)
    require_n8n(context.store.settings, "an import needs an n8n instance")
    request = WorkflowImport(
        decode(document.raw, context.options.limits),
        key=key,
        publish=publish,
        workflow_id=workflow_id or None,
        approvals=tuple(approve or ()),
        lists=lists,
    )
    with clear_errors():
        compiling = compiling_bounded(document, context)
        result = run_import(request, context.store, context.registry, context.references, compiling)
    if form is Format.text:
        _write_result(document, result)
    else:
        write_json(result_json(result))
    raise typer.Exit(0 if result.outcome == "imported" else 1)


def _write_result(document: Document, result: ImportResult) -> None:
    text = document.raw.decode("utf-8", "replace")
    judged = CheckedInput(document.source, text, "wrong", result.diagnostics)
    for line in render_text(judged).splitlines()[:-1]:
        write_line(line)
    for finding in result.diagnostics:
        if finding.rule == NEEDS_APPROVAL and finding.token:
            write_line(f"  to approve it: --approve {shlex.quote(finding.token)}")
    if result.outcome != "imported":
        place = f"; see {result.url}" if result.url else ""
        write_line(f"{document.source}: {result.outcome}{place}")
        if result.outcome == "failed":
            write_line(f"  repeat with --key {result.key}; the key makes at most one workflow")
        return
    state = "published" if result.published else "not published"
    write_line(f"{document.source}: imported, {state}: {result.url}")
    for point in result.todo:
        write_line(f"  to do: {point}")
