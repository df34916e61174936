"""Writes lines and JSON to standard output, and faults to standard error; defines formats."""

from __future__ import annotations

import enum
import os
import shutil
import sys
from collections.abc import Mapping
from typing import Any

import typer
from rich.console import Console

from grounded_builder.diagnostics.escape import escape_invisible
from grounded_builder.diagnostics.excerpt import Look
from grounded_builder.diagnostics.json_texts import dump_json

_NO_TERMINAL = 100


class Format(enum.StrEnum):
    """The forms in which findings are written."""

    text = "text"
    json = "json"
    jsonl = "jsonl"
    sarif = "sarif"
    github = "github"


def expect_form(form: Format, *known: Format) -> None:
    """Raises UnusableError for a form that a command does not write, with the forms it writes."""
    if form not in known:
        names = ", ".join(format_.value for format_ in known)
        raise typer.BadParameter(f"this command writes {names}", param_hint="--format")


def write_line(text: str) -> None:
    """Writes one line to standard output."""
    sys.stdout.write(text + "\n")


def write_record(record: Mapping[str, Any]) -> None:
    """Writes one JSON object on a line and flushes it, so that a reader need not wait."""
    sys.stdout.write(dump_json(record) + "\n")
    sys.stdout.flush()


def write_fault(identity: Any, fault: str) -> None:
    """Writes the answer to an unusable line, in the shape that all commands share."""
    write_record({"id": identity, "error": fault})


def write_json(value: Any) -> None:
    """Writes one JSON value, indented for people."""
    write_line(dump_json(value, indent=True))


def complain(message: str) -> None:
    """Writes one line to standard error."""
    sys.stderr.write(f"grounded: {escape_invisible(message)}\n")


def terminal_look() -> Look:
    """Returns the columns and colours of standard output; NO_COLOR and TERM=dumb
    disable colours.
    """
    console = Console()
    colour = console.is_terminal and not console.no_color and console.color_system is not None
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return Look(shutil.get_terminal_size().columns, colour)
    return Look(_NO_TERMINAL, colour)
