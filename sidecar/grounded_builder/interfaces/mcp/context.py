"""Holds the store, domains and catalogs for MCP tools, and narrows them by policy switches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.domain import Domain
from grounded_builder.ir.options import Switches, SwitchesError, read_switches
from grounded_builder.resolve.diagnose import ReferenceCatalogs
from grounded_builder.services.isolation.compiler import Compiling
from grounded_builder.services.stage_keeper import StageKeeper
from grounded_builder.storage.store import Store


class RefusedError(Exception):
    """A request that is refused; the message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class McpContext:
    """The store, the domains, and their active catalogs.

    ``registry`` and ``references`` take the name of a domain and may raise RefusedError;
    ``compiling`` runs work that needs the compiler's thread, ``stages`` are for rehearsals.
    ``switches`` are the restrictions of token and request; ``signing`` is the store whose policy
    receipts are made under, which no request narrows.
    """

    store: Store
    domains: Mapping[str, Domain]
    registry: Callable[[str], Registry]
    references: Callable[[str], ReferenceCatalogs]
    compiling: Compiling
    stages: StageKeeper
    switches: Switches = field(default_factory=Switches)
    signing: Store | None = None

    def narrow(self, switches: Switches) -> McpContext:
        """Returns this context under a policy that a token or a request narrows."""
        if switches == Switches():
            return self
        joined = self.switches.combine(switches)
        return replace(self, store=self.store.narrow(switches), switches=joined)

    def under(self, policy: Mapping[str, Any] | None) -> McpContext:
        """Returns this context under the policy of a request; raises RefusedError for a
        bad switch.
        """
        try:
            narrowed = self.narrow(read_switches({} if policy is None else policy))
        except SwitchesError as error:
            raise RefusedError(f"policy: {error}; docs/security.md lists the switches") from error
        return replace(narrowed, signing=self.store)

    def domain(self, name: str) -> Domain:
        """Returns the domain of this name; raises RefusedError when there is none."""
        value = self.domains.get(name)
        if value is None:
            raise RefusedError(
                f"there is no domain {name[:60]!r}; known: {', '.join(self.domains)}"
            )
        return value
