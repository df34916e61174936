"""Runs the checks of names, edges, flow, schedules, URLs, secrets, settings and agent tools."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.analysis.links import build_wiring
from grounded_builder.domains.n8n.check.agent_tools import check_tools
from grounded_builder.domains.n8n.check.connections.duplicate_edges import check_duplicate_edges
from grounded_builder.domains.n8n.check.connections.edges import check_edges
from grounded_builder.domains.n8n.check.connections.output_positions import check_output_positions
from grounded_builder.domains.n8n.check.connections.unconnected_inputs import (
    check_unconnected_inputs,
)
from grounded_builder.domains.n8n.check.connections.unused_outputs import check_unused_outputs
from grounded_builder.domains.n8n.check.cron_schedules import check_cron_schedules
from grounded_builder.domains.n8n.check.duplicate_nodes import check_duplicate_nodes
from grounded_builder.domains.n8n.check.empty_secrets import check_empty_secrets
from grounded_builder.domains.n8n.check.flow.duplicate_webhooks import check_duplicate_webhooks
from grounded_builder.domains.n8n.check.flow.loops import check_loops
from grounded_builder.domains.n8n.check.flow.missing_files import check_missing_files
from grounded_builder.domains.n8n.check.flow.own_events import check_own_events
from grounded_builder.domains.n8n.check.flow.required_trigger import check_required_triggers
from grounded_builder.domains.n8n.check.flow.triggers import check_triggers
from grounded_builder.domains.n8n.check.flow.unreachable_nodes import check_reachability
from grounded_builder.domains.n8n.check.flow.webhook_response import check_responses
from grounded_builder.domains.n8n.check.from_ai import check_from_ai
from grounded_builder.domains.n8n.check.node_settings import check_setting_values
from grounded_builder.domains.n8n.check.request_urls import check_request_urls
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions


def check(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Checks names and edges, then triggers, reachability, loops and responses."""
    del registry
    yield from check_duplicate_nodes(resolved, options)
    wiring = build_wiring(resolved)
    yield from check_edges(resolved, wiring)
    yield from check_duplicate_edges(resolved)
    yield from check_unconnected_inputs(resolved, wiring)
    yield from check_unused_outputs(resolved, wiring)
    yield from check_output_positions(resolved, wiring)
    yield from check_triggers(resolved, options, wiring)
    yield from check_reachability(resolved, wiring)
    yield from check_loops(resolved, wiring)
    yield from check_missing_files(resolved)
    yield from check_own_events(resolved, wiring)
    yield from check_duplicate_webhooks(resolved)
    yield from check_cron_schedules(resolved)
    yield from check_request_urls(resolved)
    yield from check_empty_secrets(resolved)
    yield from check_setting_values(resolved)
    yield from check_responses(resolved, wiring)
    yield from check_required_triggers(resolved, wiring)
    yield from check_tools(resolved, wiring)
    yield from check_from_ai(resolved, wiring)
