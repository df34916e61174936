"""Finds the input files that paths, folders and patterns name, and files in or near folders."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grounded_builder.interfaces.cli.context import UnusableError

SUFFIX = ".json"
_SKIPPED = frozenset({"node_modules", "__pycache__"})


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file to read; ``named`` when an argument names it directly, not by a folder or pattern."""

    path: Path
    named: bool


def find(
    words: list[str],
    excludes: Callable[[Path], bool] = lambda _: False,
    suffixes: tuple[str, ...] = (SUFFIX,),
) -> list[InputFile]:
    """Returns the files that arguments name, in order and without repetition.

    Folders give their files with these suffixes, without hidden folders; links are followed, and a
    folder is walked once. Raises UnusableError for an argument that names nothing.
    """
    files: dict[Path, InputFile] = {}
    for word in words:
        for file in _files_of(word, suffixes):
            if file.named or not excludes(file.path):
                files.setdefault(file.path, file)
    return list(files.values())


def around(words: list[str], suffixes: tuple[str, ...]) -> list[Path]:
    """Returns the files with these suffixes below the given folders and beside the given files."""
    files: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            files |= dict.fromkeys(_walk(path, suffixes))
        elif path.is_file():
            files |= dict.fromkeys(in_folder(path.parent, suffixes))
        else:
            files |= dict.fromkeys(file.path for file in _files_of(word, suffixes))
    return list(files)


def in_folder(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Returns the files with these suffixes directly in a folder, none where it cannot
    be listed.
    """
    try:
        return sorted(
            path for path in folder.iterdir() if path.suffix in suffixes and path.is_file()
        )
    except OSError:
        return []


def lies_below(word: str) -> bool:
    """Returns whether an argument names several files: a folder or a pattern."""
    return Path(word).is_dir() or (glob.has_magic(word) and not Path(word).exists())


def _files_of(word: str, suffixes: tuple[str, ...]) -> Iterator[InputFile]:
    path = Path(word)
    if path.is_dir():
        below = sorted(_walk(path, suffixes))
        if not below:
            endings = " or ".join(f"*{suffix}" for suffix in suffixes)
            raise UnusableError(f"{path}: no {endings} file is in this folder")
        yield from (InputFile(file, named=False) for file in below)
    elif path.exists():
        yield InputFile(path, named=True)
    elif glob.has_magic(word):
        hits = sorted(Path(hit) for hit in glob.iglob(word, recursive=True))  # noqa: PTH207 - may be absolute
        files = [file for hit in hits for file in (_walk(hit, suffixes) if hit.is_dir() else [hit])]
        if not files:
            raise UnusableError(f"{word}: no file matches")
        yield from (InputFile(file, named=False) for file in files)
    else:
        raise UnusableError(f"{path}: no such file or folder")


def _walk(top: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Yields every document below a folder; a folder that two links lead to is walked once."""
    seen: set[tuple[int, int]] = set()
    files: list[Path] = []
    for folder, folders, names in os.walk(top, followlinks=True):
        here = Path(folder).stat()
        if (here.st_dev, here.st_ino) in seen:
            folders.clear()
            continue
        seen.add((here.st_dev, here.st_ino))
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in _SKIPPED
        )
        files += [
            path
            for name in names
            if name.endswith(suffixes) and (path := Path(folder, name)).is_file()
        ]
    return sorted(files)
