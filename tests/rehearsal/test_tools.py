"""Tools run their own code: those that an MCP server offers, and those that no model calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.domains.n8n.rehearsal import rehearse
from tests.rehearsal.conftest import Rehearse
from tests.rehearsal.test_requests import _list_requests
from tests.support.n8n_workflows import Workflow, make_connection, node, workflow

_AI = "@n8n/n8n-nodes-langchain"


def _serve(*tools: str, root: str) -> Workflow:
    return {name: make_connection(name, "ai_tool", root)[name] for name in tools}


@pytest.mark.parametrize(
    ("version", "params"),
    [(1, {}), (2, {"path": "tools", "authentication": "bearerAuth"})],
    ids=["v1 without a path", "v2 with a login"],
)
def test_a_client_calls_each_tool_of_an_mcp_server(
    rehearsed: Rehearse, version: float, params: dict[str, str]
) -> None:
    """Arguments fit the schema that the server offers; the failure of one tool is no other's."""
    url = "=https://weather.example.com/{{ $fromAI('days', 'how many', 'number') }}"
    document = workflow(
        node("Server", f"{_AI}.mcpTrigger", version, params),
        node("Bad", "httpRequestTool", 4.2, {"url": "nowhere", "toolDescription": "fails"}),
        node("Weather of the day", "httpRequestTool", 4.2, {"url": url, "toolDescription": "x"}),
        edges=_serve("Bad", "Weather of the day", root="Server"),
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.runs
    assert (run.variant.kind, run.refusal) == ("natural", "")
    (asked,) = _list_requests(rehearsal, "Weather of the day")
    assert asked["url"] == "https://weather.example.com/1"
    assert run.answer is not None
    answers: list[Any] = json.loads(run.answer.body)
    assert {a["tool"]: "error" in a for a in answers} == {"Bad": True, "Weather_of_the_day": False}
    assert run.execution.failure is not None
    assert run.execution.failure.node == "Bad"
    assert (run.variant.reason, rehearsal.never_run) == (
        "a client calls each tool of the server once",
        (),
    )


def test_a_silent_tool_keeps_the_answers_of_the_others(
    rehearsed: Rehearse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call of a tool whose service does not answer ends; what was called before is shown."""
    monkeypatch.setattr(rehearse, "LIMIT_S", 3)
    tools = [
        node(
            name,
            "httpRequestTool",
            4.2,
            {
                "url": f"https://{name.lower()}.example.com/",
                "toolDescription": "x",
                "authentication": "genericCredentialType",
                "genericAuthType": "httpHeaderAuth",
            },
        )
        for name in ("Slow", "Swift")
    ]
    server = node("Server", f"{_AI}.mcpTrigger", 2, {"path": "silent"})
    document = workflow(server, *tools, edges=_serve("Slow", "Swift", root="Server"))
    rehearsal = rehearsed(document, faults={"Slow": "timeout"})
    (run,) = rehearsal.runs
    assert (run.refusal, run.execution.status) == ("", "error")
    assert run.answer is not None
    answers = {answer["tool"]: answer for answer in json.loads(run.answer.body)}
    assert answers["Slow"]["error"] == "no answer in 3 s"
    assert len(_list_requests(rehearsal, "Swift")) == 1


def test_tools_that_no_model_calls_are_called_by_an_agent_of_the_rehearsal(
    rehearsed: Rehearse,
) -> None:
    """Each of nine tools sends its request, also after one fails; the run says who calls them."""
    agent = {"promptType": "define", "text": "Go", "options": {}}
    names = [f"Tool {number}" for number in range(9)]
    tools = [
        node(
            name,
            "httpRequestTool",
            4.2,
            {"url": f"https://api.acme.example/{name[-1]}", "toolDescription": "x"},
        )
        for name in names
    ]
    tools[7]["parameters"]["url"] = "nowhere"
    document = workflow(
        node("Start", "manualTrigger", 1),
        node("Agent", f"{_AI}.agent", 2.2, agent),
        node("Model", f"{_AI}.lmChatOpenAi", 1.2),
        node("After", "httpRequest", 4.2, {"url": "https://api.acme.example/after"}),
        *tools,
        edges={
            **make_connection("Start", "main", "Agent"),
            **make_connection("Agent", "main", "After"),
            **make_connection("Model", "ai_languageModel", "Agent"),
            **_serve(*names, root="Agent"),
        },
    )
    rehearsal = rehearsed(document)
    assert [run.variant.kind for run in rehearsal.runs] == ["natural", "called"]
    kinds = [rehearsal.reached[name] for name in ("After", *names)]
    assert sorted(kinds) == ["called"] * 2 + ["natural"] * 8
    called = rehearsal.runs[1]
    assert 'in place of "Agent"' in called.variant.reason
    hosts = {x.request.host for step in called.steps for x in step.exchanges}
    assert hosts == {"api.acme.example"}
    assert rehearsal.never_run == ()


def test_the_sub_nodes_of_a_failing_root_run(rehearsed: Rehearse) -> None:
    """Its model, and the store of its retriever with the embeddings, get requests of their own."""
    index = {"__rl": True, "mode": "id", "value": "places"}
    document = workflow(
        node("Start", "manualTrigger", 1),
        node(
            "Chain", f"{_AI}.chainRetrievalQa", 1.4, {"promptType": "define", "text": "={{ 1/ }}"}
        ),
        node("Model", f"{_AI}.lmChatAnthropic", 1.2, {"model": "claude-x"}),
        node("Retriever", f"{_AI}.retrieverVectorStore", 1),
        node("Store", f"{_AI}.vectorStorePinecone", 1, {"pineconeIndex": index}),
        node("Embeddings", f"{_AI}.embeddingsOpenAi", 1.2),
        edges={
            **make_connection("Start", "main", "Chain"),
            **make_connection("Model", "ai_languageModel", "Chain"),
            **make_connection("Retriever", "ai_retriever", "Chain"),
            **make_connection("Store", "ai_vectorStore", "Retriever"),
            **make_connection("Embeddings", "ai_embedding", "Store"),
        },
    )
    rehearsal = rehearsed(document)
    names = ("Model", "Store", "Embeddings")
    assert [rehearsal.reached.get(name) for name in names] == ["called"] * 3
    assert all(_list_requests(rehearsal, name) for name in ("Model", "Embeddings"))
