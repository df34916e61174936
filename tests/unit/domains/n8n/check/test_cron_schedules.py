"""Cron expressions that n8n can and cannot parse."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters.cron import find_cron_fault
from tests.unit.domains.n8n.drafts import compile_workflow, node, registry, tool, workflow

CLOCK, CRON, POLL = "n8n-nodes-base.scheduleTrigger", "n8n-nodes-base.cron", "acme-nodes.polled"
_TIMES = ("rule", "triggerTimes", "pollTimes")
REGISTRY = registry(
    *(
        tool(
            text,
            inputs=[],
            parameters=[{"name": name, "type": "json", "default": {}} for name in _TIMES],
            traits={"trigger": True, "polling": text == POLL},
        )
        for text in (CLOCK, CRON, POLL)
    )
)


def _reported_routes(
    type_: str, parameters: dict[str, Any], **more: Any
) -> list[tuple[str | int, ...]]:
    draft = workflow([node("A", type_, parameters, **more)])
    diagnostics = compile_workflow(draft, None, REGISTRY).diagnostics
    return [d.at for d in diagnostics if d.code == "N8N354"]


def _rule(expression: Any, field: str = "cronExpression") -> dict[str, Any]:
    return {"rule": {"interval": [{"field": field, "expression": expression}]}}


@pytest.mark.parametrize(
    "expression",
    [
        "0 9 * * 1-5",
        " 0 9 * * MON-fri",
        "*/5 0 9,17 1/2 JAN *",
        "@daily",
        "0 0 29 2 *",
        "0 0 31 2 1",
        "5-59/10 * * * *",
        "0 0 * * 7",
        "*/99 * * * *",
        "\ufeff0 9 * * *\n",
    ],
)
def test_valid_cron_expression_is_accepted(expression: str) -> None:
    """Lists, ranges, steps, short names, presets and surrounding blanks are accepted."""
    assert find_cron_fault(expression) is None


@pytest.mark.parametrize(
    "expression",
    [
        "every day",
        "0 9 * *",
        "0 9 * * * * *",
        "0 9 ? * 1",
        "0 0 L * *",
        "60 * * * *",
        "0 24 * * *",
        "* * * * 8",
        "* * 0 * *",
        "*/0 * * * *",
        "9-5 * * * *",
        "1* * * * *",
        "1,,2 * * * *",
        "0 9 * * monday",
        "@reboot",
        " @daily",
        "0 0 31 2 *",
        "0 0 31 4,6 0-6",
        "1.5 * * * *",
    ],
)
def test_invalid_cron_expression_is_reported(expression: str) -> None:
    """Too few, too many, unknown or out-of-range fields and impossible days are reported."""
    assert find_cron_fault(expression)


def test_every_kind_of_clock_is_read() -> None:
    """Schedules, the older cron node and polls are checked where the expression stands."""
    item = {"item": [{"mode": "everyHour"}, {"mode": "custom", "cronExpression": "0 9 ? * *"}]}
    at = ("nodes", 0, "parameters")
    assert _reported_routes(CLOCK, _rule("0 9 ? * *")) == [
        (*at, "rule", "interval", 0, "expression")
    ]
    for type_, name in ((CRON, "triggerTimes"), (POLL, "pollTimes")):
        assert _reported_routes(type_, {name: item}) == [(*at, name, "item", 1, "cronExpression")]


@pytest.mark.parametrize(
    "parameters",
    [_rule("={{ $env.CRON }}"), _rule("<your cron>"), _rule(""), _rule(5), _rule("x", "days"), {}],
)
def test_unknown_cron_expression_is_not_checked(parameters: dict[str, Any]) -> None:
    """Expressions, placeholders and other kinds of interval are not checked."""
    assert _reported_routes(CLOCK, parameters) == []


def test_a_disabled_clock_does_not_run() -> None:
    """A disabled node is not reported."""
    assert _reported_routes(CLOCK, _rule("0 9 ? * *"), disabled=True) == []
