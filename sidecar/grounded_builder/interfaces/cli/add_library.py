"""Implements ``grounded catalog add``: adds the blocks of library files to the active catalog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grounded_builder.domains.simulink.libraries.catalog_line import OWN
from grounded_builder.domains.simulink.libraries.extend_catalog import (
    find_link_cycle,
    merge_libraries,
)
from grounded_builder.domains.simulink.libraries.files import Library, read_library
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    open_store,
)
from grounded_builder.interfaces.cli.output import write_line
from grounded_builder.interfaces.cli.output_file import MATLAB_NAME

_DOMAIN = "simulink"


def add(
    files: Annotated[list[Path], typer.Argument(help="Libraries: .slx or .mdl files.")],
) -> None:
    """Add the blocks of your own Simulink libraries to the active catalog.

    Drafts may use them afterwards, and models that link to them are checked without the files. A
    library that is added again replaces its earlier version.
    """
    libraries = [_read_library(file) for file in files]
    twice = {
        library.name
        for library in libraries
        if [two.name for two in libraries].count(library.name) > 1
    }
    if twice:
        raise UnusableError(f"two files are called {min(twice)}: rename one of them")
    with clear_errors():
        store = open_store()
        registry = store.active(_DOMAIN)
        if registry is None:
            raise UnusableError("no catalog of domain simulink is loaded")
        taken = {row.package for row in registry.tools.values() if row.family != OWN}
        if known := next((library.name for library in libraries if library.name in taken), None):
            raise UnusableError(f"{known} is a library that the catalog already has from a product")
        if circle := find_link_cycle(registry, libraries):
            raise UnusableError(
                f"{_format_path(circle)}: library blocks link to each other in a cycle, which "
                "Simulink cannot load; break one of the links, nothing was added"
            )
        loaded = store.load_catalog(merge_libraries(registry, libraries), _DOMAIN)
    write_line(f"{loaded.fingerprint[:12]} {loaded.catalog.tools} tools")
    for tool in loaded.diff.added:
        write_line(f"+ {tool}")
    for change in loaded.diff.changed:
        write_line(f"~ {change.id}")
    for tool in loaded.diff.removed:
        write_line(f"- {tool}")


def _format_path(circle: tuple[str, ...]) -> str:
    return " -> ".join(circle)


def _read_library(file: Path) -> Library:
    if not file.is_file():
        raise UnusableError(f"{file}: no such file")
    if not MATLAB_NAME.fullmatch(file.stem):
        raise UnusableError(f"{file}: a library file is named like pumps.slx")
    library = read_library(file, file.stem)
    if library is None:
        raise UnusableError(f"{file}: not a readable library; see `grounded validate`")
    return library
