"""Runs all checks of an installation and returns their observations; changes nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping

from grounded_builder.domains.known import DOMAINS
from grounded_builder.domains.n8n.deploy.instance_status import condition_of
from grounded_builder.interfaces.cli.doctor.catalogs import CheckedDomains, check_catalogs
from grounded_builder.interfaces.cli.doctor.clock import check_clock
from grounded_builder.interfaces.cli.doctor.database import check_database, check_keys, check_token
from grounded_builder.interfaces.cli.doctor.drafters import check_drafters
from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.interfaces.cli.doctor.instance import check_instance
from grounded_builder.interfaces.cli.doctor.node import check_node
from grounded_builder.interfaces.cli.doctor.state_folder import check_disk, check_folder
from grounded_builder.settings import Settings
from grounded_builder.storage.inspect import Condition, look_at

_N8N = "n8n"


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
