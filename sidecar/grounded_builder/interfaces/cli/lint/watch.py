"""Judge files again when they change."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from pathlib import Path

from watchfiles import Change
from watchfiles import watch as changes_of

from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.interfaces.cli.files import Found
from grounded_builder.interfaces.cli.inputs import STDIN
from grounded_builder.interfaces.cli.lint.run import LintRun, run, run_on
from grounded_builder.interfaces.cli.output import Format, write_line

# How long the watch is silent before it lets go of the interpreter, in milliseconds.
_BEAT_MS = 200


def watch(task: LintRun, bench: CliContext) -> bool:
    """Judges the paths, then each file below them that changes, until interrupted.

    The watch begins before the first judgement: what is written meanwhile is judged again. Returns
    whether the first judgement was clean.
    """
    roots = [Path(path) for path in task.paths if path != STDIN]
    if not roots or len(roots) != len(task.paths) or task.style.form is not Format.text:
        raise UnusableError("--watch takes files and folders, and writes text")
    named = {root.absolute() for root in roots if root.is_file()}
    folders = {root if root.is_dir() else root.parent for root in roots}
    if not all(folder.is_dir() for folder in folders):
        return run(task, bench)  # it says what is missing
    results = changes_of(*folders, rust_timeout=_BEAT_MS, yield_on_timeout=True)
    begun = next(results)
    clean = run(task, bench)
    write_line("waiting for changes")
    with suppress(KeyboardInterrupt):
        for changes in chain([begun], results):
            changed = sorted({Path(path) for change, path in changes if change != Change.deleted})
            files = [_found(path, named) for path in changed if _is_meant(path, task, named, bench)]
            if files:
                run_on(files, task, bench)
    return clean


def _is_meant(path: Path, task: LintRun, named: set[Path], bench: CliContext) -> bool:
    if path in named:
        return True
    folders = [Path(word).absolute() for word in task.paths if Path(word).is_dir()]
    below = any(path.is_relative_to(folder) for folder in folders)
    endswith = path.name.endswith(bench.domain.reading.suffixes)
    return below and endswith and not task.configuration.excludes(path)


def _found(path: Path, named: set[Path]) -> Found:
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return Found(shown, named=path in named)
