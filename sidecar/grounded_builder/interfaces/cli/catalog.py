"""Implements ``grounded catalog``: loads, lists, shows, compares and chooses catalogs."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.catalog.diff import CatalogDiff
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.text_cleaning import clean_name
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.add_library import add
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    clear_errors,
    known_domain,
    open_store,
)
from grounded_builder.interfaces.cli.output import write_json, write_line
from grounded_builder.ir.domain import convert_catalog
from grounded_builder.storage.catalogs import StoredCatalog

catalog = typer.Typer(help="Load, list, show, compare and choose catalogs.", no_args_is_help=True)

catalog.command()(add)

_SHOWN = 20
_Domain = Annotated[str, typer.Option(help="n8n, simulink or tools.")]


@catalog.command()
def load(
    file: Annotated[str, typer.Argument(help="A catalog file, or - for standard input.")],
    domain: _Domain = "n8n",
    *,
    reference: Annotated[bool, typer.Option(help="Store it for comparison only.")] = False,
) -> None:
    """Load a catalog, whole or not at all, and make it the active one.

    In domain tools a list of definitions is a catalog too: OpenAI functions, an MCP tool list.
    Contradictions in the definitions of new tools are reported on standard error; these tools can
    still be used.
    """
    known = known_domain(domain)
    with clear_errors():
        store = open_store()
        if file == "-":
            source = convert_catalog(io.BytesIO(sys.stdin.buffer.read()), known)
            loaded = store.load_catalog(source, domain, reference=reference)
        else:
            with _open_input(file) as stream:
                source = convert_catalog(stream, known)
                loaded = store.load_catalog(source, domain, reference=reference)
        doubts = _doubts(store.registry(loaded.fingerprint), loaded.diff, domain)
    write_line(f"{loaded.fingerprint[:12]} {_facts(loaded.catalog)}")
    write_line(_summary(loaded.diff))
    for doubt in doubts[:_SHOWN]:
        typer.echo(f"note: {doubt}", err=True)
    if len(doubts) > _SHOWN:
        typer.echo(f"note: and {len(doubts) - _SHOWN} more", err=True)


@catalog.command("list")
def list_(domain: _Domain = "n8n") -> None:
    """List the stored catalogs, most recently loaded or used first."""
    with clear_errors():
        for stored in open_store().catalogs(domain):
            mark = "*" if stored.is_active else "r" if stored.is_reference else " "
            write_line(f"{mark} {stored.fingerprint[:12]}  {stored.loaded_at}  {_facts(stored)}")


@catalog.command()
def show(
    tool: Annotated[str, typer.Argument(help="A tool id; without one, the catalog.")] = "",
    domain: _Domain = "n8n",
    fingerprint: Annotated[str, typer.Option("--catalog", help="A fingerprint.")] = "",
) -> None:
    """Show the full entry of one tool, or the facts of a catalog."""
    with clear_errors():
        store = open_store()
        registry = store.registry(fingerprint) if fingerprint else store.active(domain)
    if registry is None:
        raise UnusableError(f"no catalog of domain {domain} is loaded")
    if not tool:
        write_json(_full(store.catalog(registry.fingerprint)))
        return
    if tool not in registry.tools:
        near = ", ".join(hit.id for hit in registry.names.near(tool))
        raise UnusableError(
            f"no tool {tool!r} in the catalog{f'; nearest: {near}' if near else ''}"
        )
    write_json(registry.tool(tool))


@catalog.command()
def diff(
    old: Annotated[str, typer.Argument(help="A fingerprint.")],
    new: Annotated[str, typer.Argument(help="A fingerprint.")],
) -> None:
    """Show the changes from one stored catalog to another."""
    with clear_errors():
        changes = open_store().diff(old, new)
    for tool in changes.added:
        write_line(f"+ {tool}")
    for tool in changes.removed:
        write_line(f"- {tool}")
    for change in changes.changed:
        added = "".join(f" +{version:g}" for version in change.versions_added)
        removed = "".join(f" -{version:g}" for version in change.versions_removed)
        write_line(f"~ {change.id}{added}{removed}")
    write_line(_summary(changes))


@catalog.command()
def use(
    fingerprint: Annotated[str, typer.Argument(help="A fingerprint or its beginning.")],
    domain: _Domain = "n8n",
) -> None:
    """Make a stored catalog the active one."""
    with clear_errors():
        chosen = open_store().use(domain, fingerprint)
    write_line(f"{chosen.fingerprint[:12]} {_facts(chosen)}")


def _open_input(file: str) -> Any:
    try:
        return Path(file).open("rb")
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror}") from error


def _doubts(registry: Registry, changes: CatalogDiff, domain: str) -> list[str]:
    """Returns the contradictions in the definitions of tools that are new or changed."""
    ids = (*changes.added, *(change.id for change in changes.changed))
    contradictions = DOMAINS[domain].resolving.contradictions
    if contradictions is None:
        return []
    return [clean_name(doubt) for id_ in ids for doubt in contradictions(registry.tool(id_))]


def _facts(stored: StoredCatalog) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in stored.versions.items())
    broken = [package["name"] for package in stored.packages if package.get("error")]
    note = f", not loaded: {', '.join(broken[:_SHOWN])}" if broken else ""
    return f"{stored.domain} {stored.origin} ({versions}): {stored.tools} tools{note}"


def _full(stored: StoredCatalog) -> dict[str, Any]:
    return {
        "fingerprint": stored.fingerprint,
        "domain": stored.domain,
        "origin": stored.origin,
        "versions": stored.versions,
        "packages": list(stored.packages),
        "tools": stored.tools,
        "credentials": stored.credentials,
        "loaded_at": stored.loaded_at,
        "active": stored.is_active,
        "reference": stored.is_reference,
    }


def _summary(changes: CatalogDiff) -> str:
    if changes.is_empty:
        return "nothing changed"
    return (
        f"{len(changes.added)} tools added, {len(changes.changed)} changed, "
        f"{len(changes.removed)} removed"
    )
