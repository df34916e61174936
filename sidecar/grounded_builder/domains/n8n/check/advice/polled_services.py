"""Schedules that ask a service again and again whose own trigger is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import Flow
from grounded_builder.ir.graph import ResolvedNode

PREFER_TRIGGER_NODE = Rule.advice(
    "N8N336", "prefer-trigger-node", "SuboptimalTool", "The service has its own trigger."
)

_READS = re.compile(
    r"^(?:get|list|search|read|find|fetch)(?:All|Many|Rows?|Items|Records?|Recent\w*)?$",
    re.IGNORECASE,
)
_SINGLE = re.compile(r"^(?:get|read|find|fetch)$", re.IGNORECASE)
_OFTEN = ("seconds", "minutes", "hours")  # compared, never hashed: an entry holds any value
# Where a request for what is new says so: a filter, a query, a time from which on.
_NEW = re.compile(
    r"filter|query|^q$|search|formula|since|after|updated|created|modified|unread", re.IGNORECASE
)
# A time that is compared with the clock itself needs the clock.
_CLOCK = re.compile(r"\$(?:now|today)\b(?!\s*\.\s*minus)|new Date\(\)(?!\s*-)")
_MODES = ("everyMinute", "everyHour", "everyX")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def advise(flow: Flow, registry: Registry) -> Iterator[Diagnostic]:
    """Find frequent schedules whose first step reads what a trigger of that service tells."""
    for bound in flow.resolved.nodes:
        row = bound.tool
        if (
            row is None
            or "schedule" not in row.capabilities
            or flow.running(bound.node.name) is None
        ):
            continue
        following = flow.only_next(bound.node.name)
        if following is None or following.tool is None or not is_often(bound.node.params):
            continue
        trigger = registry.tools.get(following.tool.id + "Trigger")
        if trigger is None or trigger.hidden or trigger.availability != "installed":
            continue
        if not _asks_for_new(following.node.params):
            continue
        if _reads_many(following) and _tells(trigger, following.node.params):
            yield _polled(bound, following, trigger)


def is_often(params: Mapping[str, Any]) -> bool:
    """Whether a schedule runs several times a day at even distances, as who polls has it."""
    times = params.get("rule", params.get("triggerTimes"))
    if not isinstance(times, Mapping):  # the Interval node has its unit at the root
        return (
            bool({"unit", "interval"} & params.keys()) and params.get("unit", "seconds") in _OFTEN
        )
    entries = next((value for value in times.values() if isinstance(value, list)), [])
    return bool(entries) and all(
        isinstance(entry, Mapping) and _entry_often(entry) for entry in entries
    )


def _entry_often(entry: Mapping[str, Any]) -> bool:
    expression = entry.get("expression", entry.get("cronExpression"))
    if entry.get("field") == "cronExpression" or entry.get("mode") == "custom":
        return isinstance(expression, str) and _cron_often(expression)
    if "mode" in entry:
        return entry["mode"] in _MODES and entry.get("unit", "minutes") in _OFTEN
    # Every few hours is more often a plan than a poll.
    return entry.get("field", "days") in _OFTEN and entry.get("hoursInterval", 1) == 1


def _cron_often(expression: str) -> bool:
    """Whether every hour, or a step of hours or minutes, is among the times."""
    fields = expression.removeprefix("=").split()
    if len(fields) not in (5, 6):
        return False
    minutes, hours = fields[-5], fields[-4]
    return hours.startswith("*") or minutes.startswith("*")


def _asks_for_new(params: Mapping[str, Any]) -> bool:
    """Whether a read looks for what has changed; one that takes everything may need all of it."""
    text = str(params)
    if _CLOCK.search(text) or "'returnFirstMatch': True" in text:
        return False
    return any(_NEW.search(key) and _is_full(value) for key, value in params.items()) or any(
        _NEW.search(key) and _is_full(value)
        for inner in params.values()
        if isinstance(inner, Mapping)
        for key, value in inner.items()
    )


def _is_full(value: Any) -> bool:
    """Whether anything is filled in below."""
    if isinstance(value, Mapping):
        return any(_is_full(item) for item in value.values())
    if isinstance(value, list):
        return any(_is_full(item) for item in value)
    return value not in (None, "")


def _reads_many(bound: ResolvedNode) -> bool:
    operation = bound.node.params.get("operation")
    if operation is None:
        operation = next(
            (
                parameter.get("default")
                for parameter in bound.spec.variant.get("parameters", ())
                if parameter.get("name") == "operation"
            ),
            None,
        )
    if not isinstance(operation, str) or not _READS.match(operation):
        return False
    # A plain "get" names the one thing that it gets.
    return not _SINGLE.match(operation) or operation == "read"


def _tells(trigger: ToolRow, params: Mapping[str, Any]) -> bool:
    """Whether the trigger speaks of the resource; one without events of its own tells of all."""
    resource = params.get("resource")
    if not isinstance(resource, str) or not trigger.operations:
        return True
    wanted = {word.lower().removesuffix("s") for word in _WORDS.findall(resource)}
    text = f"{trigger.description} {' '.join(item.name for item in trigger.operations)}".lower()
    return any(word in text for word in wanted)


def _polled(bound: ResolvedNode, following: ResolvedNode, trigger: ToolRow) -> Diagnostic:
    return new_diagnostic(
        PREFER_TRIGGER_NODE,
        bound.node.at,
        f'"{bound.node.name}" runs again and again to read by "{following.node.name}" what '
        f"{trigger.name} tells of",
        help=f"start with {trigger.id}: it gives each new item once",
        node=bound.node.name,
        alternatives=(trigger.id,),
        related=(Related(following.node.at, "this reads"),),
    )
