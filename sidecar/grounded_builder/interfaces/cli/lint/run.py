"""Lints the paths of a command line and writes findings and a summary."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.diagnostics.sarif import sarif_log
from grounded_builder.domains.rules import BY_CODE, RULES
from grounded_builder.interfaces.cli.context import CliContext, UnusableError, count_names
from grounded_builder.interfaces.cli.files import InputFile, around, find
from grounded_builder.interfaces.cli.inputs import STDIN, STDIN_NAME
from grounded_builder.interfaces.cli.lint.baseline import Baseline, write_baseline
from grounded_builder.interfaces.cli.lint.configuration import Configuration
from grounded_builder.interfaces.cli.lint.file import FileResult, Style, lint_file
from grounded_builder.interfaces.cli.lint.parallel import WorkerConfig, lint_in_parallel
from grounded_builder.interfaces.cli.output import (
    Format,
    complain,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.ir.domain import find_extension

_WORTH_A_BAR = 100


@dataclass(frozen=True, slots=True)
class LintRun:
    """One run of the linter."""

    paths: list[str]
    domain: str
    catalog: str
    configuration: Configuration
    baseline: Baseline | None
    write_baseline: Path | None
    style: Style
    statistics: bool
    skip_foreign: bool
    jobs: int
    libraries: tuple[str, ...] = ()


@dataclass(slots=True)
class LintSummary:
    """Counts over all files of a run."""

    verdicts: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    names: Counter[NameOccurrence] = field(default_factory=Counter)
    files: int = 0
    hidden: int = 0
    known: int = 0
    skipped: int = 0
    faults: int = 0
    failed: bool = False

    def add(self, file_result: FileResult) -> None:
        """Counts one file."""
        self.files += 1
        self.verdicts[file_result.verdict] += bool(file_result.verdict)
        self.rules.update(file_result.rules)
        self.names.update(file_result.sighted)
        self.hidden += file_result.hidden
        self.known += file_result.known
        self.skipped += file_result.skipped
        self.faults += bool(file_result.fault)
        self.failed = self.failed or file_result.failed


def run(task: LintRun, context: CliContext) -> bool:
    """Lints everything once; returns whether it is clean."""
    excludes = task.configuration.excludes
    files = find(
        [path for path in task.paths if path != STDIN], excludes, context.domain.reading.suffixes
    )
    given = STDIN in task.paths or not task.paths
    if task.skip_foreign:
        files = [replace(file, named=False) for file in files]
    if not files and not given:
        raise UnusableError("every file is excluded by the configuration")
    return run_on(files, task, context, given=given)


def run_on(
    files: Sequence[InputFile], task: LintRun, context: CliContext, *, given: bool = False
) -> bool:
    """Lints these files, and standard input where it is given; returns whether they are clean."""
    is_single = len(files) + given == 1
    style = replace(task.style, quiet=not is_single)
    beside = _beside(task, context)
    order = WorkerConfig(
        task.domain, task.catalog, task.configuration, task.baseline, style, beside
    )
    answers = _lint_all(files, order, context, task.jobs, given=given)
    tally = LintSummary()
    accepted: list[tuple[str, tuple[Any, ...]]] = []
    outputs: list[Any] = []
    for answer in _with_bar(answers, len(files), style):
        tally.add(answer)
        if answer.fault:
            _write_fault(answer, style)
        elif task.write_baseline:
            accepted.append((task.configuration.relative(Path(answer.source)), answer.accepted))
        elif not answer.skipped:
            _write_output(answer.output, style, outputs)
    count_names(tally.names, context)
    if task.write_baseline:
        count = write_baseline(task.write_baseline, accepted)
        write_line(f"{task.write_baseline}: {_format_count(count, 'finding')} accepted")
        return not tally.faults
    _write_document(outputs, style)
    if style.form is Format.text and (
        not is_single or task.statistics or tally.hidden or tally.known
    ):
        for line in _summary(tally, context, statistics=task.statistics):
            write_line(line)
    if tally.files == tally.skipped and not task.skip_foreign:
        raise UnusableError(f"none of the files is {context.domain.reading.document_hint}")
    return not tally.failed


def _beside(task: LintRun, context: CliContext) -> tuple[Path, ...]:
    """Returns the files whose tools a document may use: the given files and the named libraries."""
    if context.domain.reading.libraries_near is None:
        return ()
    words = [word for word in task.paths if word != STDIN]
    return tuple(around([*words, *task.libraries], context.domain.reading.suffixes))


def _lint_all(
    files: Sequence[InputFile], order: WorkerConfig, context: CliContext, jobs: int, *, given: bool
) -> Iterator[FileResult]:
    if given:
        if sys.stdin.isatty():
            complain("reading a document from standard input; end it with Ctrl-D")
        raw = sys.stdin.buffer.read()
        file = InputFile(Path(STDIN_NAME), named=True)
        widen = find_extension(order.beside, context.domain)
        yield lint_file(file, raw, context, order.configuration, order.baseline, order.style, widen)
    yield from lint_in_parallel(files, order, context, jobs)


def _with_bar(answers: Iterable[FileResult], count: int, style: Style) -> Iterator[FileResult]:
    """Yields the results unchanged, with a progress bar on a terminal while many files
    are linted.
    """
    console = Console(stderr=True)
    if count < _WORTH_A_BAR or not console.is_terminal:
        yield from answers
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = sys.stdout.isatty() and style.form is Format.text
    held: list[FileResult] = []
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=count)
        for answer in answers:
            progress.advance(bar)
            if shown:
                held.append(answer)
            else:
                yield answer
    yield from held


def _write_output(output: Any, style: Style, collected: list[Any]) -> None:
    if style.form is Format.sarif:
        collected.extend(output)
    elif style.form is Format.json:
        collected.append(output)
    elif style.form is Format.jsonl:
        write_record(output)
    elif output:
        write_line(output)


def _write_document(collected: list[Any], style: Style) -> None:
    if style.form is Format.sarif:
        write_json(sarif_log(collected, RULES))
    elif style.form is Format.json:
        write_json(collected)


def _write_fault(answer: FileResult, style: Style) -> None:
    if style.form is Format.jsonl:
        write_record({"id": answer.source, "error": answer.fault})
    else:
        complain(f"{answer.source}: {answer.fault}")


def _summary(tally: LintSummary, context: CliContext, *, statistics: bool) -> Iterator[str]:
    if statistics:
        for code, count in sorted(tally.rules.items(), key=lambda pair: (-pair[1], pair[0])):
            yield f"{count:>7,}  {code}  {BY_CODE[code].name}"
    verdicts = ", ".join(
        f"{tally.verdicts[verdict]:,} {verdict}" for verdict in ("ok", "incomplete", "wrong")
    )
    more = [
        f"{_format_count(count, thing)} {state}"
        for count, thing, state in (
            (tally.hidden, "finding", "ignored"),
            (tally.known, "finding", "known from the baseline"),
            (
                tally.skipped,
                "file",
                f"left out: no {context.domain.reading.document_hint.split()[-1]}",
            ),
            (tally.faults, "file", "not readable"),
        )
        if count
    ]
    judged = _format_count(tally.files - tally.skipped - tally.faults, "file")
    yield "; ".join([f"{judged}: {verdicts}", *more])


def _format_count(count: int, thing: str) -> str:
    return f"{count:,} {thing}" + ("" if count == 1 else "s")
