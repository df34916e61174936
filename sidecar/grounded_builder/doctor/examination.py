"""Examine one installation, part by part; nothing is made, migrated or changed by it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from grounded_builder.doctor.catalogs import catalogs
from grounded_builder.doctor.clock import clock
from grounded_builder.doctor.database import database, keys, token
from grounded_builder.doctor.drafters import drafters
from grounded_builder.doctor.instance import instance
from grounded_builder.doctor.node import node
from grounded_builder.doctor.observation import Observation
from grounded_builder.doctor.state_folder import disk, folder
from grounded_builder.domains.known import DOMAINS
from grounded_builder.domains.n8n.condition import condition_of
from grounded_builder.settings import Settings
from grounded_builder.storage.condition import Condition, look_at


def examine(settings: Settings, environ: Mapping[str, str]) -> tuple[Observation, ...]:
    """Everything that was seen, in an order in which causes come before what follows from them."""
    kept = look_at(settings.database_url)
    n8n = condition_of(settings.n8n_url, settings.n8n_api_key)
    return (
        folder(settings.state),
        disk(settings.state),
        database(kept),
        # Of a database that cannot be looked into nothing more is known.
        *(_within(kept, settings, n8n.version) if kept.is_open else ()),
        node(environ),
        instance(n8n),
        *drafters(settings),
        clock(time.time(), kept, n8n),
    )


def _within(kept: Condition, settings: Settings, running: str | None) -> tuple[Observation, ...]:
    return (
        keys(kept, settings.receipt_key),
        token(kept, settings.state),
        *catalogs(kept, running, [name for name, one in DOMAINS.items() if one.builtin]),
    )
