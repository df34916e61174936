"""Implements ``grounded doctor``: runs all checks of an installation and names remedies."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from grounded_builder.diagnostics.escape import escape_invisible
from grounded_builder.domains.known import DOMAINS
from grounded_builder.domains.n8n.deploy.instance_status import condition_of
from grounded_builder.interfaces.cli.context import known_domain, settings_from_environment
from grounded_builder.interfaces.cli.doctor.catalogs import CheckedDomains, check_catalogs
from grounded_builder.interfaces.cli.doctor.clock import check_clock
from grounded_builder.interfaces.cli.doctor.database import check_database, check_keys, check_token
from grounded_builder.interfaces.cli.doctor.drafters import check_drafters
from grounded_builder.interfaces.cli.doctor.finding import Observation, State
from grounded_builder.interfaces.cli.doctor.instance import check_instance
from grounded_builder.interfaces.cli.doctor.node import check_node
from grounded_builder.interfaces.cli.doctor.state_folder import check_disk, check_folder
from grounded_builder.interfaces.cli.output import (
    Format,
    expect_form,
    write_json,
    write_line,
    write_record,
)
from grounded_builder.settings import Settings
from grounded_builder.storage.inspect import Condition, look_at

_STATE_WIDTH, _PART_WIDTH = 9, 16


_N8N = "n8n"


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


def examine(
    settings: Settings, environ: Mapping[str, str], domain: str | None = None
) -> tuple[Observation, ...]:
    """Returns all observations, causes before consequences.

    With a ``domain`` only the parts that it needs, all of them required.
    """
    condition = look_at(settings.database_url)
    wanted = _checked_domains(domain, settings)
    with_n8n = _N8N in wanted.domains
    n8n = condition_of(settings.n8n_url if with_n8n else None, settings.n8n_api_key)
    maker = check_node(environ, needed=_N8N in wanted.used | condition.domains)
    return (
        check_folder(settings.state),
        check_disk(settings.state),
        check_database(condition),
        # Without a readable database nothing more can be checked.
        *(_within(condition, settings, wanted, n8n.version) if condition.is_open else ()),
        *((maker, check_instance(n8n)) if with_n8n else ()),
        *check_drafters(settings),
        check_clock(time.time(), condition, n8n),
    )


def _checked_domains(domain: str | None, settings: Settings) -> CheckedDomains:
    if domain is not None:
        return CheckedDomains(frozenset({domain}), frozenset({domain}))
    return CheckedDomains(frozenset(DOMAINS), frozenset({_N8N} if settings.n8n_url else ()))


def _within(
    condition: Condition, settings: Settings, wanted: CheckedDomains, running: str | None
) -> tuple[Observation, ...]:
    return (
        check_keys(condition, settings.receipt_key),
        check_token(condition, settings.state),
        *check_catalogs(
            condition,
            wanted,
            running,
            [name for name, domain in DOMAINS.items() if domain.resolving.builtin],
        ),
    )
