"""Reads times (text, count or cron), and writes n8n's schedule rule or poll times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from grounded_builder.domains.n8n.parameters.cron import find_cron_fault
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.drafting.planner.schedules import Times, read_times

_MAX_TEXT_CHARS = 200
# Of n8n 2.41: the Schedule Trigger has rule.interval.field, polling triggers pollTimes.item.mode;
# both have an option for a cron expression.
_RULE = "interval"
_CHOICES = frozenset({(_RULE, "field"), ("item", "mode")})
_CRON_OPTIONS = frozenset({"cronExpression", "custom"})
_EXAMPLE = Times("hour", 2)


def as_schedule(value: Any, declared: Property) -> Any:
    """Returns the schedule rule, or poll times, that a text or a count of a unit states for such a
    parameter; any other value as it is.
    """
    group = _group_of_schedule(declared)
    if group is None:
        return value
    inner = value.get(group) if isinstance(value, Mapping) and len(value) == 1 else value
    text = _text_of(inner if inner is not None else value)
    if not text or len(text) > _MAX_TEXT_CHARS:
        return value
    is_cron = find_cron_fault(text) is None
    times = Times("cron", cron=text) if is_cron else read_times(text)
    if times is None:
        return value
    written = rule(times) if group == _RULE else poll_times(times)
    return value if written is None else written


def show_schedule(declared: Property) -> str:
    """Returns how times are written in a parameter for schedules, "" for other parameters."""
    group = _group_of_schedule(declared) if declared.type == "fixedCollection" else None
    if group is None:
        return ""
    example = rule(_EXAMPLE) if group == _RULE else poll_times(_EXAMPLE)
    return f'times are written as {{"{declared.name}": {orjson.dumps(example).decode()}}}; '


def _group_of_schedule(declared: Property) -> str | None:
    """Returns the group of times of a parameter for schedules or for polling, None of others."""
    for group in declared.raw.get("options") or ():
        fields = group.get("values") if isinstance(group, Mapping) else None
        for field in fields or ():
            offered = {
                option.get("value")
                for option in field.get("options") or ()
                if isinstance(option, Mapping) and isinstance(option.get("value"), str)
            }
            if (group.get("name"), field.get("name")) in _CHOICES and offered & _CRON_OPTIONS:
                return str(group["name"])
    return None


def _text_of(value: Any) -> str:
    """Returns a text, also one of a count and a unit: ``{"every": 2, "unit": "hours"}``."""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, Mapping):
        return ""
    counts = [item for item in value.values() if type(item) is int]
    units = [item for item in value.values() if isinstance(item, str)]
    if len(counts) != 1 or len(value) != len(counts) + len(units) or len(value) not in (1, 2):
        return ""
    return f"{counts[0]} {units[0] if units else next(iter(value))}"


def rule(times: Times) -> dict[str, Any]:
    """Returns the parameter ``rule`` of a Schedule Trigger."""
    if times.unit == "cron":
        interval: dict[str, Any] = {"field": "cronExpression", "expression": times.cron}
        return {"interval": [interval]}
    field = f"{times.unit}s"
    interval = {"field": field, f"{field}Interval": times.count}
    if times.days:
        interval["triggerAtDay"] = list(times.days)
    if times.month_day is not None:
        interval["triggerAtDayOfMonth"] = times.month_day
    if times.unit in ("day", "week", "month") and times.hour is not None:
        interval["triggerAtHour"] = times.hour
    if times.unit not in ("second", "minute") and times.minute is not None:
        interval["triggerAtMinute"] = times.minute
    return {"interval": [interval]}


def poll_times(times: Times) -> dict[str, Any] | None:
    """Returns the parameter ``pollTimes`` of a polling trigger; None for times it
    cannot express.
    """
    hour, minute = times.hour or 0, times.minute or 0
    if times.unit == "cron":
        item: dict[str, Any] = {"mode": "custom", "cronExpression": times.cron}
    elif times.unit in ("minute", "hour") and times.count > 1:
        item = {"mode": "everyX", "value": times.count, "unit": f"{times.unit}s"}
    elif times.unit == "minute":
        item = {"mode": "everyMinute"}
    elif times.unit == "hour":
        item = {"mode": "everyHour", "minute": minute}
    elif times.unit == "day" and times.count == 1:
        item = {"mode": "everyDay", "hour": hour, "minute": minute}
    elif times.unit == "week" and times.count == 1 and len(times.days) <= 1:
        day = str(times.days[0]) if times.days else "1"
        item = {"mode": "everyWeek", "weekday": day, "hour": hour, "minute": minute}
    elif times.unit == "month" and times.count == 1:
        item = {
            "mode": "everyMonth",
            "dayOfMonth": times.month_day or 1,
            "hour": hour,
            "minute": minute,
        }
    else:
        return None
    return {"item": [item]}
