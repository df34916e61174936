"""Plain requests become changes, times in words schedules."""

from __future__ import annotations

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.domains.n8n.lower.schedule import poll_times, rule
from grounded_builder.drafting.edits.rules import edits_from_text
from grounded_builder.drafting.planner.schedules import times_in
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions
from tests.support.registries import acme_registry
from tests.unit.domains.n8n.edit.test_editor import Json, workflow


@pytest.fixture(scope="module")
def registry() -> Registry:
    return acme_registry()


@pytest.mark.parametrize(
    ("request_", "change"),
    [
        ("rename Mail to Greeting", {"rename": "Mail", "to": "Greeting"}),
        ("Please remove the Copy node.", {"remove": "Copy"}),
        ("turn off the 'Copy' step", {"disable": "Copy"}),
        ("enable Copy", {"enable": "Copy"}),
        ("replace Mail by Acme Router", {"replace": "Mail", "by": {"tool": "Acme Router"}}),
        (
            "use Acme Router instead of Copy",
            {"replace": "Copy", "by": {"tool": "Acme Router"}},
        ),
        ("add Acme Router after Mail", {"add": {"tool": "Acme Router"}, "after": "Mail"}),
        ("after Mail, add Acme Router", {"add": {"tool": "Acme Router"}, "after": "Mail"}),
        ("insert an Acme Router before Copy", {"add": {"tool": "Acme Router"}, "before": "Copy"}),
        (
            "add Acme Router between Hook and Mail",
            {"add": {"tool": "Acme Router"}, "between": ["Hook", "Mail"]},
        ),
        ("add Acme Router at the end", {"add": {"tool": "Acme Router"}, "after": "Copy"}),
        ("set Copy's to to x@y.example", {"set": "Copy", "params": {"to": "x@y.example"}}),
        (
            "change the recipient of Copy to x@y.example",
            {"set": "Copy", "params": {"recipient": "x@y.example"}},
        ),
    ],
)
def test_plain_requests_become_changes(registry: Registry, request_: str, change: Json) -> None:
    """A request in plain words is the change that it says, and nothing of it is left."""
    ground = EditContext(N8N, registry, CompileOptions())
    drafted = edits_from_text(request_, workflow(), EDITOR, ground)
    assert drafted.unplaced == ()
    assert drafted.changes == (change,)


def test_several_requests_are_several_changes(registry: Registry) -> None:
    """Each clause that begins with a verb is a change; clauses without a rule are reported."""
    ground = EditContext(N8N, registry, CompileOptions())
    text = "rename Mail to Salt and pepper, disable Copy and make tea"
    drafted = edits_from_text(text, workflow(), EDITOR, ground)
    expected = ({"rename": "Mail", "to": "Salt and pepper"}, {"disable": "Copy"})
    assert drafted.changes == expected
    assert drafted.unplaced == ("make tea",)


@pytest.mark.parametrize(
    ("words", "interval"),
    [
        ("hourly", {"field": "hours", "hoursInterval": 1}),
        ("every 15 minutes", {"field": "minutes", "minutesInterval": 15}),
        ("every other day", {"field": "days", "daysInterval": 2}),
        ("daily at 8:30", {"field": "days", "daysInterval": 1, "triggerAtHour": 8,
                           "triggerAtMinute": 30}),
        ("every Monday at 9", {"field": "weeks", "weeksInterval": 1, "triggerAtDay": [1],
                               "triggerAtHour": 9, "triggerAtMinute": 0}),
        ("at 12 am", {"field": "days", "daysInterval": 1, "triggerAtHour": 0,
                      "triggerAtMinute": 0}),
        ("at 5pm on weekdays", {"field": "weeks", "weeksInterval": 1,
                                "triggerAtDay": [1, 2, 3, 4, 5], "triggerAtHour": 17,
                                "triggerAtMinute": 0}),
        ("on the 15th of every month at 8am", {"field": "months", "monthsInterval": 1,
                                               "triggerAtDayOfMonth": 15, "triggerAtHour": 8,
                                               "triggerAtMinute": 0}),
        ("Monday to Thursday at noon", {"field": "weeks", "weeksInterval": 1,
                                        "triggerAtDay": [1, 2, 3, 4], "triggerAtHour": 12,
                                        "triggerAtMinute": 0}),
        ("every 120 minutes", {"field": "hours", "hoursInterval": 2}),
        ("on 0 9 * * 1", {"field": "cronExpression", "expression": "0 9 * * 1"}),
        ("every morning", {"field": "days", "daysInterval": 1, "triggerAtHour": 8,
                           "triggerAtMinute": 0}),
    ],
)  # fmt: skip
def test_times_in_words(words: str, interval: Json) -> None:
    """Words that tell times become one interval of a schedule, and poll times where those can."""
    times = times_in(words)
    assert times is not None
    assert rule(times) == {"interval": [interval]}


@pytest.mark.parametrize("words", ["soon", "at 25", "every 90 minutes", "at 13 pm", ""])
def test_invalid_times_are_no_schedule(words: str) -> None:
    """Words without a time, or with an impossible one, are no schedule."""
    assert times_in(words) is None


def test_poll_times_are_reported_only_where_they_can_be() -> None:
    """A polling trigger cannot be told to poll on two days of the week."""
    weekdays, hourly = times_in("on weekdays"), times_in("hourly")
    assert weekdays is not None
    assert hourly is not None
    assert poll_times(weekdays) is None
    assert poll_times(hourly) == {"item": [{"mode": "everyHour", "minute": 0}]}
