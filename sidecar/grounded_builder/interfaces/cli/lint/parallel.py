"""Judge many files on all cores, the answers in the order of the files."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from grounded_builder.interfaces.cli.context import CliContext, cli_context, with_target
from grounded_builder.interfaces.cli.files import Found
from grounded_builder.interfaces.cli.lint.baseline import Baseline
from grounded_builder.interfaces.cli.lint.configuration import Configuration
from grounded_builder.interfaces.cli.lint.file import FileResult, Style, lint_path
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.ir.domain import extension_by

_WORTH_A_PROCESS = 50
_CHUNK = 16


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """What every process needs to judge files; each opens the catalog for itself.

    ``beside`` are the files that may hold tools that documents name.
    """

    domain: str
    catalog: str
    configuration: Configuration
    baseline: Baseline | None
    style: Style
    beside: tuple[Path, ...] = ()

    def teller(self, bench: CliContext) -> Callable[[Found], FileResult]:
        """Returns what judges one file with this workbench."""
        widen = extension_by(self.beside, bench.domain)
        return lambda file: lint_path(
            file, bench, self.configuration, self.baseline, self.style, widen
        )


class _Process:
    """What one of the processes works with."""

    tell: ClassVar[Callable[[Found], FileResult]]


def lint_in_parallel(
    files: Sequence[Found], order: WorkerConfig, bench: CliContext, jobs: int
) -> Iterator[FileResult]:
    """Yields what each file came to; ``jobs`` 0 takes as many processes as there are cores and
    work.
    """
    processes = min(jobs or _cores(), max(1, len(files) // _WORTH_A_PROCESS))
    if processes == 1:
        freeze_gc()
        yield from map(order.teller(bench), files)
        return
    forks = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if forks else None)
    with ProcessPoolExecutor(
        processes, mp_context=context, initializer=_begin, initargs=(order,)
    ) as pool:
        yield from pool.map(_tell, files, chunksize=_CHUNK)


def _begin(order: WorkerConfig) -> None:
    bench = cli_context(order.domain, order.catalog)
    bench = with_target(bench, order.configuration.target)
    _Process.tell = staticmethod(order.teller(bench))
    freeze_gc()


def _tell(file: Found) -> FileResult:
    return _Process.tell(file)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
