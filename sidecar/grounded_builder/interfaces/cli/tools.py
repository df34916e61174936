"""Implements ``grounded tools``: lists, adds and removes the tools added to the active catalog."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer

from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    known_domain,
    open_store,
)
from grounded_builder.interfaces.cli.output import write_line
from grounded_builder.ir.domain import convert_tool
from grounded_builder.storage import StoredCatalog
from grounded_builder.storage.store import Store

tools = typer.Typer(
    help="Manage single tools added to the active catalog; each change makes a new catalog.",
    no_args_is_help=True,
)

_LARGEST = 16_000_000
_Domain = Annotated[str, typer.Option(help="n8n, simulink or tools.")]


@tools.command("list")
def list_(domain: _Domain = "n8n") -> None:
    """List the tools that were added to the active catalog."""
    known_domain(domain)
    with clear_errors():
        active = [catalog for catalog in open_store().catalogs(domain) if catalog.is_active]
    for tool in active[0].overlay if active else ():
        write_line(tool)


@tools.command()
def put(
    file: Annotated[
        str, typer.Argument(help="A file with one tool, in a shape of docs/tools.md, or -.")
    ],
    domain: _Domain = "n8n",
) -> None:
    """Add a tool, or replace an added one; a tool of the catalog itself is never replaced."""
    known = known_domain(domain)
    with clear_errors():
        line = convert_tool(_read(file), known)
    _apply_change(domain, lambda store: store.put_tool(domain, line))


@tools.command()
def remove(
    tool: Annotated[str, typer.Argument(help="The id of an added tool.")],
    domain: _Domain = "n8n",
) -> None:
    """Remove an added tool; without added tools the former catalog is active again."""
    _apply_change(domain, lambda store: store.remove_tool(domain, tool))


def _apply_change(domain: str, change: Callable[[Store], StoredCatalog]) -> None:
    known_domain(domain)
    with clear_errors():
        stored = change(open_store())
    count = len(stored.overlay)
    write_line(f"{stored.fingerprint[:12]} {stored.tools} tools, {count} of them added")


def _read(file: str) -> dict[str, Any]:
    try:
        if file == "-":
            raw = sys.stdin.buffer.read(_LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                raw = stream.read(_LARGEST + 1)
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror}") from error
    if len(raw) > _LARGEST:
        raise UnusableError(f"{file}: larger than {_LARGEST:,} bytes")
    try:
        line = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise UnusableError(f"{file}: not JSON: {error}") from error
    if not isinstance(line, dict):
        raise UnusableError(f"{file}: a JSON object is expected, one tool")
    return line
