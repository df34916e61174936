"""The shape of a workflow: its edges, and what they have to make of the nodes together."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.analysis.links import links_of
from grounded_builder.domains.n8n.check.agent_tools import check_tools
from grounded_builder.domains.n8n.check.connections.duplicate_edges import check_repeated
from grounded_builder.domains.n8n.check.connections.edges import check_edges
from grounded_builder.domains.n8n.check.connections.unfed_inputs import check_unfed
from grounded_builder.domains.n8n.check.connections.unused_outputs import check_unread
from grounded_builder.domains.n8n.check.cron_schedules import check_clocks
from grounded_builder.domains.n8n.check.duplicate_nodes import check_namesakes
from grounded_builder.domains.n8n.check.flow.duplicate_webhooks import check_hooks
from grounded_builder.domains.n8n.check.flow.loops import check_loops
from grounded_builder.domains.n8n.check.flow.required_trigger import check_begun_by
from grounded_builder.domains.n8n.check.flow.triggers import check_starts
from grounded_builder.domains.n8n.check.flow.unreachable_nodes import check_reach
from grounded_builder.domains.n8n.check.flow.webhook_response import check_answers
from grounded_builder.domains.n8n.check.from_ai import check_from_ai
from grounded_builder.domains.n8n.check.node_settings import check_odd_settings
from grounded_builder.domains.n8n.check.request_urls import check_addresses
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions


def check(
    resolved: ResolvedGraph, registry: Registry, setting: CompileOptions
) -> Iterator[Diagnostic]:
    """Judge names and edges one by one, then what starts, follows, loops and answers."""
    del registry
    yield from check_namesakes(resolved, setting)
    wiring = links_of(resolved)
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
