"""Workflows that run unattended and whose failures nobody hears of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import Flow
from grounded_builder.domains.n8n.check.advice.requests import REQUESTS
from grounded_builder.domains.n8n.check.advice.services import Services
from grounded_builder.ir.graph import ResolvedNode

NO_ERROR_WORKFLOW = Rule.info(
    "N8N338", "no-error-workflow", "A failed run is not reported to anyone."
)

ERRORS = "n8n-nodes-base.errorTrigger"
# Tuples, since anything may stand where one of these is expected.
_KEPT_GOING = ("continueRegularOutput", "continueErrorOutput")


def advise(flow: Flow, services: Services) -> Iterator[Diagnostic]:
    """Find the first trigger of a workflow that calls services with nothing set for failures."""
    del services
    settings = flow.resolved.graph.document.get("settings")
    if isinstance(settings, Mapping) and settings.get("errorWorkflow"):
        return
    starter: ResolvedNode | None = None
    callers = 0
    for bound in flow.resolved.nodes:
        row = bound.tool
        if row is None or bound.spec is None or bound.node.disabled:
            continue
        if row.id == ERRORS or guarded(bound.node.source):
            return
        if bound.spec.traits.get("trigger"):
            if starter is None and _unattended(bound):
                starter = bound
        elif row.hosts or row.id in REQUESTS:
            callers += 1
    if starter is not None and callers:
        calls = "1 node calls" if callers == 1 else f"{callers} nodes call"
        yield new_diagnostic(
            NO_ERROR_WORKFLOW,
            starter.node.at,
            f'"{starter.node.name}" starts runs that nobody watches, {calls} services, and '
            "nothing says what happens when a call fails",
            help='set an error workflow, or "Retry On Fail" or "On Error" of the nodes that call',
            node=starter.node.name,
        )


def guarded(source: Mapping[str, Any]) -> bool:
    """Whether a node says what happens when it fails."""
    return (
        source.get("onError") in _KEPT_GOING
        or source.get("continueOnFail") is True
        or source.get("retryOnFail") is True
    )


def _unattended(bound: ResolvedNode) -> bool:
    """Whether the clock or a service starts the runs, so that no caller sees a failure."""
    row = bound.tool
    if row is None:
        return False
    return "schedule" in row.capabilities or bool(bound.spec.traits.get("polling") or row.hosts)
