"""Lints files again when they change."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from pathlib import Path

from watchfiles import Change
from watchfiles import watch as changes_of

from grounded_builder.interfaces.cli.context import CliContext, UnusableError
from grounded_builder.interfaces.cli.files import InputFile
from grounded_builder.interfaces.cli.inputs import STDIN
from grounded_builder.interfaces.cli.lint.run import LintRun, run, run_on
from grounded_builder.interfaces.cli.output import Format, write_line

# Milliseconds after which a silent watch lets the interpreter handle signals.
_BEAT_MS = 200


def watch(task: LintRun, context: CliContext) -> bool:
    """Lints the paths, then each file below them that changes, until interrupted.

    The watch begins before the first run, so that changes meanwhile are linted again. Returns
    whether the first run was clean.
    """
    roots = [Path(path) for path in task.paths if path != STDIN]
    if not roots or len(roots) != len(task.paths) or task.style.form is not Format.text:
        raise UnusableError("--watch takes files and folders, and writes text")
    named = {root.absolute() for root in roots if root.is_file()}
    folders = {root if root.is_dir() else root.parent for root in roots}
    if not all(folder.is_dir() for folder in folders):
        return run(task, context)  # the message names what is missing
    events = changes_of(*folders, rust_timeout=_BEAT_MS, yield_on_timeout=True)
    begun = next(events)
    clean = run(task, context)
    write_line("waiting for changes")
    with suppress(KeyboardInterrupt):
        for changes in chain([begun], events):
            changed = sorted({Path(path) for change, path in changes if change != Change.deleted})
            files = [
                _is_listed(path, named)
                for path in changed
                if _is_watched(path, task, named, context)
            ]
            if files:
                run_on(files, task, context)
    return clean


def _is_watched(path: Path, task: LintRun, named: set[Path], context: CliContext) -> bool:
    if path in named:
        return True
    folders = [Path(word).absolute() for word in task.paths if Path(word).is_dir()]
    below = any(path.is_relative_to(folder) for folder in folders)
    endswith = path.name.endswith(context.domain.reading.suffixes)
    return below and endswith and not task.configuration.excludes(path)


def _is_listed(path: Path, named: set[Path]) -> InputFile:
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return InputFile(shown, named=path in named)
