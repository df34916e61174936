"""Lints many files on all cores, with the results in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grounded_builder.interfaces.cli.context import (
    CliContext,
    as_drafts,
    cli_context,
    with_target,
)
from grounded_builder.interfaces.cli.files import InputFile
from grounded_builder.interfaces.cli.lint.baseline import Baseline
from grounded_builder.interfaces.cli.lint.configuration import Configuration
from grounded_builder.interfaces.cli.lint.file import FileResult, Style, lint_path
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.ir.domain import find_extension

_WORTH_A_PROCESS = 50
_CHUNK = 16


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The configuration of a worker process, which opens the catalog by itself.

    ``beside`` are the files that may define tools used in documents.
    """

    domain: str
    catalog: str
    configuration: Configuration
    baseline: Baseline | None
    style: Style
    beside: tuple[Path, ...] = ()

    def make_linter(self, context: CliContext) -> Callable[[InputFile], FileResult]:
        """Returns the function that lints one file with this context."""
        widen = find_extension(self.beside, context.domain)
        return lambda file: lint_path(
            file, context, self.configuration, self.baseline, self.style, widen
        )


class _Process:
    """The function that a worker process uses."""

    lint: ClassVar[Callable[[InputFile], FileResult]]


def lint_in_parallel(
    files: Sequence[InputFile], order: WorkerConfig, context: CliContext, jobs: int
) -> Iterator[FileResult]:
    """Yields the result of each file; ``jobs`` 0 takes as many processes as cores and
    work allow.
    """
    processes = min(jobs or _cores(), max(1, len(files) // _WORTH_A_PROCESS))
    if processes == 1:
        freeze_gc()
        yield from map(order.make_linter(context), files)
        return
    forks = "fork" in multiprocessing.get_all_start_methods()
    start_method = multiprocessing.get_context("fork" if forks else None)
    with ProcessPoolExecutor(
        processes, mp_context=start_method, initializer=_init_process, initargs=(order,)
    ) as pool:
        yield from pool.map(_lint_file, files, chunksize=_CHUNK)


def _init_process(order: WorkerConfig) -> None:
    context = cli_context(order.domain, order.catalog)
    if order.configuration.is_draft:
        context = as_drafts(context)
    context = with_target(context, order.configuration.target)
    _Process.lint = staticmethod(order.make_linter(context))
    freeze_gc()


def _lint_file(file: InputFile) -> FileResult:
    return _Process.lint(file)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
