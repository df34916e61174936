"""What starts a workflow: a trigger of some kind."""

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


def check_starts(
    resolved: ResolvedGraph, setting: CompileOptions, wiring: Wiring
) -> Iterator[Diagnostic]:
    """Find workflows that nothing starts, or only a person, and triggers beside their only one."""
    live = [bound for bound in resolved.nodes if not bound.node.disabled]
    working = [bound for bound in live if bound.node.tool != NOTE]
    starts = [bound for bound in working if bound.spec is not None and is_start(bound)]
    yield from _surplus(starts)
    if any(bound.spec is None and bound.node.name not in wiring.before for bound in working):
        return  # an unresolved node that nothing leads to may be the start
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
        publishing = setting.purpose == "publish"
        yield new_diagnostic(
            MANUAL_PUBLISH if publishing else MANUAL_ONLY,
            first.at,
            f'only a person can start the workflow, by "{first.name}"',
            help="n8n does not publish such a workflow: add a trigger that starts it by itself"
            if publishing
            else "add a trigger to run it unattended",
            node=first.name,
        )


def _surplus(starts: list[ResolvedNode]) -> Iterator[Diagnostic]:
    """Triggers of a type of which n8n takes a limited number into a workflow."""
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
                    f'"{bound.node.name}" is trigger {len(same)} of its type, and n8n takes {most} '
                    "into a workflow",
                    help=f'let "{same[0].node.name}" lead to what "{bound.node.name}" leads to',
                    node=bound.node.name,
                    token=bound.node.tool,
                    related=(Related(same[0].node.at, "the first of them"),),
                )
