"""Editing and trying inside the real n8n, through the built node and a real sidecar."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from tests.support.n8n_workflows import Workflow, clean_up_after, hook, node, workflow
from tests.support.node_flows import Flows
from tests.support.openai_server import OpenAIServer

GIVEN = {
    "workflow": "={{ JSON.stringify($json.body.workflow) }}",
    "request": "={{ $json.body.request }}",
}


@pytest.fixture
def flows(n8n: N8nServer) -> Iterator[Flows]:
    """Workflows with the node; what a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as client:
        yield Flows(n8n, client)


@pytest.fixture
def credential(flows: Flows, sidecar: Sidecar) -> str:
    """The node's credential, right in every respect."""
    return flows.credential(sidecar.url, sidecar.token())


def document() -> Workflow:
    text = "return $input.all().map((one) => ({ json: { city: one.json.body.city } }));"
    return workflow(hook(), node("Names", "code", 2, {"jsCode": text}))


def test_an_edit_is_shown_then_put_over_the_workflow(flows: Flows, credential: str) -> None:
    """By the rules: the difference first, nothing changed; then over the very workflow in n8n."""
    made = flows.client.create(document())
    entries = {key: made[key] for key in ("name", "nodes", "connections", "settings")}
    asked = {"workflow": entries, "request": 'rename "Names" to "Cities"'}
    shown = flows.flow(credential, {"operation": "edit", **GIVEN}).item(asked)
    assert shown["outcome"] == "built", shown["summary"]
    assert '+      "name": "Cities",' in shown["difference"]
    assert [item["name"] for item in flows.client.get(made["id"])["nodes"]] == ["Hook", "Names"]
    over = {"operation": "edit", **GIVEN, "import": True, "workflowId": made["id"]}
    done = flows.flow(credential, {**over, "publish": True}).item(asked)
    assert (done["import"], done["published"], done["workflow_id"]) == (
        "imported",
        True,
        made["id"],
    )
    after = flows.client.get(made["id"])["nodes"]
    assert [item["name"] for item in after] == ["Hook", "Cities"]
    assert after[0] == flows.client.get(made["id"])["nodes"][0] == entries["nodes"][0]


def test_a_chat_model_writes_changes(flows: Flows, credential: str, openai: OpenAIServer) -> None:
    """The model is shown the workflow and answers with changes, not with a workflow."""
    openai.says(json.dumps({"changes": [{"disable": "Names"}]}))
    flow = flows.flow(credential, {"operation": "edit", **GIVEN}, flows.model(openai.url))
    item = flow.item({"workflow": document(), "request": "leave the names out for now"})
    assert item["outcome"] == "built", item["summary"]
    assert [entry.get("disabled") for entry in item["workflow"]["nodes"]] == [None, True]
    assert '"Hook" leads to "Names"' in openai.text_of_request(0)


def test_a_workflow_is_tried(flows: Flows, credential: str) -> None:
    """Failures are reported at their nodes, and given samples are used."""
    trying: dict[str, Any] = {"operation": "try", "workflow": GIVEN["workflow"]}
    passed = flows.flow(credential, trying).item({"workflow": document()})
    assert (passed["outcome"], passed["verdict"]) == ("passed", "ok"), passed["summary"]
    samples = {"options": {"samples": json.dumps({"Hook": [{"no": "body"}]})}}
    failed = flows.flow(credential, {**trying, **samples}).item({"workflow": document()})
    assert (failed["outcome"], failed["verdict"]) == ("failed", "wrong")
    assert '"Names" fails when the workflow runs' in failed["summary"]
