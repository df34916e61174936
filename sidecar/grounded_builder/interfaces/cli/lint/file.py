"""Lints one file; returns its formatted findings and their counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from grounded_builder.compiler.name_stats import NameOccurrence, occurrences_in
from grounded_builder.compiler.parse import decode_text
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.compiler.report import compilation_report
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.diagnostics.excerpt import Look
from grounded_builder.diagnostics.render import CheckedInput, render_github, render_text
from grounded_builder.diagnostics.sarif import sarif_results
from grounded_builder.interfaces.cli.context import CliContext
from grounded_builder.interfaces.cli.files import InputFile
from grounded_builder.interfaces.cli.inputs import decode
from grounded_builder.interfaces.cli.isolated_compile import run_bounded
from grounded_builder.interfaces.cli.lint.baseline import Baseline
from grounded_builder.interfaces.cli.lint.configuration import Configuration
from grounded_builder.interfaces.cli.lint.findings import fails, lint
from grounded_builder.interfaces.cli.output import Format
from grounded_builder.ir.bundled_libraries import ExtendRegistry
from grounded_builder.ir.domain import find_comments, open_native_file
from grounded_builder.ir.rules.reading import WRONG_DOCUMENT
from grounded_builder.services.isolation.bounds import CompileLimitError


@dataclass(frozen=True, slots=True)
class Style:
    """The output form of findings; ``quiet`` omits the line of a clean file."""

    form: Format
    look: Look
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class FileResult:
    """The result of one file: its output, and counts for the summary.

    ``skipped`` files are in a folder and contain no document of the domain. ``sighted`` are the
    names in it that are not a tool's own.
    """

    source: str
    failed: bool
    verdict: str = ""
    output: Any = None
    rules: tuple[str, ...] = ()
    hidden: int = 0
    known: int = 0
    skipped: bool = False
    fault: str = ""
    accepted: tuple[Diagnostic, ...] = field(default=())
    sighted: tuple[NameOccurrence, ...] = ()


def lint_path(
    file: InputFile,
    context: CliContext,
    configuration: Configuration,
    baseline: Baseline | None,
    style: Style,
    widen: ExtendRegistry | None = None,
) -> FileResult:
    """Lints a file; a file that cannot be read gives a fault."""
    try:
        raw = file.path.read_bytes()
    except OSError as error:
        return FileResult(str(file.path), failed=True, fault=error.strerror or str(error))
    return lint_file(file, raw, context, configuration, baseline, style, widen)


def lint_file(
    file: InputFile,
    raw: bytes,
    context: CliContext,
    configuration: Configuration,
    baseline: Baseline | None,
    style: Style,
    widen: ExtendRegistry | None = None,
) -> FileResult:
    """Lints the bytes of a file; ``widen`` adds the tools of neighbouring files.

    A file that takes too much time or memory gives a fault.
    """
    work = partial(_lint_within_bounds, file, raw, context, configuration, baseline, style, widen)
    try:
        file_result: FileResult = run_bounded(work, raw, context)
    except CompileLimitError as error:
        return FileResult(
            _display_path(file.path, style.form), failed=True, fault=f"{error}; {error.help}"
        )
    return file_result


def _lint_within_bounds(
    file: InputFile,
    raw: bytes,
    context: CliContext,
    configuration: Configuration,
    baseline: Baseline | None,
    style: Style,
    widen: ExtendRegistry | None,
) -> FileResult:
    source = _display_path(file.path, style.form)
    started = perf_counter()
    native = open_native_file(raw, file.path.name, context.domain)
    draft = decode(raw, context.options.limits) if native is None else native
    registry = context.registry
    if widen is not None and native is not None:
        registry = widen(native.document, registry)
    compilation = compile_draft(
        draft, context.domain, registry, context.options, context.references
    )
    ms = (perf_counter() - started) * 1000
    if not file.named and any(d.rule == WRONG_DOCUMENT for d in compilation.diagnostics):
        return FileResult(source, failed=False, skipped=True)
    text = decode_text(raw) if len(raw) <= context.options.limits.draft_bytes else ""
    if native is not None:
        text = "\n".join(comment.text for comment in find_comments(native.document, context.domain))
    linted = lint(compilation, context.domain, file.path, text, configuration, baseline)
    output: Any = None
    if style.form in (Format.json, Format.jsonl):
        name = {"source": source} if style.form is Format.json else {"id": source}
        result = replace(compilation, verdict=linted.verdict, diagnostics=linted.diagnostics)
        output = compilation_report(result, ms, **name)
    else:
        output = _format_findings(
            CheckedInput(source, text, linted.verdict, linted.diagnostics, placed=native is None),
            style,
        )
    return FileResult(
        source,
        fails(linted, configuration.fail_on),
        linted.verdict,
        output,
        tuple(d.code for d in linted.diagnostics),
        linted.hidden,
        linted.known,
        accepted=linted.diagnostics,
        sighted=occurrences_in(compilation, registry),
    )


def _format_findings(judged: CheckedInput, style: Style) -> str | Sequence[dict[str, Any]]:
    if style.form is Format.sarif:
        return sarif_results(judged)
    if style.form is Format.github:
        return render_github(judged)
    return "" if style.quiet and not judged.diagnostics else render_text(judged, style.look)


def _display_path(path: Path, form: Format) -> str:
    """Returns a path as it was given, or relative to the current folder for forms that
    require it.
    """
    if form in (Format.github, Format.sarif) and path.is_absolute():
        here = Path.cwd()
        return path.relative_to(here).as_posix() if path.is_relative_to(here) else str(path)
    return str(path)
