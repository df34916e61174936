"""Workflows with one fault each, with the answers of n8n and the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Verdict
from tests.support.n8n_workflows import (
    Workflow,
    hook,
    make_connection,
    node,
    workflow,
)

REFUSED, TAKEN, NEVER_ASKED = 400, 200, None
LANGCHAIN = "@n8n/n8n-nodes-langchain"


SLACK = {
    "resource": "message",
    "operation": "post",
    "select": "channel",
    "channelId": {"__rl": True, "mode": "id", "value": "C0123ABCD"},
    "text": "hello",
}


HEADER_AUTH = {
    "url": "http://127.0.0.1",
    "authentication": "genericCredentialType",
    "genericAuthType": "httpHeaderAuth",
}


TO_SET = {"node": "Set", "type": "main", "index": 0}


@dataclass(frozen=True)
class Case:
    """A workflow, n8n's status at creation and at publication, and our verdict and code."""

    what: str
    document: Workflow
    created: int
    published: int | None
    verdict: Verdict
    code: str | None = None


def sound(what: str, document: Workflow) -> Case:
    return Case(what, document, TAKEN, TAKEN, "ok")


def at_creation(what: str, code: str, document: Workflow) -> Case:
    return Case(what, document, REFUSED, NEVER_ASKED, "wrong", code)


def at_publication(what: str, verdict: Verdict, code: str, document: Workflow) -> Case:
    return Case(what, document, TAKEN, REFUSED, verdict, code)


def in_silence(what: str, verdict: Verdict, code: str, document: Workflow) -> Case:
    return Case(what, document, TAKEN, TAKEN, verdict, code)


def plain(name: str = "Set") -> Workflow:
    return node(name, "set", 3.4)


def agent() -> Workflow:
    parameters = {"promptType": "define", "text": "hello"}
    return node("Agent", f"{LANGCHAIN}.agent", 2, parameters)


def to_agent(source: str, kind: str) -> Any:
    into = {"main": [[{"node": "Agent", "type": "main", "index": 0}]]}
    return {"Hook": into, **make_connection(source, kind, "Agent")}


def with_key(document: Workflow, *route: Any) -> Workflow:
    place: Any = document
    for part in route:
        place = place[part]
    place["surplus"] = 1
    return document


