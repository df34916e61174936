"""A scenario of an expectation is a run of its own, with what is given for nodes and triggers."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.expectations import read_expectations
from grounded_builder.domains.n8n.rehearsal.scenarios import JudgedRehearsal, rehearse_expected
from grounded_builder.domains.n8n.rehearsal.stage import Stage
from grounded_builder.domains.n8n.rehearsal.workflow_copy import CopyOrder
from tests.support.n8n_workflows import Workflow, node, workflow

_POSTED = {"method": "POST", "sendBody": True, "specifyBody": "json"}
_DONE = [{"name": "Ann", "status": "done"}, {"name": "Bo", "status": "open"}]


def _tasks() -> Workflow:
    """Returns a workflow that reports each task of a list."""
    body = "={{ JSON.stringify({text: $json.name + ' ' + $json.status}) }}"
    told = {**_POSTED, "url": "https://chat.acme.example/post", "jsonBody": body}
    return workflow(
        node("Start", "manualTrigger", 1),
        node("List", "httpRequest", 4.2, {"url": "https://tasks.acme.example/open"}),
        node("Tell", "httpRequest", 4.2, told),
    )


def _judge(
    stage: Stage, registry: Registry, document: Workflow, expected: list[Any]
) -> JudgedRehearsal:
    graph = N8N.reading.read(document).graph
    assert graph is not None
    resolved, _ = resolve_graph(graph, N8N, registry, tuple)
    return rehearse_expected(stage, CopyOrder(resolved, {}), read_expectations(expected), "a test")


def test_each_scenario_has_what_is_given(stage: Stage, registry: Registry) -> None:
    """Items replace a node, a body is the answer to its requests, a fault is an error of them."""
    told = {"requests": {"host": "chat.acme.example"}, "count": {"items_of": "List"}}
    expected = [
        told,
        {
            "why": "two tasks",
            "when": {"answers": {"List": _DONE}},
            "expect": [
                {**told, "distinct": True},
                {"requests": {"body": {"text": "Bo open"}}, "count": 1},
                {"requests": {"node": "List"}},
            ],
        },
        {
            "why": "no task",
            "when": {"answers": {"List": []}},
            "expect": [{"requests": {"node": "Tell"}, "count": 0}, {"node": "Tell", "items": 1}],
        },
        {
            "why": "the service itself",
            "when": {"answers": {"List": {"body": [{"name": "Cy", "status": "new"}]}}},
            "expect": [{"requests": {"node": "Tell", "body": {"text": "Cy new"}}, "count": 1}],
        },
        {
            "why": "the service fails",
            "when": {"faults": {"List": "500"}},
            "expect": [{"node": "List", "fails": True}, {"requests": {"node": "Tell"}, "count": 0}],
        },
    ]
    judged = _judge(stage, registry, _tasks(), expected)
    states = [(verdict.scenario, verdict.state) for verdict in judged.verdicts]
    assert states == [
        ("", "met"),
        ("two tasks", "met"),
        ("two tasks", "met"),
        ("two tasks", "unmet"),
        ("no task", "met"),
        ("no task", "unjudged"),
        ("the service itself", "met"),
        ("the service fails", "met"),
        ("the service fails", "met"),
    ], judged.verdicts
    assert judged.verdicts[5].miss == 'no run reached "Tell"'
    assert judged.rehearsal.never_run == ()


@pytest.mark.parametrize(("greeting", "state"), [("Hello Ann", "met"), ("Hello Bo", "unmet")])
def test_the_answer_to_the_caller_is_judged(
    stage: Stage, registry: Registry, greeting: str, state: str
) -> None:
    """A scenario's sample is what the caller of a webhook sends; its answer is compared."""
    hook = {"httpMethod": "POST", "path": "greet", "responseMode": "responseNode", "options": {}}
    body = "={{ { text: 'Hello ' + $json.body.name } }}"
    document = workflow(
        node("Hook", "webhook", 2, hook),
        node("Reply", "respondToWebhook", 1.1, {"respondWith": "json", "responseBody": body}),
    )
    expected = [
        {
            "when": {"samples": {"Hook": [{"body": {"name": "Ann"}}]}},
            "expect": [{"answer": {"status": 200, "body": {"text": greeting}}}],
        }
    ]
    (verdict,) = _judge(stage, registry, document, expected).verdicts
    assert verdict.state == state, verdict


def test_what_cannot_be_given_is_not_judged(stage: Stage, registry: Registry) -> None:
    """A scenario about a node that is not there is not judged, and says so."""
    expected = [{"when": {"answers": {"Lost": []}}, "expect": [{"requests": {}, "count": 0}]}]
    (verdict,) = _judge(stage, registry, _tasks(), expected).verdicts
    assert (verdict.state, verdict.miss) == ("unjudged", 'the workflow has no node "Lost"')


def test_a_mail_is_read(stage: Stage, registry: Registry) -> None:
    """Gmail takes a whole mail as one text; its headers and words are compared."""
    sent = {"sendTo": "ann@acme.example", "subject": "Report", "message": "all is done"}
    document = workflow(
        node("Start", "manualTrigger", 1), node("Mail", "gmail", 2.1, {**sent, "options": {}})
    )
    body = {"to": "*ann@acme.example*", "subject": "report", "text": {"contains": "all is done"}}
    expected = [{"requests": {"node": "Mail", "body": body}, "count": 1}]
    (verdict,) = _judge(stage, registry, document, expected).verdicts
    assert verdict.state == "met", verdict
