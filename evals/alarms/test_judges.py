"""Tests that no judge calls a made-up alarm on a sound workflow true."""

from __future__ import annotations

from typing import Any

import pytest

from evals.alarms.alarm import Alarm
from evals.alarms.by_server import Server
from evals.alarms.judges import QUESTIONS, SERVER, judge_alarms
from evals.alarms.readings import Readings
from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.domains.rules import BY_CODE
from runtime import paths
from runtime.n8n_server import N8nServer
from tests.support.n8n_workflows import Workflow, clean_up_after, hook, node, workflow

LANGCHAIN = "@n8n/n8n-nodes-langchain"
CONDITION = {"leftValue": "={{ $json.a }}", "rightValue": 1}
NUMBER = {**CONDITION, "operator": {"type": "number", "operation": "equals"}, "id": "c"}
OPTIONS = {"caseSensitive": True, "leftValue": "", "typeValidation": "strict", "version": 2}
FILTER = {"conditions": [NUMBER], "combinator": "and", "options": OPTIONS}


def make_sound_workflow() -> Workflow:
    """Returns a sound workflow: webhook, condition, code, date, agent with a model, and answer."""
    code = {"jsCode": "const a = $('Hook').first().json; return [{json: a}];"}
    text = {"promptType": "define", "text": "={{ $('Hook').item.json.a }}"}
    login = {"openAiApi": {"id": "1", "name": "x"}}
    nodes = [
        hook(),
        node("If", "if", 2.2, {"conditions": FILTER, "options": {}}),
        node("Code", "code", 2, code),
        node("Day", "dateTime", 2, {"operation": "getCurrentDate", "options": {}}),
        node("Agent", f"{LANGCHAIN}.agent", 2, text),
        node("Model", f"{LANGCHAIN}.lmChatOpenAi", 1.2, {"options": {}}, credentials=login),
    ]
    nodes[0]["parameters"]["responseMode"] = "responseNode"
    answer = node("Answer", "respondToWebhook", 1.4, {"respondWith": "noData", "options": {}})
    made = workflow(nodes[0], nodes[1], nodes[2], nodes[3], nodes[4], answer)
    made["nodes"].append(nodes[5])
    entry = {"node": "Agent", "type": "ai_languageModel", "index": 0}
    made["connections"]["Model"] = {"ai_languageModel": [[entry]]}
    return made


# For each code, the node, the route and the token of a made-up alarm.
PLACES: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "GB201": ("Day", ("nodes", 3, "type"), ""),
    "GB205": ("Day", ("nodes", 3, "typeVersion"), ""),
    "GB302": ("Day", ("nodes", 3, "parameters", "operation"), "operation"),
    "GB304": ("If", ("nodes", 1, "parameters", "conditions", "conditions", 0, "rightValue"), "1"),
    "GB305": ("Day", ("nodes", 3, "parameters", "operation"), "getCurrentDate"),
    "GB312": ("Day", ("nodes", 3, "id"), ""),
    "GB313": ("Hook", ("connections", "Hook", "main", 0, 0, "node"), "If"),
    "GB314": ("If", ("connections", "If", "main", 0, 0), "main"),
    "GB316": ("Agent", ("nodes", 4), "ai_languageModel"),
    "N8N101": ("Day", ("nodes", 3, "parameters"), "parameters"),
    "N8N304": ("Model", ("nodes", 6, "credentials", "openAiApi"), "openAiApi"),
    "N8N311": ("Answer", ("nodes", 5), ""),
    "N8N312": ("Hook", ("nodes", 0, "parameters", "responseMode"), "responseNode"),
    "N8N313": ("Hook", ("nodes", 0, "parameters", "responseMode"), "responseNode"),
    "N8N321": ("Code", ("nodes", 2, "parameters", "jsCode"), ""),
    "N8N322": ("Agent", ("nodes", 4, "parameters", "text"), "Hook"),
    "N8N328": ("Agent", ("nodes", 4, "parameters", "text"), "Hook"),
    "N8N346": ("Hook", ("nodes", 0, "webhookId"), ""),
}


@pytest.fixture(scope="module")
def truth(n8n: N8nServer) -> dict[str, str]:
    alarms = [make_alarm(code) for code in PLACES]
    with clean_up_after(n8n) as client:
        verdicts = judge_alarms(
            alarms, paths.n8n_home(), paths.node(), Server(n8n, client), Readings.load()
        )
    return {code: verdict.truth for code, verdict in zip(PLACES, verdicts, strict=True)}


def make_alarm(code: str) -> Alarm:
    document = make_sound_workflow()
    name, at, token = PLACES[code]
    node_ = next(item for item in document["nodes"] if item["name"] == name)
    message = f"made up about {token}"
    finding = new_diagnostic(
        BY_CODE[code], at, message, node=name, token=token, alternatives=("timezone",)
    )
    return Alarm("sound", document, finding, node_)


@pytest.mark.parametrize("code", PLACES)
def test_no_judge_calls_a_made_up_alarm_true(code: str, truth: dict[str, str]) -> None:
    """A made-up alarm on a sound workflow is false, or at worst undecided."""
    assert code in QUESTIONS or code in SERVER
    assert truth[code] != "true"
