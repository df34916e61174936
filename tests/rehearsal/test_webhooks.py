"""A webhook that the workflow answers is published and called; the answer is part of the result."""

from __future__ import annotations

import json
from typing import Any

from grounded_builder.domains.n8n.rehearsal.rehearse import RehearsedRun
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow

_RESPOND = {
    "respondWith": "json",
    "responseBody": "={{ ({ city: $json.body.city, by: $json.headers['x-api-key'] }) }}",
    "options": {"responseCode": 201},
}
_BODY = [{"body": {"city": "Oslo"}, "params": {"id": "7"}, "query": {"q": "1"}}]


def _hook(**parameters: Any) -> dict[str, Any]:
    return node("Hook", "webhook", 2, {"path": "orders", "httpMethod": "POST", **parameters})


def _run(rehearsed: Rehearse, document: Any) -> RehearsedRun:
    (run,) = rehearsed(document, {"Hook": _BODY}).runs
    assert run.refusal == ""
    assert run.execution.status == "success"
    return run


def test_the_caller_gets_the_answer_of_the_respond_node(rehearsed: Rehearse) -> None:
    """Method, path, login and body are those of a real caller; status and body are n8n's own."""
    hook = _hook(responseMode="responseNode", authentication="headerAuth")
    run = _run(rehearsed, workflow(hook, node("Answer", "respondToWebhook", 1.1, _RESPOND)))
    assert run.answer is not None
    assert run.answer.status == 201
    assert json.loads(run.answer.body) == {
        "city": "Oslo",
        "by": "invented-httpheaderauth-1-key",
    }
    assert [rehearsed.step.node for rehearsed in run.steps] == ["Hook", "Answer"]


def test_the_last_node_answers(rehearsed: Rehearse) -> None:
    """Variables of the path have the values of the sample; the login is by name and password."""
    made = {"mode": "raw", "jsonOutput": "={{ ({ id: $json.params.id, q: $json.query.q }) }}"}
    hook = _hook(
        path="orders/:id",
        responseMode="lastNode",
        authentication="basicAuth",
        httpMethod="GET",
    )
    run = _run(rehearsed, workflow(hook, node("Make", "set", 3.4, made)))
    assert run.answer is not None
    assert (run.answer.status, json.loads(run.answer.body)) == (200, {"id": "7", "q": "1"})


def test_a_webhook_that_answers_at_once_is_not_called(rehearsed: Rehearse) -> None:
    """Its answer tells nothing, and its item may be one that a caller cannot send."""
    run = _run(rehearsed, workflow(_hook(), node("End", "noOp", 1)))
    assert run.answer is None
