"""Times in words become the schedule of a trigger, or are reported with its shape."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import STEP, registry, tool

_CLOCK, _POLL = "acme-nodes.clock", "acme-nodes.pollTrigger"
_EVERY = ("seconds", "minutes", "hours", "days", "weeks", "months")


def _options(*values: str) -> list[dict[str, str]]:
    return [{"name": value.title(), "value": value} for value in values]


def _counts(unit: str) -> dict[str, Any]:
    return {
        "name": f"{unit}Interval",
        "displayName": f"{unit.title()} Between Triggers",
        "type": "number",
        "default": 1,
        "displayOptions": {"show": {"field": [unit]}},
    }


def _times(name: str, group: str, fields: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "name": name,
        "type": "fixedCollection",
        "typeOptions": {"multipleValues": True},
        "default": {},
        "options": [{"name": group, "displayName": group, "values": fields}],
    }


_RULE = _times(
    "rule",
    "interval",
    [
        {
            "name": "field",
            "displayName": "Trigger Interval",
            "type": "options",
            "default": "days",
            "options": _options(*_EVERY, "cronExpression"),
        },
        *map(_counts, _EVERY),
        {
            "name": "triggerAtHour",
            "type": "number",
            "default": 0,
            "displayOptions": {"show": {"field": ["days", "weeks", "months"]}},
        },
        {"name": "triggerAtMinute", "type": "number", "default": 0},
        {
            "name": "triggerAtDay",
            "type": "multiOptions",
            "default": [0],
            "displayOptions": {"show": {"field": ["weeks"]}},
            "options": [{"name": str(day), "value": day} for day in range(7)],
        },
        {
            "name": "expression",
            "type": "string",
            "default": "",
            "displayOptions": {"show": {"field": ["cronExpression"]}},
        },
    ],
)
_GRACE = {
    "name": "graceSeconds",
    "displayName": "Missed Execution Grace Period (Seconds)",
    "type": "number",
    "default": 0,
}
_POLL_TIMES = _times(
    "pollTimes",
    "item",
    [
        {
            "name": "mode",
            "type": "options",
            "default": "everyDay",
            "options": _options("everyMinute", "everyHour", "everyDay", "everyX", "custom"),
        },
        {"name": "value", "type": "number", "default": 2},
        {"name": "unit", "type": "options", "default": "hours", "options": _options(*_EVERY[1:3])},
        {"name": "hour", "type": "number", "default": 14},
        {"name": "minute", "type": "number", "default": 0},
        {"name": "cronExpression", "type": "string", "default": ""},
    ],
)
_KNOWN = registry(
    tool(_CLOCK, inputs=[], parameters=[_RULE, _GRACE], traits={"trigger": True}),
    tool(_POLL, inputs=[], parameters=[_POLL_TIMES], traits={"trigger": True, "polling": True}),
)


def _compile_start(type_: str, params: dict[str, Any]) -> Compilation:
    steps = [{"id": "start", "tool": type_, "params": params}, {"id": "work", "tool": STEP}]
    return compile_with_fixes({"steps": steps}, N8N, _KNOWN, CompileOptions())


def _parameters(type_: str, params: dict[str, Any]) -> dict[str, Any]:
    compilation = _compile_start(type_, params)
    assert compilation.artifact is not None, compilation.diagnostics
    parameters: dict[str, Any] = compilation.artifact["nodes"][0]["parameters"]
    return parameters


@pytest.mark.parametrize(
    ("params", "interval"),
    [
        ({"interval": "1 hour"}, {"field": "hours", "hoursInterval": 1}),
        ({"every": "2 hours"}, {"field": "hours", "hoursInterval": 2}),
        ({"frequency": "hourly"}, {"field": "hours", "hoursInterval": 1}),
        ({"interval": "15m"}, {"field": "minutes", "minutesInterval": 15}),
        ({"rule": "every 15 minutes"}, {"field": "minutes", "minutesInterval": 15}),
        ({"rule": {"interval": "3 days"}}, {"field": "days", "daysInterval": 3}),
        ({"interval": {"minutes": 10}}, {"field": "minutes", "minutesInterval": 10}),
        ({"rule": {"every": 6, "unit": "hours"}}, {"field": "hours", "hoursInterval": 6}),
        ({"interval": "0 8 * * 1-5"}, {"field": "cronExpression", "expression": "0 8 * * 1-5"}),
        (
            {"schedule": "every Monday at 7:30"},
            {
                "field": "weeks",
                "weeksInterval": 1,
                "triggerAtDay": [1],
                "triggerAtHour": 7,
                "triggerAtMinute": 30,
            },
        ),
        (
            {"time": "08:05"},
            {"field": "days", "daysInterval": 1, "triggerAtHour": 8, "triggerAtMinute": 5},
        ),
    ],
)
def test_times_in_words_are_the_rule_of_a_schedule(
    params: dict[str, Any], interval: dict[str, Any]
) -> None:
    """The rule has them, whatever the key is called; no other parameter takes them."""
    assert _parameters(_CLOCK, params) == {"rule": {"interval": [interval]}}


@pytest.mark.parametrize(
    ("params", "item"),
    [
        ({"pollTimes": "every 5 minutes"}, {"mode": "everyX", "value": 5, "unit": "minutes"}),
        ({"interval": "hourly"}, {"mode": "everyHour", "minute": 0}),
        ({"poll": "*/7 * * * *"}, {"mode": "custom", "cronExpression": "*/7 * * * *"}),
    ],
)
def test_times_in_words_are_the_poll_times_of_a_trigger(
    params: dict[str, Any], item: dict[str, Any]
) -> None:
    """A trigger that polls has the same words in its own shape."""
    assert _parameters(_POLL, params) == {"pollTimes": {"item": [item]}}


@pytest.mark.parametrize(
    ("params", "key"),
    [
        ({"interval": 1}, "interval"),
        ({"interval": "whenever"}, "interval"),
        ({"every": 15, "unit": "minutes"}, "unit"),
        ({"at": "8:45", "who": "mon-fri"}, "at"),
        ({"every": "hour except Sunday"}, "every"),
        ({"every": "0 minutes"}, "every"),
    ],
)
def test_times_that_cannot_be_read_are_reported_with_the_shape(
    params: dict[str, Any], key: str
) -> None:
    """They go to no other parameter, and the finding shows how times are written."""
    compilation = _compile_start(_CLOCK, params)
    helps = {d.token: d.help for d in compilation.diagnostics if d.code == "GB308"}
    shape = '{"rule": {"interval":[{"field":"hours","hoursInterval":2}]}}'
    assert shape in helps[key]
    assert compilation.artifact is not None
    assert compilation.artifact["nodes"][0]["parameters"] == {}


def test_a_name_of_another_parameter_keeps_its_value() -> None:
    """The words of a label still name a parameter where no name has them."""
    assert _parameters(_CLOCK, {"grace": "5"}) == {"graceSeconds": 5}
    written = {"rule": {"interval": [{"field": "hours", "hoursInterval": 2}]}}
    assert _parameters(_CLOCK, {**written, "missed": 60}) == {**written, "graceSeconds": 60}
