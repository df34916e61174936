"""Workflows that start themselves: they make what their trigger waits for."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import node, workflow

BASE = "n8n-nodes-base."
TEAM = {"__rl": True, "mode": "list", "value": "", "cachedResultName": "Operations"}


@pytest.fixture(scope="module")
def real(installed_registry: Registry) -> Registry:
    return installed_registry


def _place(value: str, name: str = "") -> dict[str, Any]:
    chosen = {"__rl": True, "mode": "list", "value": value}
    return {**chosen, "cachedResultName": name} if name else chosen


def _find(
    known: Registry,
    trigger: tuple[str, dict[str, Any]],
    step: tuple[str, dict[str, Any]],
    *between: dict[str, Any],
) -> list[Diagnostic]:
    """Returns the findings on a line of a trigger, nodes between and a last node."""
    versions = {name: known.tools[BASE + name].preferred_version for name in (trigger[0], step[0])}
    nodes = [
        node("On", BASE + trigger[0], trigger[1], typeVersion=versions[trigger[0]]),
        *between,
        node("Do", BASE + step[0], step[1], typeVersion=versions[step[0]]),
    ]
    names = [item["name"] for item in nodes]
    draft = workflow(nodes, list(pairwise(names)))
    result = compile_draft(draft, N8N, known, CompileOptions())
    return [d for d in result.diagnostics if d.code == "N8N363"]


def _slack(**given: Any) -> tuple[str, dict[str, Any]]:
    return "slackTrigger", {"trigger": ["message"], "channelId": _place("C1"), **given}


def _post(channel: Any, **given: Any) -> tuple[str, dict[str, Any]]:
    chosen = {"resource": "message", "operation": "post", "select": "channel", "text": "x"}
    return "slack", {**chosen, "channelId": channel, **given}


def _teams(**given: Any) -> tuple[str, dict[str, Any]]:
    return "microsoftTeamsTrigger", {"event": "newChannelMessage", "teamId": TEAM, **given}


def _write(channel: Any) -> tuple[str, dict[str, Any]]:
    chosen = {"resource": "channelMessage", "operation": "create", "contentType": "text"}
    return "microsoftTeams", {**chosen, "message": "x", "teamId": TEAM, "channelId": channel}


def _if(left: str) -> dict[str, Any]:
    operator = {"type": "string", "operation": "notEmpty", "singleValue": True}
    conditions = {"combinator": "and", "conditions": [{"leftValue": left, "operator": operator}]}
    return node("If", f"{BASE}if", {"conditions": conditions}, typeVersion=2.2)


SET = node("Set", f"{BASE}set", {"mode": "raw", "jsonOutput": "{}"}, typeVersion=3.4)
HTTP = node("Ask", f"{BASE}httpRequest", {"url": "https://x.org"}, typeVersion=4.2)
SHEET = {"documentId": _place("d1"), "sheetName": _place("0", "Log")}
ROW = {"resource": "sheet", "columns": {"mappingMode": "autoMapInputData", "value": None}}


@pytest.mark.parametrize(
    ("trigger", "step"),
    [
        (_slack(), _post(_place("C1"))),
        (_slack(), _post("={{ $('On').item.json.channel }}")),
        (_slack(channelId=_place("", "help")), _post({**_place("#help"), "mode": "name"})),
        (_slack(trigger=["any_event"], watchWorkspace=True), _post(_place("C2"))),
        (_teams(channelId=_place("", "Buy")), _write(_place("", "Buy"))),
        (_teams(watchAllChannels=True), _write(_place("19:a"))),
        (
            ("googleSheetsTrigger", {"event": "rowAdded", **SHEET}),
            ("googleSheets", {**ROW, "operation": "append", **SHEET}),
        ),
        (
            (
                "googleDriveTrigger",
                {
                    "triggerOn": "specificFolder",
                    "event": "fileCreated",
                    "folderToWatch": _place("f"),
                },
            ),
            ("googleDrive", {"resource": "file", "operation": "upload", "folderId": _place("f")}),
        ),
        (
            ("googleCalendarTrigger", {"triggerOn": "eventCreated", "calendarId": _place("me")}),
            (
                "googleCalendar",
                {"resource": "event", "operation": "create", "calendar": _place("me")},
            ),
        ),
    ],
)
def test_a_node_that_makes_what_the_trigger_waits_for_is_reported(
    trigger: Any, step: Any, real: Registry
) -> None:
    (finding,) = _find(real, trigger, step)
    assert '"On"' in finding.message
    (finding,) = _find(real, trigger, step, HTTP, _if("={{ $json.data }}"))
    assert finding.node == "Do"


@pytest.mark.parametrize(
    ("trigger", "step"),
    [
        (_slack(), _post(_place("C2"))),
        (_slack(), _post("={{ $json.target }}")),
        (_slack(trigger=["app_mention"]), _post(_place("C1"))),
        (_slack(options={"userIds": ["U1"]}), _post(_place("C1"))),
        (_slack(), _post(_place("C1"), operation="update", ts="1")),
        (_slack(channelId=_place("")), _post(_place(""))),
        (_teams(channelId=_place("a")), _write(_place("b"))),
        (
            ("googleSheetsTrigger", {"event": "rowAdded", **SHEET}),
            ("googleSheets", {**ROW, "operation": "update", **SHEET}),
        ),
    ],
)
def test_other_places_and_operations_start_nothing(trigger: Any, step: Any, real: Registry) -> None:
    assert _find(real, trigger, step) == []


def test_a_condition_on_the_event_ends_the_circle(real: Registry) -> None:
    """The condition reads the event itself, directly or by the trigger's name."""
    step = _post(_place("C1"))
    assert _find(real, _slack(), step, _if("={{ $json.bot_id }}")) == []
    assert _find(real, _slack(), step, SET, _if("={{ $json.bot_id }}")) == []
    assert _find(real, _slack(), step, HTTP, _if("={{ $('On').item.json.user }}")) == []