CASES = [
    # sound
    sound("sound", workflow(hook(), plain())),
    sound(
        "called by workflows",
        workflow(
            node("In", "executeWorkflowTrigger", 1.1, {"inputSource": "passthrough"}), plain()
        ),
    ),
    sound(
        "an output left null",
        workflow(hook(), plain(), edges={"Hook": {"main": [[TO_SET], None]}}),
    ),
    # refused at creation
    at_creation(
        "edge to a missing node",
        "GB313",
        workflow(hook(), edges=make_connection("Hook", "main", "Gone")),
    ),
    at_creation(
        "edge from a missing node",
        "GB313",
        workflow(hook(), edges=make_connection("Gone", "main", "Hook")),
    ),
    at_creation("two nodes of one name", "GB311", workflow(hook(), hook(), edges={})),
    at_creation(
        "two nodes of one id", "GB312", workflow(hook(id="a"), node("Set", "set", 3.4, id="a"))
    ),
    at_creation("unknown key of the workflow", "N8N101", with_key(workflow(hook()))),
    at_creation("unknown key of a node", "N8N101", with_key(workflow(hook()), "nodes", 0)),
    at_creation("unknown key of the settings", "N8N101", with_key(workflow(hook()), "settings")),
    # refused at publication
    at_publication("unknown type", "wrong", "GB201", workflow(hook(), node("X", "nopeNode", 1))),
    at_publication(
        "unknown type, unconnected",
        "wrong",
        "GB201",
        workflow(hook(), node("X", "nopeNode", 1), edges={}),
    ),
    at_publication(
        "unknown type, disabled",
        "wrong",
        "GB201",
        workflow(hook(), node("X", "nopeNode", 1, disabled=True)),
    ),
    at_publication(
        "excluded type",
        "wrong",
        "GB204",
        workflow(hook(), node("X", "executeCommand", 1, {"command": "id"})),
    ),
    at_publication("unknown version", "wrong", "GB205", workflow(hook(), node("X", "set", 99))),
    at_publication(
        "missing required parameter",
        "incomplete",
        "GB301",
        workflow(hook(), node("X", "httpRequest", 4.2)),
    ),
    at_publication(
        "missing required credential",
        "incomplete",
        "N8N303",
        workflow(hook(), node("X", "slack", 2.2, SLACK)),
    ),
    at_publication("no trigger", "incomplete", "N8N301", workflow(plain())),
    at_publication("no nodes", "incomplete", "N8N301", workflow()),
    at_publication(
        "manual trigger only",
        "incomplete",
        "N8N307",
        workflow(node("Go", "manualTrigger", 1), plain()),
    ),
    at_publication(
        "trigger disabled", "incomplete", "N8N301", workflow(hook(disabled=True), plain())
    ),
    # taken in silence
    in_silence(
        "unknown version of a trigger",
        "wrong",
        "GB205",
        workflow(node("Hook", "webhook", 99, {"path": "v99"})),
    ),
    in_silence(
        "misspelt parameter",
        "wrong",
        "GB302",
        workflow(
            hook(), node("X", "httpRequest", 4.2, {"url": "http://127.0.0.1", "metod": "POST"})
        ),
    ),
    in_silence(
        "unknown parameter",
        "ok",
        "GB303",
        workflow(hook(), node("X", "httpRequest", 4.2, {"url": "http://127.0.0.1", "zzz": 1})),
    ),
    in_silence(
        "bad option",
        "wrong",
        "GB305",
        workflow(
            hook(), node("X", "httpRequest", 4.2, {"url": "http://127.0.0.1", "method": "FETCH"})
        ),
    ),
    in_silence(
        "bad operation",
        "wrong",
        "GB305",
        workflow(hook(), node("X", "dateTime", 2, {"operation": "explode"})),
    ),
    in_silence(
        "credential of a wrong type",
        "wrong",
        "N8N304",
        workflow(
            hook(),
            node(
                "X",
                "dateTime",
                2,
                {"operation": "getCurrentDate"},
                credentials={"slackApi": {"id": "x", "name": "x"}},
            ),
        ),
    ),
    in_silence(
        "credential that is not stored",
        "incomplete",
        "N8N306",
        workflow(
            hook(),
            node(
                "X",
                "httpRequest",
                4.2,
                HEADER_AUTH,
                credentials={"httpHeaderAuth": {"id": "gone", "name": "gone"}},
            ),
        ),
    ),
    in_silence(
        "AI edge of a wrong kind",
        "wrong",
        "GB314",
        workflow(
            hook(),
            agent(),
            node("Tool", f"{LANGCHAIN}.toolCalculator", 1),
            edges=to_agent("Tool", "ai_languageModel"),
        ),
    ),
    in_silence(
        "output index out of range",
        "wrong",
        "GB314",
        workflow(hook(), plain(), edges=make_connection("Hook", "main", "Set", output=3)),
    ),
    in_silence(
        "input index out of range",
        "wrong",
        "GB314",
        workflow(hook(), plain(), edges=make_connection("Hook", "main", "Set", index=3)),
    ),
    in_silence("agent without a model", "wrong", "GB316", workflow(hook(), agent())),
    in_silence(
        "broken expression",
        "wrong",
        "N8N321",
        workflow(hook(), node("X", "httpRequest", 4.2, {"url": "={{ $json. }}"})),
    ),
    in_silence(
        "reference to no node",
        "wrong",
        "N8N322",
        workflow(hook(), node("X", "httpRequest", 4.2, {"url": "={{ $('Gone').item.json.a }}"})),
    ),
    in_silence(
        "required parameter, unconnected",
        "incomplete",
        "GB301",
        workflow(hook(), node("X", "httpRequest", 4.2), edges={}),
    ),
]
