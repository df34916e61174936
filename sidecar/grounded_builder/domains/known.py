"""The domains that this installation serves."""

from __future__ import annotations

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.domains.tools.domain import TOOLS
from grounded_builder.ir.domain import Domain

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (N8N, SIMULINK, TOOLS)}


def editable_domains() -> tuple[str, ...]:
    """Returns the names of the domains whose documents can be changed."""
    return tuple(name for name, domain in DOMAINS.items() if domain.editing is not None)
