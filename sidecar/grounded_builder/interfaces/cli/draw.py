"""Implements ``grounded draw``: writes a model as SVG; reads the document in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from grounded_builder.compiler.parse import parse
from grounded_builder.diagnostics import Diagnostic, verdict_of
from grounded_builder.interfaces.cli.context import (
    UnusableError,
    known_domain,
    settings_from_environment,
)
from grounded_builder.interfaces.cli.isolated_compile import run_apart
from grounded_builder.interfaces.cli.output import complain, write_line
from grounded_builder.ir.domain import Domain, open_native_file
from grounded_builder.ir.options import Limits


def draw(
    model: Annotated[Path, typer.Argument(help="A .slx or .mdl file, or a model as JSON.")],
    output: Annotated[
        Path | None, typer.Option(help="The SVG file; default: standard output.")
    ] = None,
    system: Annotated[str | None, typer.Option(help="One subsystem by its path.")] = None,
    domain: Annotated[str, typer.Option(help="simulink")] = "simulink",
) -> None:
    """Draw a model as SVG, subsystem by subsystem."""
    known = known_domain(domain)
    if known.building.draw is None:
        raise UnusableError(f"documents of domain {domain} cannot be drawn")
    drawn = partial(_draw_file, model, known, known.building.draw, system)
    try:
        picture: str = run_apart(drawn, str(model), settings_from_environment())
    except KeyError as error:
        raise UnusableError(f"{model}: there is no subsystem {error.args[0]!r}") from error
    if output is None:
        write_line(picture.rstrip("\n"))
    else:
        output.write_text(picture, "utf-8")


def _draw_file(
    model: Path, domain: Domain, draw_document: Callable[..., str], system: str | None
) -> str:
    return draw_document(document_in(model, domain), system)


def document_in(file: Path, domain: Domain) -> Any:
    """Returns the document in a file; raises UnusableError where there is none."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UnusableError(f"{file}: {error.strerror or error}") from error
    native = open_native_file(raw, file.name, domain)
    if native is not None:
        document, diagnostics = native.document, native.diagnostics
    else:
        document, diagnostics = parse(raw, Limits())
    reading = domain.reading.read(document) if document is not None else None
    diagnostics = (*diagnostics, *(reading.diagnostics if reading is not None else ()))
    if reading is None or reading.graph is None:
        raise UnusableError(f"{file}: {_worst(diagnostics)}")
    if verdict_of(diagnostics) == "wrong":
        complain(f"{file}: {_worst(diagnostics)}")
    return document


def _worst(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns the first finding that makes a file wrong, else the first of all."""
    ordered = sorted(diagnostics, key=lambda diagnostic: diagnostic.rule.kind != "wrong")
    return ordered[0].message if ordered else "it contains no model"
