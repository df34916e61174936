"""Implements ``grounded repair``: applies safe fixes to documents, writes them or a patch."""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.compiler.name_stats import NameOccurrence, occurrences_in
from grounded_builder.compiler.parse import decode_text
from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.compiler.pipeline import repair_document as repaired
from grounded_builder.compiler.report import compilation_report
from grounded_builder.compiler.text_edits import format_like, rewrite_text
from grounded_builder.diagnostics import to_pointer
from grounded_builder.diagnostics.excerpt import Look
from grounded_builder.diagnostics.render import CheckedInput, render_text
from grounded_builder.interfaces.cli.context import (
    CliContext,
    UnusableError,
    as_drafts,
    cli_context,
    count_names,
)
from grounded_builder.interfaces.cli.inputs import (
    STDIN_NAME,
    Document,
    decode,
    is_json_lines,
    read_lines,
)
from grounded_builder.interfaces.cli.isolated_compile import compile_each
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    terminal_look,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.interfaces.cli.validate import judged_line

_DIFF_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def repair(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Files, folders, patterns, or -.")
    ] = None,
    domain: Annotated[str, typer.Option(help="n8n, simulink or tools.")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.json,
    write: Annotated[bool, typer.Option("--write", help="Change the files.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what changes, as text.")] = False,
    is_draft: Annotated[
        bool, typer.Option("--draft", help="Report values that a tool would ignore as errors.")
    ] = False,
    unsafe: Annotated[bool, typer.Option("--unsafe", help="Apply unsafe fixes too.")] = False,
) -> None:
    """Apply the safe fixes to documents and write the results."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    context = cli_context(domain, catalog)
    if is_draft:
        context = as_drafts(context)
    if form is Format.jsonl and is_json_lines(paths or []):
        if write or diff:
            raise UnusableError("--write and --diff take documents, not JSON Lines")
        raise typer.Exit(0 if _repair_lines(context, paths or [], unsafe=unsafe) else 1)
    clean = True
    met: Counter[NameOccurrence] = Counter()
    repair_raw = partial(_repair_document, context=context, unsafe=unsafe)
    for compiled in compile_each(paths or [], context, repair_raw):
        if compiled is None:
            clean = False
            continue
        document, compilation = compiled
        clean = clean and compilation.verdict == "ok"
        met.update(occurrences_in(compilation, context.registry))
        text = decode_text(document.raw)
        new = _new_text(text, compilation)
        if write and new != text:
            store(document, new)
        if diff:
            show_difference(document.source, text, new, terminal_look())
        elif form is Format.text or write:
            for line in _format_fixes(document.source, new, compilation, terminal_look()):
                write_line(line)
        else:
            name = "source" if form is Format.json else "id"
            report = compilation_report(compilation, workflow=compilation.document)
            record = {name: document.source, "fixes": [], **report}
            (write_json if form is Format.json else write_record)(record)
    count_names(met, context)
    raise typer.Exit(0 if clean else 1)


def _repair_lines(context: CliContext, paths: list[str], *, unsafe: bool) -> bool:
    clean = True
    met: Counter[NameOccurrence] = Counter()
    for line in read_lines(paths):
        record, compilation = judged_line(
            line, context, lambda context, draft: _repair_draft(context, draft, unsafe=unsafe)
        )
        if compilation is not None:
            record |= {"workflow": compilation.document, "fixes": record.get("fixes", [])}
            met.update(occurrences_in(compilation, context.registry))
        clean = clean and compilation is not None and compilation.verdict == "ok"
        write_record(record)
    count_names(met, context)
    return clean


def _repair_document(raw: bytes, context: CliContext, *, unsafe: bool) -> Compilation:
    draft = decode(raw, context.options.limits)
    return _repair_draft(context, draft, unsafe=unsafe)


def _repair_draft(context: CliContext, draft: Any, *, unsafe: bool) -> Compilation:
    compilation = repaired(
        draft, context.domain, context.registry, context.options, context.references, unsafe=unsafe
    )
    return replace(compilation, artifact=None)


def _new_text(text: str, compilation: Compilation) -> str:
    """Returns the repaired document in the layout of the old one, or newly laid out where that was
    not JSON.
    """
    after = compilation.document
    if after is None or not compilation.corrections:
        return text
    try:
        return rewrite_text(text, json.loads(text, strict=False), after)
    except (ValueError, IndexError, RecursionError):
        return format_like(after, text)


def store(document: Document, text: str) -> None:
    """Replaces a file's text, whole or not at all."""
    if document.source == STDIN_NAME:
        raise UnusableError("--write needs files; standard input cannot be changed")
    file = Path(document.source).resolve()
    content = text.encode(json.detect_encoding(document.raw))
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(name).chmod(file.stat().st_mode)
        Path(name).replace(file)
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror}; nothing was changed") from error


def _format_fixes(source: str, text: str, compilation: Compilation, look: Look) -> Iterator[str]:
    for note in compilation.corrections:
        node = f" [{note.node}]" if note.node else ""
        fixed = look.paint("fixed", "green")
        yield f"{source}: {fixed} {to_pointer(note.at) or '/'}{node}: {note.message}"
    yield render_text(
        CheckedInput(source, text, compilation.verdict, compilation.diagnostics), look
    )


def show_difference(source: str, old: str, new: str, look: Look) -> None:
    """Writes the changes as a patch for `patch` and `git apply`."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    for line in unified_diff(before, after, f"a/{source}", f"b/{source}"):
        shown = line.rstrip("\r\n")
        style = _DIFF_COLOURS.get(line[:1])
        write_line(look.paint(shown, style) if style else shown)
