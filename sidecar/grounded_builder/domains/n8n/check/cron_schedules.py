"""Reports cron expressions of triggers that n8n cannot parse and so does not publish."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.parameters.cron import find_cron_fault
from grounded_builder.domains.n8n.parameters.placeholders import is_placeholder
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode

UNREADABLE_SCHEDULE = Rule.wrong(
    "N8N354", "unreadable-schedule", "TypeMismatch", "n8n cannot read the cron expression."
)

# Where a cron expression is: parameter, list, the key and value that select it, its key.
_SCHEDULE = ("rule", "interval", "field", "cronExpression", "expression")
_CRON = ("triggerTimes", "item", "mode", "custom", "cronExpression")
_POLL = ("pollTimes", "item", "mode", "custom", "cronExpression")
_BY_TOOL = {"n8n-nodes-base.scheduleTrigger": _SCHEDULE, "n8n-nodes-base.cron": _CRON}


def check_cron_schedules(resolved: ResolvedGraph) -> Iterator[Diagnostic]:
    """Reports literal cron expressions of triggers and polling nodes that n8n rejects."""
    for bound in resolved.nodes:
        if isinstance(bound.spec, NodeSpec) and not bound.node.disabled:
            for at, text in _find_expressions(bound):
                why = None if is_placeholder(text) else find_cron_fault(text)
                if why is not None:
                    yield new_diagnostic(
                        UNREADABLE_SCHEDULE,
                        at,
                        f'"{bound.node.name}" has the cron expression "{text[:60]}", and {why}',
                        help="write minute, hour, day of the month, month and day of the week, "
                        'such as "0 9 * * 1-5"',
                        node=bound.node.name,
                        token=text,
                    )


def _find_expressions(bound: ResolvedNode) -> Iterator[tuple[Route, str]]:
    """Yields the route and text of each literal cron expression of a node."""
    place = _BY_TOOL.get(bound.spec.id, _POLL if bound.spec.traits.get("polling") else None)
    if place is None:
        return
    parameter, group, key, wanted, name = place
    times: Any = bound.node.params.get(parameter)
    entries = times.get(group) if isinstance(times, dict) else None
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(entry, dict) and entry.get(key) == wanted:
            text = entry.get(name)
            if isinstance(text, str) and not text.startswith("="):
                at = (*bound.node.at, "parameters", parameter, group, index, name)
                # the schedule trigger does not strip the text, the other nodes do
                yield at, text if place is _SCHEDULE else text.strip()
