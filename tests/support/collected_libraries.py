"""Reads the library files of repositories among the collected models, by original name."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path, PurePosixPath

from grounded_builder.domains.simulink.libraries.files import Library, library_of
from grounded_builder.domains.simulink.libraries.link_cycles import Find
from grounded_builder.domains.simulink.read.model import open_model


@cache
def read_own_libraries(folder: Path) -> dict[str, dict[str, Library]]:
    """Returns the libraries of each repository by original name, unlike the name of the file."""
    entries: dict[str, dict[str, Library]] = defaultdict(dict)
    for entry in json.loads((folder / "manifest.json").read_text("utf-8")):
        if entry["kind"] == "library":
            name = PurePosixPath(entry["path"]).stem
            model, _ = open_model((folder / entry["file"]).read_bytes(), name)
            if model is not None and model["kind"] == "library":
                entries[entry["repo"]][name] = library_of(model, name)
    return entries


def make_finder(folder: Path, repository: str) -> Find:
    """Returns a function that finds the libraries of one repository by name."""
    return read_own_libraries(folder).get(repository, {}).get
