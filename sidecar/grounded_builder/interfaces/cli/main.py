"""Assembles the command line ``grounded`` from its subcommands, and runs it."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from grounded_builder import __version__
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import prepare_catalog
from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.cli.aliases import aliases
from grounded_builder.interfaces.cli.analytics import analytics
from grounded_builder.interfaces.cli.backup import backup, restore
from grounded_builder.interfaces.cli.build import build
from grounded_builder.interfaces.cli.catalog import catalog
from grounded_builder.interfaces.cli.context import UnusableError
from grounded_builder.interfaces.cli.doctor.command import doctor
from grounded_builder.interfaces.cli.draw import draw
from grounded_builder.interfaces.cli.edit import edit
from grounded_builder.interfaces.cli.explain import explain
from grounded_builder.interfaces.cli.find import find
from grounded_builder.interfaces.cli.generate import generate
from grounded_builder.interfaces.cli.import_workflow import import_
from grounded_builder.interfaces.cli.jobs import jobs
from grounded_builder.interfaces.cli.matlab import matlab
from grounded_builder.interfaces.cli.mcp import mcp
from grounded_builder.interfaces.cli.output import complain, write_line
from grounded_builder.interfaces.cli.plan import plan
from grounded_builder.interfaces.cli.rehearse import rehearse_file
from grounded_builder.interfaces.cli.repair import repair
from grounded_builder.interfaces.cli.resolve import resolve
from grounded_builder.interfaces.cli.route import route
from grounded_builder.interfaces.cli.runs import runs
from grounded_builder.interfaces.cli.serve import serve
from grounded_builder.interfaces.cli.tokens import tokens
from grounded_builder.interfaces.cli.tools import tools
from grounded_builder.interfaces.cli.trial import try_file
from grounded_builder.interfaces.cli.validate import validate

app = typer.Typer(
    name="grounded",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """A compiler front end for automation graphs: nothing unresolved gets through."""


app.command()(validate)
app.command()(draw)
app.command()(plan)
app.command()(repair)
app.command()(build)
app.command()(generate)
app.command()(edit)
app.command()(resolve)
app.command()(find)
app.command("import")(import_)
app.command("try")(try_file)
app.command("rehearse")(rehearse_file)
app.command()(route)
app.command()(runs)
app.command()(analytics)
app.command()(explain)
app.command()(serve)
app.command()(mcp)
app.command()(doctor)
app.command()(backup)
app.command()(restore)
app.add_typer(catalog, name="catalog")
app.add_typer(tools, name="tools")
app.add_typer(aliases, name="aliases")
app.add_typer(tokens, name="tokens")
app.add_typer(matlab, name="matlab")
app.add_typer(jobs, name="jobs")


def main() -> None:
    """Runs the command line; an environment error is one line on standard error and
    exit status 2.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A draft may contain text that the terminal cannot show, such as half an emoji.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except UnusableError as error:
        complain(str(error))
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
