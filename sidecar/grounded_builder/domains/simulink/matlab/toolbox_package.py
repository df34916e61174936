"""Writes the MATLAB toolbox that ships with the package to a folder or a zip."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_ROOT = "grounded-matlab"
_SUFFIXES = (".m", ".json", ".md")
# The earliest time that a zip can store, so that the same toolbox gives the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)
_READABLE = 0o644


def toolbox_files() -> tuple[tuple[str, bytes], ...]:
    """Returns the files of the toolbox with their relative paths, sorted by path."""
    start = resources.files(__package__).joinpath("toolbox")
    return tuple(sorted(_below(start, "")))


def install(folder: Path, *, overwrite: bool = False) -> int:
    """Writes the toolbox to a folder and returns the number of files.

    The folder is replaced only when all files are written. Raises FileExistsError when it exists
    and is not to be overwritten.
    """
    if (folder.exists() or folder.is_symlink()) and not overwrite:
        raise FileExistsError(f"{folder} exists")
    folder.parent.mkdir(parents=True, exist_ok=True)
    files = toolbox_files()
    fresh = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        fresh.chmod(0o755)
        for path, content in files:
            target = fresh / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        if folder.exists():
            _replace(folder, fresh)
        else:
            fresh.rename(folder)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return len(files)


def write_zip(file: Path, *, overwrite: bool = False) -> int:
    """Writes the toolbox as a zip and returns the number of files."""
    if file.exists() and not overwrite:
        raise FileExistsError(f"{file} exists")
    file.parent.mkdir(parents=True, exist_ok=True)
    files = toolbox_files()
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for path, content in files:
            entry = ZipInfo(f"{_ROOT}/{path}", _TIME)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = _READABLE << 16
            archive.writestr(entry, content)
    return len(files)


def _below(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for traversable in folder.iterdir():
        if traversable.is_dir():
            yield from _below(traversable, f"{path}{traversable.name}/")
        elif traversable.name.endswith(_SUFFIXES):
            yield f"{path}{traversable.name}", traversable.read_bytes()


def _replace(folder: Path, fresh: Path) -> None:
    """Replaces an existing toolbox; raises FileExistsError for a folder without one."""
    if not (folder / "+grounded").is_dir() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} exists and does not contain the toolbox")
    for path in sorted(fresh.rglob("*")):
        target = folder / path.relative_to(fresh)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            path.replace(target)
