"""Examine one installation, part by part; nothing is made, migrated or changed by it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from grounded_builder.domains.known import DOMAINS
from grounded_builder.domains.n8n.deploy.instance_status import condition_of
from grounded_builder.interfaces.cli.doctor.catalogs import Wanted, catalogs
from grounded_builder.interfaces.cli.doctor.clock import clock
from grounded_builder.interfaces.cli.doctor.database import database, keys, token
from grounded_builder.interfaces.cli.doctor.drafters import drafters
from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.interfaces.cli.doctor.instance import instance
from grounded_builder.interfaces.cli.doctor.node import node
from grounded_builder.interfaces.cli.doctor.state_folder import disk, folder
from grounded_builder.settings import Settings
from grounded_builder.storage.inspect import Condition, look_at

_N8N = "n8n"


def examine(
    settings: Settings, environ: Mapping[str, str], domain: str | None = None
) -> tuple[Observation, ...]:
    """Everything that was seen, in an order in which causes come before what follows from them.

    With a ``domain`` only what it needs, and it is taken to be in use.
    """
    condition = look_at(settings.database_url)
    wanted = _wanted(domain, settings)
    with_n8n = _N8N in wanted.domains
    n8n = condition_of(settings.n8n_url if with_n8n else None, settings.n8n_api_key)
    maker = node(environ, needed=_N8N in wanted.used | condition.domains)
    return (
        folder(settings.state),
        disk(settings.state),
        database(condition),
        # Of a database that cannot be looked into nothing more is known.
        *(_within(condition, settings, wanted, n8n.version) if condition.is_open else ()),
        *((maker, instance(n8n)) if with_n8n else ()),
        *drafters(settings),
        clock(time.time(), condition, n8n),
    )


def _wanted(domain: str | None, settings: Settings) -> Wanted:
    if domain is not None:
        return Wanted(frozenset({domain}), frozenset({domain}))
    return Wanted(frozenset(DOMAINS), frozenset({_N8N} if settings.n8n_url else ()))


def _within(
    condition: Condition, settings: Settings, wanted: Wanted, running: str | None
) -> tuple[Observation, ...]:
    return (
        keys(condition, settings.receipt_key),
        token(condition, settings.state),
        *catalogs(
            condition,
            wanted,
            running,
            [name for name, domain in DOMAINS.items() if domain.resolving.builtin],
        ),
    )
