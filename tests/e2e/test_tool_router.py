"""Connected tools are called inside the real n8n, as its own run data shows."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from runtime.n8n_package import CREDENTIAL_TYPE, NAME
from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from tests.support.n8n_workflows import clean_up_after, hook, make_connection, node, workflow
from tests.support.node_flows import Flow, Flows, chat_model
from tests.support.openai_server import OpenAIServer
from tests.support.sidecar import ask_sidecar

ROUTER = f"{NAME}.groundedToolRouter"
GIBBY = "Who is Gibby from iCarly?"
_AGENT_TOOL = "ai_tool"


@pytest.fixture
def flows(n8n: N8nServer) -> Iterator[Flows]:
    """Workflows with the node; what a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as client:
        yield Flows(n8n, client)


@pytest.fixture
def web() -> Iterator[HTTPServer]:
    """A search engine that knows one thing."""
    with HTTPServer(host="127.0.0.1") as server:
        server.expect_request("/search").respond_with_json({"gibby": "a character of iCarly"})
        yield server


def web_search(web: HTTPServer, name: str = "web_search", path: str = "/search") -> dict[str, Any]:
    """A plain n8n node as a tool."""
    return node(
        name,
        "httpRequestTool",
        4.2,
        {
            "toolDescription": "Search the web",
            "url": web.url_for(path),
            "sendQuery": True,
            "queryParameters": {
                "parameters": [
                    {"name": "q", "value": "={{ $fromAI('query', 'what to look for', 'string') }}"}
                ]
            },
            "options": {},
        },
    )


def script(name: str, message: str, code: str) -> dict[str, Any]:
    """A tool of n8n's AI nodes that takes a JSON object."""
    return node(
        name,
        "@n8n/n8n-nodes-langchain.toolCode",
        1.3,
        {
            "description": message,
            "jsCode": code,
            "specifyInputSchema": True,
            "schemaType": "manual",
            "inputSchema": json.dumps(
                {
                    "type": "object",
                    "properties": {"text": {"type": "string"}},
                    "required": ["text"],
                }
            ),
        },
    )


def publish_router(
    flows: Flows, sidecar: Sidecar, tools: list[dict[str, Any]], openai: OpenAIServer | None
) -> Flow:
    """A published workflow: webhook, the router with these tools, the answer."""
    path = f"route-{uuid.uuid4().hex[:10]}"
    start = hook() | {"webhookId": str(uuid.uuid4())}
    start["parameters"] = {"path": path, "httpMethod": "POST", "responseMode": "lastNode"}
    router = node(
        "Router",
        ROUTER,
        1,
        {"request": "={{ $json.body.request }}", "answer": False, "options": {}},
        credentials={
            CREDENTIAL_TYPE: {
                "id": flows.credential(sidecar.url, sidecar.token()),
                "name": "A sidecar",
            }
        },
    )
    nodes = [start, router, *tools]
    edges = make_connection(start["name"], "main", "Router")
    for tool in tools:
        edges |= make_connection(tool["name"], _AGENT_TOOL, "Router")
    if openai is not None:
        nodes.append(chat_model(flows.model(openai.url), {}))
        edges |= make_connection("Model", "ai_languageModel", "Router")
    drawn = workflow(*nodes, edges=edges)
    drawn["settings"] = {"saveDataSuccessExecution": "all"}
    made = flows.client._call("POST", "/workflows", drawn)
    flows.client._call("POST", f"/workflows/{made['id']}/activate", {})
    return Flow(f"{flows.n8n.url}/webhook/{path}", made["id"])


def run_of(flows: Flows, flow: Flow) -> dict[str, Any]:
    """n8n's own record of the last execution: node names to their runs."""
    query = {"workflowId": flow.workflow, "includeData": "true", "limit": "1"}
    newest = next(iter(flows.client._pages("/executions", query)))
    entries: dict[str, Any] = newest["data"]["resultData"]["runData"]
    return entries


def calls(*given: tuple[str, dict[str, Any]]) -> str:
    """A model's reply."""
    return json.dumps({"tool_calls": [{"tool": tool, "arguments": item} for tool, item in given]})


