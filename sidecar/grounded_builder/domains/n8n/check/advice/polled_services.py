"""Advises a service's trigger instead of a schedule that polls it; finds frequent schedules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.diagnostics import Diagnostic, Related, Rule, new_diagnostic
from grounded_builder.domains.n8n.check.advice.main_edges import MainEdges
from grounded_builder.ir.graph import ResolvedNode

PREFER_TRIGGER_NODE = Rule.advice(
    "N8N336", "prefer-trigger-node", "SuboptimalTool", "The service has its own trigger."
)

_READ_OPERATION = re.compile(
    r"^(?:get|list|search|read|find|fetch)(?:All|Many|Rows?|Items|Records?|Recent\w*)?$",
    re.IGNORECASE,
)
_SINGLE_READ = re.compile(r"^(?:get|read|find|fetch)$", re.IGNORECASE)
_FREQUENT_UNITS = ("seconds", "minutes", "hours")  # a tuple: an entry can hold an unhashable value
# Parameters that restrict a read to changes: a filter, a query, a start time.
_CHANGE_FILTER = re.compile(
    r"filter|query|^q$|search|formula|since|after|updated|created|modified|unread", re.IGNORECASE
)
# A comparison with the current time needs the schedule.
_CLOCK = re.compile(r"\$(?:now|today)\b(?!\s*\.\s*minus)|new Date\(\)(?!\s*-)")
_FREQUENT_MODES = ("everyMinute", "everyHour", "everyX")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def advise(flow: MainEdges, registry: Registry) -> Iterator[Diagnostic]:
    """Reports frequent schedules whose first step reads what a trigger of that service delivers."""
    for bound in flow.resolved.nodes:
        row = bound.tool
        if (
            row is None
            or "schedule" not in row.capabilities
            or flow.find_enabled_node(bound.node.name) is None
        ):
            continue
        following = flow.only_next(bound.node.name)
        if following is None or following.tool is None or not is_frequent(bound.node.params):
            continue
        trigger = registry.tools.get(following.tool.id + "Trigger")
        if trigger is None or trigger.hidden or trigger.availability != "installed":
            continue
        if not _reads_changes(following.node.params) or _writes_back(flow, following):
            continue
        if _reads_many(following) and _covers_resource(trigger, following.node.params):
            yield _report_polling(bound, following, trigger)


def _writes_back(flow: MainEdges, read: ResolvedNode) -> bool:
    """Returns whether another node uses the service too: it may mark what was read as done."""
    return any(
        bound is not read and bound.node.tool == read.node.tool for bound in flow.resolved.nodes
    )


def is_frequent(params: Mapping[str, Any]) -> bool:
    """Returns whether a schedule runs several times a day at regular intervals, as for polling."""
    times = params.get("rule", params.get("triggerTimes"))
    if not isinstance(times, Mapping):  # the Interval node has its unit at the root
        return (
            bool({"unit", "interval"} & params.keys())
            and params.get("unit", "seconds") in _FREQUENT_UNITS
        )
    entries = next((value for value in times.values() if isinstance(value, list)), [])
    return bool(entries) and all(
        isinstance(entry, Mapping) and _is_entry_frequent(entry) for entry in entries
    )


def _is_entry_frequent(entry: Mapping[str, Any]) -> bool:
    expression = entry.get("expression", entry.get("cronExpression"))
    if entry.get("field") == "cronExpression" or entry.get("mode") == "custom":
        return isinstance(expression, str) and _is_cron_frequent(expression)
    if "mode" in entry:
        return entry["mode"] in _FREQUENT_MODES and entry.get("unit", "minutes") in _FREQUENT_UNITS
    # An interval of several hours is more likely a planned task than polling.
    return entry.get("field", "days") in _FREQUENT_UNITS and entry.get("hoursInterval", 1) == 1


def _is_cron_frequent(expression: str) -> bool:
    """Returns whether a cron expression runs every hour or in steps of hours or minutes."""
    fields = expression.removeprefix("=").split()
    if len(fields) not in (5, 6):
        return False
    minutes, hours = fields[-5], fields[-4]
    return hours.startswith("*") or minutes.startswith("*")


def _reads_changes(params: Mapping[str, Any]) -> bool:
    """Returns whether a read is restricted to changes; one without a filter may need everything."""
    text = str(params)
    if _CLOCK.search(text) or "'returnFirstMatch': True" in text:
        return False
    return any(
        _CHANGE_FILTER.search(key) and _has_value(value) for key, value in params.items()
    ) or any(
        _CHANGE_FILTER.search(key) and _has_value(value)
        for inner in params.values()
        if isinstance(inner, Mapping)
        for key, value in inner.items()
    )


def _has_value(value: Any) -> bool:
    """Returns whether a value or anything inside it is filled in."""
    if isinstance(value, Mapping):
        return any(_has_value(item) for item in value.values())
    if isinstance(value, list):
        return any(_has_value(item) for item in value)
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
    if not isinstance(operation, str) or not _READ_OPERATION.match(operation):
        return False
    # A plain "get" reads a single, known object.
    return not _SINGLE_READ.match(operation) or operation == "read"


def _covers_resource(trigger: ToolRow, params: Mapping[str, Any]) -> bool:
    """Returns whether the trigger covers the resource; one without events covers all."""
    resource = params.get("resource")
    if not isinstance(resource, str) or not trigger.operations:
        return True
    wanted = {word.lower().removesuffix("s") for word in _WORDS.findall(resource)}
    text = f"{trigger.description} {' '.join(item.name for item in trigger.operations)}".lower()
    return any(word in text for word in wanted)


def _report_polling(bound: ResolvedNode, following: ResolvedNode, trigger: ToolRow) -> Diagnostic:
    return new_diagnostic(
        PREFER_TRIGGER_NODE,
        bound.node.at,
        f'"{bound.node.name}" polls with "{following.node.name}" for what {trigger.name} delivers',
        help=f"start with {trigger.id}: it emits each new item once",
        node=bound.node.name,
        alternatives=(trigger.id,),
        related=(Related(following.node.at, "this reads"),),
    )
