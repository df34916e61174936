"""Lists all domains and their target options, and reads the settings with these options."""

from __future__ import annotations

from collections.abc import Mapping

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.target import TargetOption
from grounded_builder.settings import Settings, from_environment

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (N8N, SIMULINK, TOOLS)}

TARGET_OPTIONS: dict[str, TargetOption] = {
    option.name: option for domain in DOMAINS.values() for option in domain.resolving.target_options
}


def editable_domains() -> tuple[str, ...]:
    """Returns the names of the domains whose documents can be changed."""
    return tuple(name for name, domain in DOMAINS.items() if domain.editing is not None)


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """Reads the settings from the environment, with the target options of all domains.

    SettingsError names a variable that cannot be used.
    """
    return from_environment(TARGET_OPTIONS.values(), environ)
