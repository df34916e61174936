"""Answers keep to the formats that the code of the real nodes reads."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.rehearsal.answers.chat_models import TEXT
from tests.rehearsal.conftest import Rehearse
from tests.rehearsal.test_requests import _list_requests, _new_start
from tests.support.n8n_workflows import make_connection, node, workflow

_AI = "@n8n/n8n-nodes-langchain"
_MODEL = {"model": {"__rl": True, "mode": "id", "value": "gpt-4o-mini"}, "options": {}}
_SCHEMA = (
    '{"type": "object", "properties": {"city": {"type": "string"},'
    ' "temperature": {"type": "number"}}, "required": ["city", "temperature"]}'
)


def test_an_agent_calls_its_tool_and_returns_the_demanded_object(rehearsed: Rehearse) -> None:
    """The tool sends its own request; the parser accepts the model's last reply."""
    agent = {
        "promptType": "define",
        "text": "How is the weather?",
        "hasOutputParser": True,
        "options": {},
    }
    tool = {"method": "GET", "url": "https://weather.example.com/now"}
    document = workflow(
        _new_start("Start"),
        node("Agent", "@n8n/n8n-nodes-langchain.agent", 2.2, agent),
        node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, _MODEL),
        node("Weather", "n8n-nodes-base.httpRequestTool", 4.2, tool),
        node(
            "Parser",
            "@n8n/n8n-nodes-langchain.outputParserStructured",
            1.3,
            {"schemaType": "manual", "inputSchema": _SCHEMA},
        ),
        edges={
            **make_connection("Start", "main", "Agent"),
            **make_connection("Model", "ai_languageModel", "Agent"),
            **make_connection("Weather", "ai_tool", "Agent"),
            **make_connection("Parser", "ai_outputParser", "Agent"),
        },
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.runs
    assert run.execution.status == "success", run.execution.failure
    (asked,) = _list_requests(rehearsal, "Weather")
    assert asked["url"] == "https://weather.example.com/now"
    (agent_step,) = [item.step for item in run.steps if item.step.node == "Agent"]
    output: Any = agent_step.outputs["main"][0][0]["json"]
    assert set(output["output"]) == {"city", "temperature"}