def test_an_invented_tool_gives_way_to_one_that_is_there(
    flows: Flows, sidecar: Sidecar, openai: OpenAIServer, web: HTTPServer
) -> None:
    """A model that names an invented tool gets the error and names another, which n8n runs."""
    openai.says(
        calls(("gibby_lookup", {"query": GIBBY})),
        calls(("web_search", {"query": GIBBY})),
    )
    calendar = script("calendar_list_events", "List events of the calendar", "return 'none';")
    flow = publish_router(flows, sidecar, [web_search(web), calendar], openai)
    item = flow.item({"request": GIBBY})
    assert item["outcome"] == "executed"
    assert [call["tool"] for call in item["calls"]] == ["web_search"]
    assert "gibby_lookup" in openai.text_of_request(1)
    assert "iCarly" in json.dumps(item["calls"][0]["output"])

    ran = run_of(flows, flow)
    assert len(ran["web_search"]) == 1
    assert "calendar_list_events" not in ran
    assert [request.args["q"] for request, _ in web.log] == [GIBBY]

    recorded = ask_sidecar(sidecar, "GET", f"/v1/runs/{item['route']}").json()
    assert recorded["request"] == GIBBY


def test_without_a_model_the_fallback_chooses(
    flows: Flows, sidecar: Sidecar, web: HTTPServer
) -> None:
    """A request that states what a tool does leads to it; one that says nothing leads to none."""
    calendar = script("calendar_list_events", "List events of the calendar", "return 'none';")
    flow = publish_router(flows, sidecar, [web_search(web), calendar], None)
    item = flow.item({"request": "search the web"})
    assert [call["tool"] for call in item["calls"]] == ["web_search"]
    lost = flow.item({"request": "mow the lawn"})
    assert lost["error"] == {
        "error": "Agent could not determine a matching tool.",
        "connected_tools": ["calendar_list_events", "web_search"],
    }


def test_calls_run_in_planned_order_and_feed_each_other(
    flows: Flows, sidecar: Sidecar, openai: OpenAIServer
) -> None:
    """The second call gets what the first gave; n8n's times prove the order."""
    tools = [
        script("shout", "Write in capitals", "return query.text.toUpperCase();"),
        script("double", "Say twice", "return query.text + query.text;"),
        script("count", "Count letters", "return String(query.text.length);"),
    ]
    openai.says(
        json.dumps(
            {
                "tool_calls": [
                    {"id": "a", "tool": "double", "arguments": {"text": "ab"}},
                    {"id": "b", "tool": "shout", "arguments": {"text": "{{a}}"}},
                    {"id": "c", "tool": "count", "arguments": {"text": "{{b}}"}},
                ]
            }
        )
    )
    flow = publish_router(flows, sidecar, tools, openai)
    item = flow.item({"request": "double, shout, count"})
    assert [call["output"] for call in item["calls"]] == ["abab", "ABAB", 4]
    ran = run_of(flows, flow)
    begun = {name: ran[name][0]["executionIndex"] for name in ("double", "shout", "count")}
    assert sorted(begun, key=lambda name: begun[name]) == ["double", "shout", "count"]


def test_independent_call_runs_after_failure_in_n8n(
    flows: Flows, sidecar: Sidecar, openai: OpenAIServer, web: HTTPServer
) -> None:
    """n8n skips the call that needs the failed one, and makes the others."""
    web.expect_request("/broken").respond_with_data("out of paper", status=500)
    tools = [
        script("first", "Begin", "return 'begun';"),
        web_search(web, "broken", "/broken"),
        script("needy", "Go on", "return 'gone on';"),
        script("third", "End", "return 'ended';"),
    ]
    planned = [
        {"id": "a", "tool": "first", "arguments": {"text": "x"}},
        {"id": "b", "tool": "broken", "arguments": {"query": "x"}},
        {"id": "c", "tool": "needy", "arguments": {"text": "{{b}}"}},
        {"id": "d", "tool": "third", "arguments": {"text": "independent"}},
    ]
    openai.says(json.dumps({"tool_calls": planned}))
    flow = publish_router(flows, sidecar, tools, openai)
    item = flow.item({"request": "do all three"})
    assert item["outcome"] == "partial"
    assert [call["state"] for call in item["calls"]] == ["ok", "failed", "skipped", "ok"]
    assert item["order"] == ["a", "b", "d"]
    assert item["calls"][1]["error"]["error_type"] == "ExecutionError"
    assert item["calls"][2]["error"]["error_type"] == "DependencyFailed"
    ran = run_of(flows, flow)
    assert ran["broken"][0]["error"]
    assert "third" in ran
    assert "needy" not in ran
