"""Reports workflows without a trigger or with manual ones only, and too many triggers of a type."""

from __future__ import annotations

from collections.abc import Iterator

from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.analysis.links import Wiring
from grounded_builder.domains.n8n.analysis.start_nodes import MANUAL, is_start
from grounded_builder.domains.n8n.read.workflow import base_route
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

MISSING_TRIGGER = Rule.incomplete(
    "N8N301", "missing-trigger", "MissingTrigger", "Nothing starts the workflow."
)
MANUAL_ONLY = Rule.advice(
    "N8N302", "manual-only", "MissingTrigger", "Only a person can start the workflow."
)
MANUAL_PUBLISH = Rule.incomplete(
    "N8N307", "manual-publish", "MissingTrigger", "n8n cannot publish a manual workflow."
)
TOO_MANY_TRIGGERS = Rule.advice(
    "N8N347",
    "too-many-triggers",
    "InvalidConnection",
    "The workflow has too many triggers of this type.",
)

NOTE = "n8n-nodes-base.stickyNote"


def check_triggers(
    resolved: ResolvedGraph, options: CompileOptions, wiring: Wiring
) -> Iterator[Diagnostic]:
    """Reports missing triggers, workflows with manual triggers only, and too many triggers."""
    live = [bound for bound in resolved.nodes if not bound.node.disabled]
    working = [bound for bound in live if bound.node.tool != NOTE]
    starts = [bound for bound in working if bound.spec is not None and is_start(bound)]
    yield from _check_trigger_limits(starts)
    if any(bound.spec is None and bound.node.name not in wiring.before for bound in working):
        return  # an unresolved node without input may be a trigger
    if not starts:
        what = "nothing starts the workflow: no trigger" if working else "the workflow has no nodes"
        if working and len(live) < len(resolved.nodes):
            what = "nothing starts the workflow: no enabled trigger"
        yield new_diagnostic(
            MISSING_TRIGGER,
            (*base_route(resolved.graph), "nodes"),
            what,
            help="add a trigger: a schedule, a webhook, an app's trigger, a chat or a manual one",
        )
    elif all(bound.node.tool in MANUAL for bound in starts):
        first = starts[0].node
        publishing = options.purpose == "publish"
        yield new_diagnostic(
            MANUAL_PUBLISH if publishing else MANUAL_ONLY,
            first.at,
            f'only a person can start the workflow, with "{first.name}"',
            help="add a trigger that starts it by itself: n8n does not publish this workflow"
            if publishing
            else "add a trigger to run it unattended",
            node=first.name,
        )


def _check_trigger_limits(starts: list[ResolvedNode]) -> Iterator[Diagnostic]:
    """Reports triggers beyond the number that n8n allows of their type in a workflow."""
    counted: dict[str, list[ResolvedNode]] = {}
    for bound in starts:
        most = bound.spec.traits.get("max_nodes")
        if most:
            same = counted.setdefault(bound.node.tool or "", [])
            same.append(bound)
            if len(same) > most:
                yield new_diagnostic(
                    TOO_MANY_TRIGGERS,
                    bound.node.at,
                    f'"{bound.node.name}" is trigger {len(same)} of its type, and n8n allows '
                    f"{most} in a workflow",
                    help=f'connect "{same[0].node.name}" to the nodes after "{bound.node.name}"',
                    node=bound.node.name,
                    token=bound.node.tool,
                    related=(Related(same[0].node.at, "the first of them"),),
                )
