"""Which files a command is given: named ones, patterns, and folders walked once."""

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
class Found:
    """A file to read; ``named`` when the command line names it, not a folder or pattern."""

    path: Path
    named: bool


def find(
    words: list[str],
    excludes: Callable[[Path], bool] = lambda _: False,
    suffixes: tuple[str, ...] = (SUFFIX,),
) -> list[Found]:
    """Returns the files that paths and patterns stand for, in order, each once.

    Folders give their files with these endings, hidden folders left out; links are followed, a
    folder is walked once. Raises UnusableError for a word that stands for nothing.
    """
    entries: dict[Path, Found] = {}
    for word in words:
        for item in _meant(word, suffixes):
            if item.named or not excludes(item.path):
                entries.setdefault(item.path, item)
    return list(entries.values())


def around(words: list[str], suffixes: tuple[str, ...]) -> list[Path]:
    """Returns the files with these endings below the folders that are given, and beside single
    files.
    """
    entries: dict[Path, None] = {}
    for word in words:
        path = Path(word)
        if path.is_dir():
            entries |= dict.fromkeys(_walked(path, suffixes))
        elif path.is_file():
            entries |= dict.fromkeys(in_folder(path.parent, suffixes))
        else:
            entries |= dict.fromkeys(item.path for item in _meant(word, suffixes))
    return list(entries)


def in_folder(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Returns the files with these endings in one folder alone, none where it cannot be listed."""
    try:
        return sorted(
            path for path in folder.iterdir() if path.suffix in suffixes and path.is_file()
        )
    except OSError:
        return []


def lies_below(word: str) -> bool:
    """Returns whether a word stands for several files: a folder or a pattern."""
    return Path(word).is_dir() or (glob.has_magic(word) and not Path(word).exists())


def _meant(word: str, suffixes: tuple[str, ...]) -> Iterator[Found]:
    path = Path(word)
    if path.is_dir():
        below = sorted(_walked(path, suffixes))
        if not below:
            endings = " or ".join(f"*{suffix}" for suffix in suffixes)
            raise UnusableError(f"{path}: no {endings} file in this folder")
        yield from (Found(item, named=False) for item in below)
    elif path.exists():
        yield Found(path, named=True)
    elif glob.has_magic(word):
        hits = sorted(Path(hit) for hit in glob.iglob(word, recursive=True))  # noqa: PTH207 - may be absolute
        files = [
            file for hit in hits for file in (_walked(hit, suffixes) if hit.is_dir() else [hit])
        ]
        if not files:
            raise UnusableError(f"{word}: no file has such a path")
        yield from (Found(file, named=False) for file in files)
    else:
        raise UnusableError(f"{path}: no such file or folder")


def _walked(top: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Returns every document below a folder; a folder that two links lead to is walked once."""
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
