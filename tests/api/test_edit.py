"""Edits over real HTTP: by rules, and with the drafter outside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices


def send_edit(served: Served, **body: Any) -> dict[str, Any]:
    answer = served.client.post("/v1/n8n/edit", json={"workflow": catalogs.workflow(), **body})
    assert answer.status_code == 200, answer.text
    entries: dict[str, Any] = answer.json()
    return entries


def test_a_plain_request_is_done_without_a_model(shared_server: Served) -> None:
    """The answer has the changed workflow, its difference, and a receipt for its artifact."""
    entries = send_edit(shared_server, request="rename Mail to Greeting")
    assert entries["outcome"] == "built", entries["summary"]
    assert '+      "name": "Greeting",' in entries["edit"]["difference"]
    assert [node["name"] for node in entries["edit"]["workflow"]["nodes"]] == ["Hook", "Greeting"]
    assert entries["receipt"]["verdict"] == "ok"
    run = shared_server.client.get(f"/v1/runs/{entries['session']}").json()
    assert run["request"] == "rename Mail to Greeting"
    assert run["outcome"] == "built"


def test_a_drafter_outside_is_asked_and_corrected(shared_server: Served) -> None:
    """Changes that do not compile come back with what is wrong; the right ones are carried out."""
    asked = send_edit(shared_server, request="answer by an agent", drafter="external")
    assert asked["status"] == "draft"
    assert '"Hook" leads to "Mail"' in asked["messages"][1]["content"]
    draft: dict[str, Any] = {"changes": [{"disable": "Mial"}, {"remove": "Nobody"}]}
    url = f"/v1/sessions/{asked['session']}/drafts"
    again = shared_server.client.post(url, json={"reply": json.dumps(draft)}).json()
    assert again["status"] == "draft"
    assert "Nobody" in again["messages"][-1]["content"]
    draft = {"changes": [{"disable": "Mail"}]}
    value = shared_server.client.post(url, json={"reply": json.dumps(draft)}).json()
    assert value["outcome"] == "built", value["summary"]
    assert value["edit"]["workflow"]["nodes"][1]["disabled"] is True
    assert value["edit"]["workflow"]["nodes"][0] == catalogs.workflow()["nodes"][0]


def test_a_drafter_that_fails_is_stood_in_for(shared_server: Served) -> None:
    """When the model fails, the rules for plain requests apply, and the reason is given."""
    asked = send_edit(shared_server, request="disable Mail", drafter="external")
    url = f"/v1/sessions/{asked['session']}/drafts"
    value = shared_server.client.post(url, json={"failed": "it sleeps"}).json()
    assert value["outcome"] == "built"
    assert "it sleeps" in value["summary"]


def test_cancelling_ends_an_edit(shared_server: Served) -> None:
    """A cancelled edit changes nothing and takes no reply any more."""
    asked = send_edit(shared_server, request="disable Mail", drafter="external")
    value = shared_server.client.delete(f"/v1/sessions/{asked['session']}").json()
    assert value["reason"] == "cancelled"
    url = f"/v1/sessions/{asked['session']}/drafts"
    assert shared_server.client.post(url, json={"reply": "{}"}).status_code == 409


def test_edit_without_matching_rule_is_refused(shared_server: Served) -> None:
    """A request that no rule matches changes nothing, and the answer states it in a sentence."""
    for request in ("?", "mach es schöner", "delete", "x " * 9000):
        entries = send_edit(shared_server, request=request)
        assert entries["outcome"] == "refused"
        assert entries["edit"] is None
        assert entries["summary"]


def test_a_document_that_is_no_workflow_is_refused(shared_server: Served) -> None:
    """Parts that cannot be read are reported for every drafter."""
    for drafter in ("planner", "external"):
        body = {"workflow": {"a": 1}, "request": "disable Mail", "drafter": drafter}
        value = shared_server.client.post("/v1/n8n/edit", json=body).json()
        assert value["outcome"] == "refused"
        assert value["diagnostics"][0]["code"] == "GB106"
