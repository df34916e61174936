"""The shape of a workflow: its edges, and what they have to make of the nodes together."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.addresses import check_addresses
from grounded_builder.domains.n8n.answers import check_answers
from grounded_builder.domains.n8n.begun_by import check_begun_by
from grounded_builder.domains.n8n.clocks import check_clocks
from grounded_builder.domains.n8n.edges import check_edges
from grounded_builder.domains.n8n.from_ai import check_from_ai
from grounded_builder.domains.n8n.hooks import check_hooks
from grounded_builder.domains.n8n.loops import check_loops
from grounded_builder.domains.n8n.namesakes import check_namesakes
from grounded_builder.domains.n8n.odd_settings import check_odd_settings
from grounded_builder.domains.n8n.reach import check_reach
from grounded_builder.domains.n8n.repeated import check_repeated
from grounded_builder.domains.n8n.starts import check_starts
from grounded_builder.domains.n8n.tools import check_tools
from grounded_builder.domains.n8n.unfed import check_unfed
from grounded_builder.domains.n8n.unread import check_unread
from grounded_builder.domains.n8n.wiring import wired
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Judge names and edges one by one, then what starts, follows, loops and answers."""
    del registry
    yield from check_namesakes(resolved, setting)
    wiring = wired(resolved)
    yield from check_edges(resolved, wiring)
    yield from check_repeated(resolved)
    yield from check_unfed(resolved, wiring)
    yield from check_unread(resolved, wiring)
    yield from check_starts(resolved, setting, wiring)
    yield from check_reach(resolved, wiring)
    yield from check_loops(resolved, wiring)
    yield from check_hooks(resolved)
    yield from check_clocks(resolved)
    yield from check_addresses(resolved)
    yield from check_odd_settings(resolved)
    yield from check_answers(resolved, wiring)
    yield from check_begun_by(resolved, wiring)
    yield from check_tools(resolved, wiring)
    yield from check_from_ai(resolved, wiring)
