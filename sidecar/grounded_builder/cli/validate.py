"""``grounded validate``: judge documents against what is installed."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Annotated, Any

import typer

from grounded_builder.cli.environment import Workbench, workbench
from grounded_builder.cli.inputs import Document, Line, decoded, documents, lines
from grounded_builder.cli.output import Format, complain, write_json, write_line, write_record
from grounded_builder.diagnostics.render import Judged, as_github, as_sarif, as_text
from grounded_builder.diagnostics.report import report
from grounded_builder.pipeline import Compilation, judge

DOCUMENT_KEYS = ("workflow", "plan", "draft")

Compile = Callable[[Workbench, Any], Compilation]


def validate(
    paths: Annotated[list[str] | None, typer.Argument(help="Files, folders, or -.")] = None,
    domain: Annotated[str, typer.Option(help="n8n")] = "n8n",
    catalog: Annotated[str, typer.Option(help="A catalog file or fingerprint.")] = "",
    form: Annotated[Format, typer.Option("--format", help="How to write.")] = Format.text,
) -> None:
    """Judge documents: every name resolved, every value and edge checked."""
    bench = workbench(domain, catalog)
    clean = (
        _judge_lines(bench, paths or [])
        if form is Format.jsonl
        else _judge(bench, paths or [], form)
    )
    raise typer.Exit(0 if clean else 1)


def judged_line(
    line: Line, bench: Workbench, compile_: Compile
) -> tuple[dict[str, Any], Compilation | None]:
    """The record of one JSON Lines entry, and its compilation unless the line is unusable."""
    key = next((key for key in DOCUMENT_KEYS if key in line.value), None)
    fault = line.fault
    if fault is None and key is None:
        fault = f"line {line.number} has none of {', '.join(DOCUMENT_KEYS)}"
    if fault is not None or key is None:
        return {"id": line.id, "error": fault}, None
    started = perf_counter()
    compilation = compile_(bench, line.value[key])
    ms = (perf_counter() - started) * 1000
    return report(compilation, ms, id=line.id), compilation


def _judge_lines(bench: Workbench, paths: list[str]) -> bool:
    clean = True
    for line in lines(paths):
        record, compilation = judged_line(line, bench, _compile)
        clean = clean and compilation is not None and compilation.verdict == "ok"
        write_record(record)
    return clean


def _judge(bench: Workbench, paths: list[str], form: Format) -> bool:
    clean = True
    inputs: list[Judged] = []
    records: list[dict[str, Any]] = []
    for document in documents(paths):
        if isinstance(document, OSError):
            complain(f"{document.filename}: {document.strerror}")
            clean = False
            continue
        started = perf_counter()
        compilation = _compile(bench, decoded(document.raw, bench.setting.limits))
        ms = (perf_counter() - started) * 1000
        clean = clean and compilation.verdict == "ok"
        judged = _judged(document, compilation)
        if form is Format.text:
            write_line(as_text(judged))
        elif form is Format.github:
            write_line(as_github(judged))
        elif form is Format.json:
            records.append(report(compilation, ms, source=document.source))
        inputs.append(judged)
    if form is Format.sarif:
        write_json(as_sarif(inputs))
    if form is Format.json:
        write_json(records)
    return clean


def _judged(document: Document, compilation: Compilation) -> Judged:
    text = document.raw.decode("utf-8", "replace")
    return Judged(document.source, text, compilation.verdict, compilation.diagnostics)


def _compile(bench: Workbench, draft: Any) -> Compilation:
    return judge(draft, bench.domain, bench.registry, bench.setting, bench.references)
