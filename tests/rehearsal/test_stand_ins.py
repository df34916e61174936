"""Nodes whose protocol has no server do not run, and the result says so."""

from __future__ import annotations

from grounded_builder.domains.n8n.rehearsal.result import rehearsal_json, rehearsal_lines
from tests.rehearsal.conftest import Rehearse
from tests.rehearsal.test_requests import _list_requests
from tests.support.n8n_workflows import make_connection, node, workflow

_AI = "@n8n/n8n-nodes-langchain"


def test_what_follows_a_node_without_a_server_runs(rehearsed: Rehearse) -> None:
    """The workflow's own run goes on with sample items; the node counts as never run."""
    query = {"operation": "executeQuery", "query": "SELECT city FROM places", "options": {}}
    send = {"url": "=https://api.acme.example/{{ $json.city }}"}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Places", "mySql", 2.4, query),
        node("Send", "httpRequest", 4.2, send),
    )
    rehearsal = rehearsed(document, faults={"Places": "500"})
    (run,) = rehearsal.runs
    assert (run.variant.kind, run.execution.status) == ("natural", "success")
    assert [step.step.node for step in run.steps] == ["Start", "Send"]
    assert len(_list_requests(rehearsal, "Send")) == 1
    (missed,) = rehearsal.never_run
    assert missed.node == "Places"
    assert missed.reason.startswith("it speaks mysql, which has no server here: it gives sample")
    assert missed.reason.endswith("the fault or answer that is given for it has no effect")
    content = rehearsal_json(rehearsal, ())
    assert content["unserved"] == [{"node": "Places", "protocol": "mysql", "state": "replaced"}]
    assert 'no server for mysql: "Places" gives sample items' in list(rehearsal_lines(content))


def test_a_sub_node_without_a_server_is_named(rehearsed: Rehearse) -> None:
    """The agent runs without it."""
    agent = {"promptType": "define", "text": "Go", "options": {}}
    memory = {"sessionIdType": "customKey", "sessionKey": "a"}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Agent", f"{_AI}.agent", 2.2, agent),
        node("Model", f"{_AI}.lmChatOpenAi", 1.2),
        node("Memory", f"{_AI}.memoryMongoDbChat", 1, memory),
        edges={
            **make_connection("Start", "main", "Agent"),
            **make_connection("Model", "ai_languageModel", "Agent"),
            **make_connection("Memory", "ai_memory", "Agent"),
        },
    )
    rehearsal = rehearsed(document)
    assert [(item.node, item.protocol, item.state) for item in rehearsal.unserved] == [
        ("Memory", "mongodb", "left_out")
    ]
    assert [run.execution.status for run in rehearsal.runs] == ["success"]
    assert [item.node for item in rehearsal.never_run] == ["Memory"]
