"""Judge files again when they change."""

from __future__ import annotations

from pathlib import Path

from watchfiles import Change
from watchfiles import watch as changes_of

from grounded_builder.cli.environment import UnusableError, Workbench
from grounded_builder.cli.files import Found
from grounded_builder.cli.inputs import STDIN
from grounded_builder.cli.output import Format, write_line
from grounded_builder.cli.run_lint import Task, run_on


def watch(task: Task, bench: Workbench) -> None:
    """Wait for changes below the paths and judge each changed file, until interrupted."""
    roots = [Path(path) for path in task.paths if path != STDIN]
    if not roots or len(roots) != len(task.paths) or task.style.form is not Format.text:
        raise UnusableError("--watch takes files and folders, and writes text")
    named = {root.absolute() for root in roots if root.is_file()}
    folders = {root if root.is_dir() else root.parent for root in roots}
    write_line("waiting for changes")
    for changes in changes_of(*folders, raise_interrupt=False):
        changed = sorted({Path(path) for change, path in changes if change != Change.deleted})
        files = [_found(path, named) for path in changed if _is_meant(path, task, named, bench)]
        if files:
            run_on(files, task, bench)


def _is_meant(path: Path, task: Task, named: set[Path], bench: Workbench) -> bool:
    if path in named:
        return True
    folders = [Path(word).absolute() for word in task.paths if Path(word).is_dir()]
    below = any(path.is_relative_to(folder) for folder in folders)
    meant = path.name.endswith(bench.domain.suffixes)
    return below and meant and not task.configuration.excludes(path)


def _found(path: Path, named: set[Path]) -> Found:
    here = Path.cwd()
    shown = path.relative_to(here) if path.is_relative_to(here) else path
    return Found(shown, named=path in named)
