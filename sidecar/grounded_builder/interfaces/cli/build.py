"""Implements ``grounded build``: corrects, compiles and signs drafts; writes their artifacts."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.compiler.report import compilation_report
from grounded_builder.domains.simulink.read.model import is_model
from grounded_builder.interfaces.cli.build_slx import expect_place, write_slx
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    as_drafts,
    cli_context,
)
from grounded_builder.interfaces.cli.inputs import decode, read_lines
from grounded_builder.interfaces.cli.isolated_compile import compile_each
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_json,
    write_record,
)
from grounded_builder.interfaces.cli.plan import as_read
from grounded_builder.interfaces.cli.validate import judged_line
from grounded_builder.services.account_lists import Choosing, entry_chooser
from grounded_builder.services.request_policy import receipt_of


def build(
    paths: Annotated[list[str] | None, typer.Argument(help="Files, folders, or -.")] = None,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="json or jsonl.")] = Format.json,
    slx: Annotated[Path | None, typer.Option(help="The .slx file to write a model to.")] = None,
    *,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing .slx file.")
    ] = False,
    lists: Annotated[
        bool, typer.Option("--lists", help="Look up names in n8n's lists, with GROUNDED_N8N_EMAIL.")
    ] = False,
    is_draft: Annotated[
        bool, typer.Option("--draft", help="Report values that a tool would ignore as errors.")
    ] = False,
    letter: Annotated[
        bool, typer.Option("--as-read", help="Build a plan of your own model without corrections.")
    ] = False,
) -> None:
    """Correct, compile and sign drafts; a wrong draft has neither artifact nor receipt."""
    expect_form(form, Format.json, Format.jsonl)
    if letter and form is Format.jsonl:
        raise UnusableError("--as-read takes files, and --format json")
    if slx is not None:
        _expect_one(paths or [], form)
        expect_place(slx, domain, overwrite=overwrite)
    context = cli_context(domain, catalog, "import")
    choosing = _expect_lists(context, form, letter=letter) if lists else None
    if is_draft:
        context = as_drafts(context)
    clean = True
    if form is Format.jsonl:
        for line in read_lines(paths or []):
            record, compilation = judged_line(line, context, _compile)
            if compilation is not None:
                record.update(_artifact_record(compilation, context))
            clean = clean and compilation is not None and compilation.verdict == "ok"
            write_record(record)
        raise typer.Exit(0 if clean else 1)
    compile_raw = partial(_compile_document, context=context, letter=letter)
    for compiled in compile_each(paths or [], context, compile_raw):
        if compiled is None:
            clean = False
            continue
        document, built = compiled
        if choosing is not None:
            built = choosing(built, context.options)
        clean = clean and built.verdict == "ok"
        made = compilation_report(built, source=document.source) | _artifact_record(built, context)
        if letter:
            # It may contain names that no catalog has, so it is not signed.
            made["receipt"] = None
        if slx is not None:
            own = letter or is_model(document.raw)
            made["slx"] = write_slx(built, context, slx, overwrite=overwrite, as_it_is=own)
        write_json(made)
    raise typer.Exit(0 if clean else 1)


def _expect_lists(context: CliContext, form: Format, *, letter: bool) -> Choosing:
    """Returns what looks up names; raises UnusableError where that is impossible."""
    if context.domain.name != "n8n" or form is not Format.json or letter:
        raise UnusableError("--lists requires domain n8n and --format json, without --as-read")
    choosing = entry_chooser(context.store.settings, context.registry, context.references)
    if choosing is None:
        names = "GROUNDED_N8N_URL, GROUNDED_N8N_EMAIL and GROUNDED_N8N_PASSWORD"
        raise UnusableError(f"--lists needs a login: set {names}")
    return choosing


def _expect_one(paths: list[str], form: Format) -> None:
    if len(paths) > 1 or any(Path(path).is_dir() for path in paths) or form is not Format.json:
        raise UnusableError("--slx writes one model: name one file, and use --format json")


def _artifact_record(compilation: Compilation, context: CliContext) -> dict[str, Any]:
    return {"artifact": compilation.artifact, "receipt": receipt_of(compilation, context.store)}


def _compile_document(raw: bytes, context: CliContext, *, letter: bool) -> Compilation:
    draft = as_read(raw, context) if letter else decode(raw, context.options.limits)
    return _compile(context, draft)


def _compile(context: CliContext, draft: Any) -> Compilation:
    return compile_with_fixes(
        draft, context.domain, context.registry, context.options, context.references
    )