@pytest.mark.parametrize(
    ("kind", "version", "parameters"),
    [
        ("lmChatAnthropic", 1.3, {"model": {"__rl": True, "mode": "id", "value": "claude-x"}}),
        ("lmChatGoogleGemini", 1, {"modelName": "models/gemini-2.5-flash"}),
        ("lmChatMistralCloud", 1, {"model": "mistral-small"}),
        ("lmChatOllama", 1, {"model": "llama3.2"}),
        ("lmChatOpenAi", 1.3, {**_MODEL, "responsesApiEnabled": True}),
    ],
)
def test_models_call_tools_in_their_own_formats(
    rehearsed: Rehearse, kind: str, version: float, parameters: dict[str, Any]
) -> None:
    """The model's node reads the call of the tool, and the text that follows."""
    document = workflow(
        _new_start("Start"),
        node("Agent", f"{_AI}.agent", 3, {"promptType": "define", "text": "Go", "options": {}}),
        node("Model", f"{_AI}.{kind}", version, parameters),
        node("Weather", "httpRequestTool", 4.2, {"url": "https://weather.example.com/now"}),
        edges={
            **make_connection("Start", "main", "Agent"),
            **make_connection("Model", "ai_languageModel", "Agent"),
            **make_connection("Weather", "ai_tool", "Agent"),
        },
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.runs
    assert run.execution.status == "success", run.execution.failure
    assert len(_list_requests(rehearsal, "Weather")) == 1
    (step,) = [item.step for item in run.steps if item.step.node == "Agent"]
    assert step.outputs["main"][0][0]["json"]["output"] == TEXT


def test_two_nodes_of_one_service_are_told_apart(rehearsed: Rehearse) -> None:
    """Each node has a credential of its own, which names it in its requests."""
    post = {"resource": "message", "operation": "post", "select": "channel", "text": "hello"}
    document = workflow(
        _new_start("Start"),
        node(
            "First",
            "slack",
            2.3,
            {**post, "channelId": _channel("C0000000001")},
        ),
        node(
            "Second",
            "slack",
            2.3,
            {**post, "channelId": _channel("C0000000002")},
        ),
    )
    rehearsal = rehearsed(document)
    assert [run.refusal for run in rehearsal.runs] == [""]
    for name, channel in (("First", "C0000000001"), ("Second", "C0000000002")):
        (posted,) = _list_requests(rehearsal, name)
        assert posted["body"]["channel"] == channel
        assert posted["source"] == f'n8n\'s output schema of "{name}"'


def test_a_list_has_two_different_items_and_ends(rehearsed: Rehearse) -> None:
    """All pages are asked for: the first has two items, the next ends the list."""
    params = {"resource": "issue", "operation": "getAll", "returnAll": True}
    document = workflow(_new_start("Start"), node("List", "jira", 1, params))
    rehearsal = rehearsed(document)
    run = rehearsal.runs[0]
    assert run.execution.status == "success", run.execution.failure
    (step,) = [item.step for item in run.steps if item.step.node == "List"]
    first, second = (item["json"] for item in step.outputs["main"][0])
    assert first["id"] != second["id"]
    assert first["fields"].keys() == second["fields"].keys()
    assert len(_list_requests(rehearsal, "List")) <= 2


def test_an_answer_gets_the_form_that_the_node_reads(rehearsed: Rehearse) -> None:
    """Jira's types of issues are a bare list, without which the node creates nothing."""
    create: dict[str, Any] = {"resource": "issue", "operation": "create", "summary": "Order"}
    create |= {"project": _channel("10000"), "issueType": _channel("10001")}
    document = workflow(_new_start("Start"), node("Create", "jira", 1, create))
    rehearsal = rehearsed(document)
    assert [run.execution.status for run in rehearsal.runs] == ["success"]
    asked, created = _list_requests(rehearsal, "Create")[:2]
    assert (asked["method"], isinstance(asked["answer"], list)) == ("GET", True)
    assert created["body"]["fields"]["summary"] == "Order"


def test_what_is_sent_comes_back(rehearsed: Rehearse) -> None:
    """A created object has the fields that were sent, and is read again by its id."""
    create = {"method": "POST", "url": "https://api.acme.example/v1/orders", "sendBody": True}
    create |= {"specifyBody": "json", "jsonBody": '={"city": "Oslo", "amount": 5}'}
    read = {"url": "=https://api.acme.example/v1/orders/{{ $json.id }}"}
    last = {"assignments": {"assignments": [_assignment("city"), _assignment("amount")]}}
    document = workflow(
        _new_start("Start"),
        node("Create", "httpRequest", 4.2, create),
        node("Read", "httpRequest", 4.2, read),
        node("Result", "set", 3.4, last),
    )
    (run,) = rehearsed(document).natural_runs
    (step,) = [item.step for item in run.steps if item.step.node == "Result"]
    assert step.outputs["main"][0][0]["json"] == {"city": "Oslo", "amount": "5"}


def _channel(channel_id: str) -> dict[str, Any]:
    return {"__rl": True, "mode": "id", "value": channel_id}


def test_an_appended_row_is_read_again(rehearsed: Rehearse) -> None:
    """A sheet has the columns that the nodes map, two rows, and what was appended."""
    sheet = {
        "documentId": {"__rl": True, "mode": "id", "value": "1AbCdEfGhIjKlMnOpQrStUvWxYz012345"},
        "sheetName": {"__rl": True, "mode": "name", "value": "Orders"},
    }
    fields = [_field("City"), _field("Amount")]
    columns: dict[str, Any] = {
        "mappingMode": "defineBelow",
        "value": {"City": "Oslo", "Amount": "5"},
    }
    columns |= {"schema": fields}
    append = {**sheet, "operation": "append", "columns": columns, "options": {}}
    document = workflow(
        _new_start("Start"),
        node("Append", "googleSheets", 4.6, append),
        node("Read", "googleSheets", 4.6, {**sheet, "operation": "read", "options": {}}),
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.runs
    assert run.execution.status == "success", run.execution.failure
    assert any(item["method"] == "POST" for item in _list_requests(rehearsal, "Append"))
    (step,) = [item.step for item in run.steps if item.step.node == "Read"]
    rows = [item["json"] for item in step.outputs["main"][0]]
    assert len(rows) == 3
    assert (rows[2]["City"], str(rows[2]["Amount"])) == ("Oslo", "5")
    assert rows[0]["City"] != rows[1]["City"]


def test_a_chat_trigger_sends_a_session(rehearsed: Rehearse) -> None:
    """The memory of an agent finds the session of the message."""
    chat = "@n8n/n8n-nodes-langchain"
    document = workflow(
        node("Chat", f"{chat}.chatTrigger", 1.1, {"options": {}}),
        node("Agent", f"{chat}.agent", 2.2, {"options": {}}),
        node("Model", f"{chat}.lmChatOpenAi", 1.2, _MODEL),
        node("Memory", f"{chat}.memoryBufferWindow", 1.3, {}),
        edges={
            **make_connection("Chat", "main", "Agent"),
            **make_connection("Model", "ai_languageModel", "Agent"),
            **make_connection("Memory", "ai_memory", "Agent"),
        },
    )
    (run,) = rehearsed(document).natural_runs
    assert run.execution.status == "success", run.execution.failure


def test_a_node_gets_the_fault_that_is_asked_for(rehearsed: Rehearse) -> None:
    """The error output of the failing node runs, the other node of the service is answered."""
    post: dict[str, Any] = {"resource": "message", "operation": "post", "select": "channel"}
    post |= {"text": "hello", "channelId": _channel("C0000000001")}
    document = workflow(
        _new_start("Start"),
        node("First", "slack", 2.3, post, onError="continueRegularOutput"),
        node("Second", "slack", 2.3, post),
    )
    rehearsal = rehearsed(document, faults={"First": "429"})
    (failed,) = _list_requests(rehearsal, "First")
    (posted,) = _list_requests(rehearsal, "Second")
    assert (failed["status"], posted["status"]) == (429, 200)


def test_a_service_that_does_not_answer_meets_the_limit_of_the_node(rehearsed: Rehearse) -> None:
    """The error output of the node runs after its own limit, not after that of the run."""
    call = {"url": "https://api.acme.example/v1/orders", "options": {"timeout": 500}}
    document = workflow(
        _new_start("Start"), node("Call", "httpRequest", 4.2, call, onError="continueRegularOutput")
    )
    (run,) = rehearsed(document, faults={"Call": "timeout"}).natural_runs
    (step,) = (item.step for item in run.steps if item.step.node == "Call")
    assert run.execution.status == "success", run.execution.failure
    assert 500 <= step.duration_ms < 10_000
    assert "error" in step.outputs["main"][0][0]["json"]


def _field(name: str) -> dict[str, Any]:
    return {"id": name, "displayName": name, "type": "string", "display": True}


def _assignment(name: str) -> dict[str, str]:
    return {"id": name, "name": name, "type": "string", "value": f"={{{{ $json.{name} }}}}"}
