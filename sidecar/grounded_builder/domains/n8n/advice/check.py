"""All advice on a workflow, in one pass over its nodes."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.advice import (
    chains,
    deprecated,
    failures,
    polling,
    requests,
    scripts,
)
from grounded_builder.domains.n8n.advice.flow import Flow
from grounded_builder.domains.n8n.advice.services import services_of
from grounded_builder.graph import Resolved
from grounded_builder.registry.registry import Registry
from grounded_builder.setting import Setting


def check_advice(resolved: Resolved, registry: Registry, setting: Setting) -> Iterator[Diagnostic]:
    """Find what n8n has put aside, what a dedicated node does, and runs that fail unseen."""
    del setting
    services = services_of(registry)
    flow = Flow(resolved)
    yield from deprecated.advise(resolved, registry)
    yield from requests.advise(resolved, services)
    yield from scripts.advise(resolved, registry)
    yield from polling.advise(flow, registry)
    yield from chains.advise(flow, registry)
    yield from failures.advise(flow, services)
