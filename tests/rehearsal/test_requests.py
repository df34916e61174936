"""The requests of the real nodes are recorded at the node that sent them; nothing leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.rehearse import Rehearsal
from grounded_builder.domains.n8n.rehearsal.result import rehearsal_json
from grounded_builder.domains.n8n.rehearsal.stage import Installation, Stage
from tests.rehearsal.conftest import Rehearse
from tests.support.n8n_workflows import node, workflow


def _new_start(name: str) -> dict[str, Any]:
    return node(name, "manualTrigger", 1)


def _list_requests(rehearsal: Rehearsal, name: str) -> list[Any]:
    content = rehearsal_json(rehearsal, ())
    steps = [step for run in content["runs"] for step in run["steps"] if step["node"] == name]
    return [exchange for step in steps for exchange in step["requests"]]


def test_each_request_stands_at_its_node(rehearsed: Rehearse) -> None:
    """Slack's own node posts with an invented token; HTTP Request reads Slack's answer."""
    slack = {
        "resource": "message",
        "operation": "post",
        "select": "channel",
        "channelId": {"__rl": True, "mode": "name", "value": "#general"},
        "text": "hello",
        "otherOptions": {"includeLinkToWorkflow": False},
    }
    call = {
        "method": "POST",
        "url": "https://api.acme.example/v1/orders",
        "sendBody": True,
        "specifyBody": "json",
        "jsonBody": "={{ ({ posted: $json.ok }) }}",
    }
    document = workflow(
        _new_start("Start"),
        node("Post", "slack", 2.3, slack),
        node("Call", "httpRequest", 4.2, call),
    )
    rehearsal = rehearsed(document)
    assert [run.execution.status for run in rehearsal.runs] == ["success"]
    (posted,) = _list_requests(rehearsal, "Post")
    assert posted["method"] == "POST"
    assert posted["url"] == "https://slack.com/api/chat.postMessage"
    assert (posted["body"]["channel"], posted["body"]["text"]) == ("#general", "hello")
    assert posted["headers"]["authorization"] == "Bearer (invented)"
    (called,) = _list_requests(rehearsal, "Call")
    assert called["body"] == {"posted": True}


def test_a_wrong_operation_is_another_request(rehearsed: Rehearse) -> None:
    """A node that reads where it should write shows it by its method and address."""
    read = {"resource": "contact", "operation": "getAll", "returnAll": False, "limit": 5}
    document = workflow(
        _new_start("Start"),
        node("List", "hubspot", 2.1, read),
    )
    (asked,) = _list_requests(rehearsed(document), "List")
    assert (asked["method"], asked["url"].split("?")[0]) == (
        "GET",
        "https://api.hubapi.com/contacts/v1/lists/all/contacts/all",
    )


def test_a_failure_names_the_node(rehearsed: Rehearse) -> None:
    """A node that cannot run fails with n8n's own words, and the rest is never run."""
    document = workflow(
        _new_start("Start"),
        node("Stop", "stopAndError", 1, {"errorMessage": "no stock"}),
        node("After", "noOp", 1),
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.natural_runs
    assert run.execution.failure is not None
    assert (run.execution.failure.node, run.execution.failure.message) == ("Stop", "no stock")
    assert rehearsal.reached["After"] == "forced"


def test_a_failure_is_placed_on_its_parameter(rehearsed: Rehearse) -> None:
    """n8n names the parameter of an expression by its key, others by the name in the editor."""
    call = {"method": "POST", "url": "https://api.acme.example/v1", "sendBody": True}
    call |= {"specifyBody": "json", "jsonBody": "{"}
    split = {"fieldToSplitOut": "={{ $json.rows.list.first }}"}
    for kind, version, params, name in (
        ("httpRequest", 4.2, call, "jsonBody"),
        ("splitOut", 1, split, "fieldToSplitOut"),
    ):
        document = workflow(_new_start("Start"), node("Ask", kind, version, params))
        (run,) = rehearsed(document).natural_runs
        failure = run.execution.failure
        assert failure is not None
        assert failure.parameter == name, failure.message


def test_a_stage_leaves_nothing(installation: Installation, tmp_path: Path) -> None:
    """The programs end with the stage, its folder is deleted, and no login is readable."""
    stage = Stage(installation, tmp_path / "templates")
    stage.start()
    folder = Path(stage.answers.path).parent
    assert folder.stat().st_mode & 0o077 == 0
    stage.close()
    assert not folder.exists()
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _is_own(path)]
    assert not any(str(folder).encode() in line for line in running)
    (template,) = (tmp_path / "templates").iterdir()
    assert json.loads((template / "keys.json").read_text())["key"]
    assert (template / "keys.json").stat().st_mode & 0o077 == 0


def _is_own(path: Path) -> bool:
    try:
        return path.stat().st_uid == os.getuid()
    except FileNotFoundError:
        return False


def test_open_values_are_filled(rehearsed: Rehearse) -> None:
    """A value that only the user can choose is filled, so that n8n runs the workflow."""
    task = {"resource": "task", "operation": "create", "name": "Call", "workspace": ""}
    document = workflow(
        _new_start("Start"), node("Ask", "asana", 1, {**task, "authentication": "accessToken"})
    )
    at = ("nodes", 1, "parameters", "workspace")
    refused = rehearsed(document)
    assert refused.runs[0].execution.failure is not None
    assert "Workspace" in refused.runs[0].execution.failure.message
    assert [item.node for item in refused.never_run] == ["Ask"]
    rehearsal = rehearsed(document, open_routes=[at])
    assert [(filled.node, filled.parameter) for filled in rehearsal.filled] == [
        ("Ask", "workspace")
    ]
    (created,) = _list_requests(rehearsal, "Ask")
    assert created["url"] == "https://app.asana.com/api/1.0/tasks"
    assert created["body"]["data"]["workspace"] == rehearsal.filled[0].value


def test_a_chat_begins_with_a_message_of_a_session(rehearsed: Rehearse) -> None:
    """Memory and agents read the session and the message of the chat trigger."""
    url = "=https://api.acme.example/{{ $json.sessionId }}/{{ $json.action }}"
    document = workflow(
        node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.1),
        node("Call", "httpRequest", 4.2, {"url": url}),
    )
    (called,) = _list_requests(rehearsed(document), "Call")
    assert called["url"] == "https://api.acme.example/sample/sendMessage"


def test_a_wait_ends_the_rehearsal(rehearsed: Rehearse) -> None:
    """A workflow that waits for a week is stopped there at once, and does not fail."""
    week = {"resume": "timeInterval", "amount": 7, "unit": "days"}
    document = workflow(
        _new_start("Start"), node("Pause", "wait", 1.1, week), node("After", "noOp", 1)
    )
    rehearsal = rehearsed(document)
    (run,) = rehearsal.natural_runs
    assert run.execution.waits
    assert (run.execution.status, rehearsal.reached["After"]) == ("stopped", "forced")
    assert run.execution.failure is not None
    assert run.execution.failure.node == "Pause"
