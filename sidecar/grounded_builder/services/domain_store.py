"""Opens the database store of these settings, with the catalog compilers of all domains."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.known import DOMAINS
from grounded_builder.ir.domain import Domain
from grounded_builder.settings import Settings
from grounded_builder.storage.store import Store, open_store


def open_domains_store(settings: Settings, domains: Mapping[str, Domain] = DOMAINS) -> Store:
    """Returns the store of these settings with the compilers of all domains."""
    return open_store(
        settings,
        {name: domain.resolving.compile_tool for name, domain in domains.items()},
        {
            name: domain.resolving.builtin
            for name, domain in domains.items()
            if domain.resolving.builtin is not None
        },
    )
