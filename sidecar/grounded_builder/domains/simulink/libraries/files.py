"""Finds library files by name, and reads libraries from files, bytes or models, with a cache."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from grounded_builder.domains.simulink.read.document import block_path, systems
from grounded_builder.domains.simulink.read.model import LARGEST, open_model

SUFFIXES = (".slx", ".mdl")
_KEPT = 64
# A package with its forwarding table in a separate file, which is not read.
_ASIDE = re.compile(rb"PK\x03\x04.{26}[\w/.-]{0,80}[Ff]orwarding", re.DOTALL)
# With more files of one name than this, none is a library of a MATLAB path.
_SAME_NAME = 8


# The notation in libraries: ||__slOldName__||old||__slNewName__||new, once for each block.
_OLD_NAME = "||__slOldName__||"
_NEW_NAME = "||__slNewName__||"


@dataclass(frozen=True, slots=True)
class Library:
    """The blocks of a library by id, including nested ones, and new ids by former ids.

    ``whole`` is true where the library contains no other blocks. ``defaults`` are the parameters by
    BlockType that the file states once.
    """

    name: str
    blocks: Mapping[str, Mapping[str, Any]]
    renamed: Mapping[str, str]
    defaults: Mapping[str, Mapping[str, str]]
    whole: bool


class LibraryFolder:
    """The model files of some folders; their order on the MATLAB path is not known.

    Of several files with one name all count, and none is assumed to be the whole library.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._files: dict[str, list[Path]] = defaultdict(list)
        for file in files:
            if file.suffix.lower() in SUFFIXES:
                self._files[file.stem].append(file)
        self.library = lru_cache(_KEPT)(self._library)

    def __contains__(self, name: str) -> bool:
        """Returns whether a file has this name; it may be a model."""
        return name in self._files

    def _library(self, name: str) -> Library | None:
        """Returns the library of this name; None where no readable file of it is a library."""
        files = _sort_preferred(self._files.get(name, []))
        libraries = [
            library
            for file in files[:_SAME_NAME]
            if (library := read_library(file, name)) is not None
        ]
        if not libraries:
            return None
        if len(libraries) == len(files) == 1:
            return libraries[0]
        blocks: dict[str, Mapping[str, Any]] = {}
        renamed: dict[str, str] = {}
        for library in reversed(libraries):
            blocks |= library.blocks
            renamed |= library.renamed
        return Library(name, blocks, renamed, libraries[0].defaults, whole=False)


def _sort_preferred(files: list[Path]) -> list[Path]:
    """Returns files in a fixed order; of two in one folder only the ``.slx``."""
    chosen: dict[Path, Path] = {}
    for file in sorted(files, key=lambda file: (file.parent, file.suffix != ".slx", file)):
        chosen.setdefault(file.parent, file)
    return list(chosen.values())


def read_library(file: Path, name: str) -> Library | None:
    """Returns the library in a file; None where it cannot be read or is not a library."""
    try:
        if file.stat().st_size > LARGEST:
            return None
        raw = file.read_bytes()
    except OSError:
        return None
    return library_in(raw, name)


def library_in(raw: bytes, name: str) -> Library | None:
    """Returns the library in bytes; None where they cannot be read or are not a library."""
    model, diagnostics = open_model(raw, name)
    if model is None or model["kind"] != "library":
        return None
    sound = all(diagnostic.rule.kind != "wrong" for diagnostic in diagnostics)
    return library_of(model, name, whole=sound and not _ASIDE.search(raw))


def library_of(model: Mapping[str, Any], name: str, *, whole: bool = True) -> Library:
    """Returns the library of a model that was read; its name is that of the file."""
    blocks: dict[str, Mapping[str, Any]] = {}
    for _, path, system in systems(model):
        for block in system["blocks"]:
            spelled = f"{name}/{block_path((*path, block['name']))}"
            blocks.setdefault(" ".join(spelled.split()), block)
            # Its code may add blocks to it.
            whole = whole and not block.get("mask", {}).get("modifies")
    renamed, understood = _read_forwarding(model)
    return Library(name, blocks, renamed, model.get("defaults", {}), whole and understood)


def _read_forwarding(model: Mapping[str, Any]) -> tuple[dict[str, str], bool]:
    """Returns new ids by former ids, and whether all of the table was understood."""
    settings = [value for name, value in model["settings"].items() if name.startswith("Forwarding")]
    renamed: dict[str, str] = {}
    whole = True
    for text in filter(None, map(str.strip, settings)):
        pairs = [part.split(_NEW_NAME) for part in text.split(_OLD_NAME)[1:]]
        whole = whole and bool(pairs) and all(len(pair) == 2 for pair in pairs)
        renamed |= {
            _forwarded_id(pair[0]): _forwarded_id(pair[1]) for pair in pairs if len(pair) == 2
        }
    return renamed, whole


def _forwarded_id(text: str) -> str:
    return " ".join(text.partition("||")[0].split())
