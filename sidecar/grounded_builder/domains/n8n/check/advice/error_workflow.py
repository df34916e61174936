"""Advises an error workflow for unattended workflows; finds nodes that handle their failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import MainEdges
from grounded_builder.domains.n8n.check.advice.requests import REQUESTS
from grounded_builder.domains.n8n.check.advice.services import Services
from grounded_builder.ir.graph import ResolvedNode

NO_ERROR_WORKFLOW = Rule.info(
    "N8N338", "no-error-workflow", "A failed run is not reported to anyone."
)

ERROR_TRIGGER = "n8n-nodes-base.errorTrigger"
# A tuple: a document can hold an unhashable value in its place.
_CONTINUE_MODES = ("continueRegularOutput", "continueErrorOutput")


def advise(flow: MainEdges, services: Services) -> Iterator[Diagnostic]:
    """Reports the first unattended trigger of a workflow that does not handle failed calls."""
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
        if row.id == ERROR_TRIGGER or handles_failure(bound.node.source):
            return
        if bound.spec.traits.get("trigger"):
            if starter is None and _runs_unattended(bound):
                starter = bound
        elif row.hosts or row.id in REQUESTS:
            callers += 1
    if starter is not None and callers:
        calls = "1 node calls" if callers == 1 else f"{callers} nodes call"
        yield new_diagnostic(
            NO_ERROR_WORKFLOW,
            starter.node.at,
            f'"{starter.node.name}" starts unattended runs, {calls} services, and nothing handles '
            "a failed call",
            help='set an error workflow, or "Retry On Fail" or "On Error" of the nodes that call',
            node=starter.node.name,
        )


def handles_failure(source: Mapping[str, Any]) -> bool:
    """Returns whether a node has settings for its failure."""
    return (
        source.get("onError") in _CONTINUE_MODES
        or source.get("continueOnFail") is True
        or source.get("retryOnFail") is True
    )


def _runs_unattended(bound: ResolvedNode) -> bool:
    """Returns whether a schedule or a service starts the runs, so that no caller sees a failure."""
    row = bound.tool
    if row is None:
        return False
    return "schedule" in row.capabilities or bool(bound.spec.traits.get("polling") or row.hosts)
