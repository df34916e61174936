"""The domains that this installation serves."""

from __future__ import annotations

from grounded_builder.domain import Domain
from grounded_builder.domains.n8n.domain import N8N

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (N8N,)}
