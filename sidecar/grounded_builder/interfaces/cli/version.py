"""Implements ``grounded --version``: shows the version and the catalogs in the package."""

from __future__ import annotations

import typer

from grounded_builder import __version__
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import prepare_catalog
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.output import write_line


def show_version(wanted: bool) -> None:
    """Prints the version and exits, where requested."""
    if not wanted:
        return
    write_line(f"grounded {__version__}")
    for name, domain in DOMAINS.items():
        if domain.resolving.builtin is not None:
            catalog = prepare_catalog(read_catalog(domain.resolving.builtin(), name))
            tools = sum(row.kind == "tool" for row in catalog.entries)
            write_line(f"{name} catalog {catalog.fingerprint[:12]}: {tools:,} tools")
    raise typer.Exit
