"""A request inside the real n8n becomes a workflow, through the built node and a real sidecar."""

from __future__ import annotations

import copy
import json
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from grounded_builder.domains.n8n.deploy.client import N8nClient
from runtime import n8n_package, n8n_server, paths
from runtime.n8n_server import N8nServer
from runtime.ports import free_port
from runtime.sidecar_server import Sidecar
from tests.support.n8n_workflows import clean_up_after, client_of, list_workflows
from tests.support.node_flows import Flows
from tests.support.openai_server import OpenAIServer
from tests.support.sidecar import ask_sidecar
from tests.support.time_bounds import PATIENCE_S

REQUEST = "When a webhook is called, respond to the webhook"
HELLO = json.loads((paths.ROOT / "examples" / "workflows" / "webhook-hello.json").read_text())
_INVENTED = "Hologram Projector"


@pytest.fixture
def flows(n8n: N8nServer) -> Iterator[Flows]:
    """Workflows with the node; what a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as client:
        yield Flows(n8n, client)


@pytest.fixture
def credential(flows: Flows, sidecar: Sidecar) -> str:
    """The node's credential, right in every respect."""
    return flows.credential(sidecar.url, sidecar.token())


def draft(tool: str, path: str) -> str:
    """A model's reply: a greeting by this tool."""
    hook = {"httpMethod": "GET", "path": path, "responseMode": "responseNode"}
    greet = {"respondWith": "text", "responseBody": "Good day"}
    steps = [
        {"id": "call", "tool": "Webhook", "action": "Somebody calls", "params": hook},
        {"id": "greet", "tool": tool, "params": greet, "inputs": ["call"]},
    ]
    return json.dumps({"goal": "Greet who calls", "steps": steps})


@pytest.mark.parametrize("interface", ["responses", "completions"])
def test_a_chat_model_receives_what_was_wrong(
    interface: str, flows: Flows, credential: str, sidecar: Sidecar, openai: OpenAIServer
) -> None:
    """The second request has the first draft's diagnostics; the second draft stands in n8n."""
    path = f"greet-{uuid.uuid4().hex[:8]}"
    openai.says(draft(_INVENTED, path), draft("Respond to Webhook", path))
    flow = flows.flow(
        credential,
        {"publish": True},
        flows.model(openai.url),
        {"responsesApiEnabled": interface == "responses"},
    )
    item = flow.item({"request": REQUEST})
    assert (item["outcome"], item["import"], item["published"]) == ("built", "imported", True)
    assert "model_error" not in item

    assert len(openai.asked) == 2
    assert ("input" in openai.asked[0]) == (interface == "responses")
    assert REQUEST in openai.text_of_request(0)
    assert f'no tool "{_INVENTED}" is installed' not in openai.text_of_request(0)
    assert f'no tool "{_INVENTED}" is installed' in openai.text_of_request(1)

    stored = _get_workflow(flows.client, item["workflow_id"])
    assert {node["type"] for node in stored["nodes"]} == {
        "n8n-nodes-base.webhook",
        "n8n-nodes-base.respondToWebhook",
    }
    greeting = requests.get(f"{flows.n8n.url}/webhook/{path}", timeout=PATIENCE_S)
    assert greeting.text == "Good day"

    run = _newest_run(sidecar)
    assert (run["request"], run["outcome"]) == (REQUEST, "built")
    detail = ask_sidecar(sidecar, "GET", f"/v1/runs/{run['id']}").json()
    replies = [json.loads(entry["reply"]) for entry in detail["drafts"]]
    assert [reply["steps"][1]["tool"] for reply in replies] == [_INVENTED, "Respond to Webhook"]
    assert [entry["verdict"] for entry in detail["drafts"]] == ["wrong", "ok"]


def test_without_a_model_the_sidecar_plans(flows: Flows, credential: str, sidecar: Sidecar) -> None:
    """A request becomes a workflow in n8n with no chat model connected."""
    item = flows.flow(credential).item({"request": REQUEST})
    assert (item["outcome"], item["import"], item["published"]) == ("built", "imported", False)
    assert item["url"].endswith(f"/workflow/{item['workflow_id']}")
    stored = _get_workflow(flows.client, item["workflow_id"])
    assert len(stored["nodes"]) == len(item["workflow"]["nodes"])
    assert _newest_run(sidecar)["drafter"] == "planner"


def test_a_model_that_fails_is_not_the_end(
    flows: Flows, credential: str, openai: OpenAIServer
) -> None:
    """If a model answers with an error, the planner drafts and the answer states it."""
    openai.says("")
    openai.status = 400
    item = flows.flow(credential, model=flows.model(openai.url)).item({"request": REQUEST})
    assert (item["outcome"], item["import"]) == ("built", "imported")
    assert "the model is broken" in item["model_error"]


@pytest.mark.parametrize(
    "reply", ["", "Certainly! Here it is.", "<html><body>502</body></html>", "x" * 1_000_000]
)
def test_a_model_that_writes_no_draft_ends(
    reply: str, flows: Flows, credential: str, openai: OpenAIServer
) -> None:
    """Prose, nothing, a page and a flood cost a bounded number of rounds."""
    openai.says(reply)
    item = flows.flow(credential, model=flows.model(openai.url)).item({"request": REQUEST})
    assert item["outcome"] in ("built", "incomplete", "refused")
    assert len(openai.asked) <= 4


def test_an_invented_tool_never_gets_in(
    flows: Flows, credential: str, openai: OpenAIServer
) -> None:
    """A model that insists on a tool that is not there does not get it into n8n."""
    openai.says(draft(_INVENTED, "never"))
    item = flows.flow(credential, model=flows.model(openai.url)).item({"request": REQUEST})
    assert len(openai.asked) <= 4
    assert _INVENTED not in json.dumps((item["workflow"] or {}).get("nodes", []))


