"""Implements ``grounded doctor``: checks this installation and names a remedy for each fault."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from grounded_builder.diagnostics.escape import escape_invisible
from grounded_builder.interfaces.cli.context import known_domain, settings_from_environment
from grounded_builder.interfaces.cli.doctor.finding import Observation, State
from grounded_builder.interfaces.cli.doctor.run import examine
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_json,
    write_line,
    write_record,
)

_STATE_WIDTH, _PART_WIDTH = 9, 16


def doctor(
    form: Annotated[Format, typer.Option("--format", help="text, json or jsonl.")] = Format.text,
    domain: Annotated[
        str, typer.Option(help="n8n, simulink or tools: check only its parts, all required.")
    ] = "",
    *,
    strict: Annotated[
        bool, typer.Option("--strict", help="Treat doubtful parts as failures.")
    ] = False,
) -> None:
    """Check this installation and change nothing; exit 1 where something fails."""
    expect_form(form, Format.text, Format.json, Format.jsonl)
    only_domain = known_domain(domain).name if domain else None
    seen = examine(settings_from_environment(), os.environ, only_domain)
    verdict = _verdict(seen)
    if form is Format.json:
        write_json(
            {"verdict": verdict, "parts": [_observation_json(observation) for observation in seen]}
        )
    for observation in seen:
        if form is Format.jsonl:
            write_record(_observation_json(observation))
        elif form is Format.text:
            _write_observation(observation)
    if form is Format.text:
        write_line(verdict)
    if verdict == "failed" or (strict and verdict == "doubtful"):
        raise typer.Exit(1)


def _verdict(seen: tuple[Observation, ...]) -> State:
    states = {observation.state for observation in seen}
    return "failed" if "failed" in states else "doubtful" if "doubtful" in states else "ok"


def _observation_json(observation: Observation) -> Mapping[str, str]:
    return asdict(observation)


def _write_observation(seen: Observation) -> None:
    line = (
        f"{seen.state:<{_STATE_WIDTH}} {seen.part:<{_PART_WIDTH}} {escape_invisible(seen.message)}"
    )
    write_line(line)
    if seen.help:
        write_line(f"{'':<{_STATE_WIDTH}} {'':<{_PART_WIDTH}} help: {escape_invisible(seen.help)}")
