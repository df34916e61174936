"""Writes parsed times as the rule of n8n's Schedule Trigger or a polling trigger's pollTimes."""

from __future__ import annotations

from typing import Any

from grounded_builder.drafting.planner.schedules import Times


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