def test_nodes_that_import_at_once_do_not_meet(flows: Flows, credential: str) -> None:
    """Each of several executions at the same time makes a workflow of its own."""
    flow = flows.flow(credential)
    flow.item({"request": REQUEST})
    before = len(list_workflows(flows.client))
    with ThreadPoolExecutor(4) as threads:
        items = list(threads.map(flow.item, [{"request": REQUEST}] * 4))
    assert len({item["workflow_id"] for item in items}) == 4
    assert len(list_workflows(flows.client)) == before + 4


def test_validate_changes_nothing(flows: Flows, credential: str) -> None:
    """A workflow is checked against what is installed, and n8n stays as it was."""
    judge = {"operation": "validate", "workflow": "={{ $json.body.workflow }}"}
    flow = flows.flow(credential, judge)
    before = len(list_workflows(flows.client))
    assert flow.item({"workflow": HELLO})["verdict"] == "ok"
    wrong = flow.item({"workflow": _spoilt()})
    assert (wrong["outcome"], wrong["verdict"]) == ("validated", "wrong")
    assert [
        diagnostic["code"] for diagnostic in wrong["diagnostics"] if diagnostic["class"] == "wrong"
    ] == ["GB201"]
    assert len(list_workflows(flows.client)) == before


def test_import_takes_only_what_is_right(flows: Flows, credential: str) -> None:
    """A valid workflow is in n8n afterwards, and a wrong one is not."""
    put = {"operation": "import", "workflow": "={{ $json.body.workflow }}", "publish": False}
    flow = flows.flow(credential, put)
    before = len(list_workflows(flows.client))
    assert flow.item({"workflow": _spoilt()})["outcome"] == "refused"
    assert len(list_workflows(flows.client)) == before
    item = flow.item({"workflow": HELLO})
    assert item["outcome"] == "imported"
    assert _get_workflow(flows.client, item["workflow_id"])["name"] == HELLO["name"]


def test_a_sidecar_that_is_not_there_is_named(flows: Flows) -> None:
    """The error states the address without an answer and how to start the sidecar."""
    url = f"http://127.0.0.1:{free_port()}"
    answer = flows.flow(flows.credential(url, "any")).call({"request": REQUEST})
    assert answer.status_code == 502
    assert f"Cannot reach the sidecar at {url}" in answer.text
    assert "grounded serve" in answer.text


def test_a_token_that_is_revoked_is_refused(flows: Flows, sidecar: Sidecar) -> None:
    """The error states that the token is no longer right, and where to put another."""
    order = {"label": "short-lived", "scopes": ["validate", "draft", "import"]}
    made = ask_sidecar(sidecar, "POST", "/v1/tokens", order).json()
    flow = flows.flow(flows.credential(sidecar.url, made["token"]), {"import": False})
    assert flow.item({"request": REQUEST})["outcome"] == "built"
    assert ask_sidecar(sidecar, "DELETE", f"/v1/tokens/{made['id']}").ok
    answer = flow.call({"request": REQUEST})
    assert answer.status_code == 502
    assert "does not accept the token" in answer.text


def test_a_token_without_the_scope_is_refused(flows: Flows, sidecar: Sidecar) -> None:
    """The error names the call that the token is not for."""
    made = ask_sidecar(
        sidecar, "POST", "/v1/tokens", {"label": "looks", "scopes": ["validate"]}
    ).json()
    answer = flows.flow(flows.credential(sidecar.url, made["token"])).call({"request": REQUEST})
    assert answer.status_code == 502
    assert "The token may not call POST /v1/n8n/sessions" in answer.text


def test_the_protection_of_n8n_is_named(tmp_path: Path, sidecar: Sidecar) -> None:
    """If n8n may not call loopback, the error names the setting that permits it."""
    n8n_package.provide(tmp_path / "n8n")
    try:
        guarded = n8n_server.start(tmp_path, extra_env={"N8N_SSRF_PROTECTION_ENABLED": "true"})
        flows = Flows(guarded, client_of(guarded))
        flow = flows.flow(flows.credential(sidecar.url, sidecar.token()))
        answer = flow.call({"request": REQUEST})
    finally:
        n8n_server.stop(tmp_path)
    assert answer.status_code == 502
    assert "N8N_SSRF_ALLOWED_IP_RANGES=127.0.0.1/32" in answer.text


def test_the_credential_tests_itself(n8n: N8nServer, sidecar: Sidecar) -> None:
    """The test button of the credential succeeds with the right token and with no other."""
    with requests.Session() as web:
        login = {"emailOrLdapLoginId": n8n.email, "password": n8n.password}
        web.post(f"{n8n.url}/rest/login", json=login, timeout=PATIENCE_S).raise_for_status()
        for token, item in ((sidecar.token(), "OK"), ("another", "Error")):
            content = {"baseUrl": sidecar.url, "token": token}
            tried = {"id": "", "name": "One", "type": n8n_package.CREDENTIAL_TYPE, "data": content}
            answer = web.post(
                f"{n8n.url}/rest/credentials/test", json={"credentials": tried}, timeout=PATIENCE_S
            )
            assert answer.json()["data"]["status"] == item, answer.text


def _spoilt() -> dict[str, Any]:
    wrong = copy.deepcopy(HELLO)
    wrong["nodes"][1]["type"] = "n8n-nodes-base.hologramProjector"
    return dict(wrong)


def _get_workflow(client: N8nClient, workflow_id: str) -> dict[str, Any]:
    return dict(client._call("GET", f"/workflows/{workflow_id}"))


def _newest_run(sidecar: Sidecar) -> dict[str, Any]:
    return dict(ask_sidecar(sidecar, "GET", "/v1/runs").json()["runs"][0])
