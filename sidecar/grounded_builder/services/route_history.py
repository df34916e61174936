"""Records the calls of ended tool routing, and derives hints and statistics from them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.domain import Domain
from grounded_builder.routing.earlier_calls import call_hints, name_hints
from grounded_builder.routing.prompt import NO_HINTS, Hints
from grounded_builder.routing.state import RouteState
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.name_stats import NameStatsStore
from grounded_builder.storage.store import Store
from grounded_builder.storage.tool_calls import ToolCallStore

_NAMES, _WORKED = 100, 300


def hints_for(request: str, registry: Registry, domain: Domain, store: Store) -> Hints:
    """Returns the hints that earlier routes give about these tools and similar requests.

    They may be of other users: there are none unless the operator shares drafts.
    """
    if not store.settings.share_drafts:
        return NO_HINTS
    met = NameStatsStore(store.engine, domain.name).counts(_NAMES, "unknown")
    worked = ToolCallStore(store.engine).list_accepted(registry.tools, _WORKED)
    absent = [
        name_count.name
        for name_count in met
        if domain.resolving.resolve(name_count.name, registry, None).status == "unknown"
    ]
    return Hints(call_hints(request, worked, registry), name_hints(met, worked, absent, registry))


def record_calls(run: str, route: RouteState, registry: Registry, store: Store) -> None:
    """Records the results of the calls of a route that has ended."""
    if route.outcome is None:
        return
    known = {tool.id: tool.fingerprint for tool in registry.tools.values()}
    with suppress(StorageError):
        # A failure to record does not undo the calls.
        ToolCallStore(store.engine).note(run, route.request, route.calls, known)


def statistics_of(store: Store, domain: Domain, limit: int) -> dict[str, Any]:
    """Returns the most frequent unknown names, the states of calls, and the failures
    with reasons.
    """
    invented = NameStatsStore(store.engine, domain.name).counts(limit, "unknown")
    names = [
        {"name": name_count.name, "count": name_count.count, "last_at": name_count.last_seen}
        for name_count in invented
    ]
    return {"invented": names, **ToolCallStore(store.engine).statistics(limit)}
