"""Yields the advice of every module of this package on a workflow, as diagnostics."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.check.advice import (
    deprecated,
    error_workflow,
    input_positions,
    joinable_nodes,
    polled_services,
    replaceable_scripts,
    requests,
)
from grounded_builder.domains.n8n.check.advice.main_edges import MainEdges
from grounded_builder.domains.n8n.check.advice.services import services_of
from grounded_builder.ir.graph import ResolvedGraph
from grounded_builder.ir.options import CompileOptions


def check_advice(
    resolved: ResolvedGraph, registry: Registry, options: CompileOptions
) -> Iterator[Diagnostic]:
    """Reports deprecated nodes, replaceable nodes, joinable nodes and unreported failures."""
    del options
    services = services_of(registry)
    flow = MainEdges(resolved)
    yield from deprecated.advise(resolved)
    yield from requests.advise(resolved, services)
    yield from replaceable_scripts.advise(resolved, registry)
    yield from input_positions.advise(flow)
    yield from polled_services.advise(flow, registry)
    yield from joinable_nodes.advise(flow, registry)
    yield from error_workflow.advise(flow, services)
