"""A token and a request narrow the policy on every route; approvals come with an import alone."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support.time_bounds import PATIENCE_S
from tests.unit.interfaces.cli.test_aliases import run

pytestmark = pytest.mark.sqlite_suffices

HOOK = {
    "id": "1",
    "name": "Hook",
    "type": "acme-nodes.hook",
    "typeVersion": 1,
    "position": [0, 0],
    "parameters": {"path": "greet"},
}
DRAFT = {"name": "Policy", "nodes": [HOOK], "connections": {}, "settings": {}}
DENYING = {"denied": ["acme-nodes.hook"]}


def _codes(answer: Any) -> set[str]:
    return {diagnostic["code"] for diagnostic in answer.json()["diagnostics"]}


def _token(served: Served, policy: dict[str, Any]) -> dict[str, str]:
    wish = {"label": "narrow", "scopes": ["validate", "draft", "import"], "policy": policy}
    made = served.client.post("/v1/tokens", json=wish)
    assert made.status_code == 201, made.text
    return {"Authorization": f"Bearer {made.json()['token']}"}


@pytest.mark.parametrize("route", ["validate", "repair", "build"])
def test_a_token_keeps_its_policy_on_every_route(shared_server: Served, route: str) -> None:
    """A tool that the policy of a token denies is wrong on every route."""
    path, body = f"/v1/n8n/{route}", {"workflow": DRAFT}
    assert "GB401" not in _codes(shared_server.client.post(path, json=body))
    with shared_server.bare(headers=_token(shared_server, DENYING)) as client:
        assert "GB401" in _codes(client.post(path, json=body))
    assert "GB401" in _codes(shared_server.client.post(path, json={**body, "policy": DENYING}))


def test_a_conversation_keeps_the_policy_of_its_token(shared_server: Served) -> None:
    """A draft of a model is held to the token that opened the conversation."""
    request = {"request": "wait for calls", "drafter": "external"}
    with shared_server.bare(headers=_token(shared_server, DENYING)) as client:
        opened = client.post("/v1/n8n/sessions", json=request).json()
    plan = '{"steps": [{"id": "h", "tool": "acme-nodes.hook", "params": {"path": "x"}}]}'
    reply = shared_server.client.post(
        f"/v1/sessions/{opened['session']}/drafts", json={"reply": plan}
    )
    assert reply.json().get("artifact") is None


def test_a_policy_in_no_shape_is_refused(shared_server: Served) -> None:
    """A switch that is not known is an error at its place; an admin's token takes none."""
    bad = shared_server.client.post(
        "/v1/n8n/build", json={"workflow": DRAFT, "policy": {"no_code": "x"}}
    )
    assert bad.status_code == 400
    assert bad.json()["error"]["at"] == "/policy"
    wish = {"label": "a", "scopes": ["admin"], "policy": DENYING}
    assert shared_server.client.post("/v1/tokens", json=wish).status_code == 400
    constrained = {"request": "x", "constraints": {"allowed_hosts": [1]}}
    assert shared_server.client.post("/v1/n8n/generate", json=constrained).status_code == 400


def test_build_applies_policy_of_import(shared_server: Served) -> None:
    """A workflow that needs an approval at the import is incomplete in the receipt of build."""
    params = {"path": "x", "note": "http://169.254.169.254/latest"}
    draft = {**DRAFT, "nodes": [{**HOOK, "parameters": params}]}
    assert "GB404" in _codes(shared_server.client.post("/v1/n8n/build", json={"workflow": draft}))
    assert "GB404" not in _codes(
        shared_server.client.post("/v1/n8n/validate", json={"workflow": draft})
    )


def test_a_token_of_the_command_line_keeps_its_policy(shared_server: Served) -> None:
    """A token of `grounded tokens create` has its policy at the server until it is revoked."""
    state, database = shared_server.settings.state, shared_server.settings.database_url
    env = {"GROUNDED_DATABASE_URL": database} if database else {}
    wish = ("--scope", "validate", "--denied", "acme-nodes.hook", "--format", "json")
    ran = run(state, "tokens", "create", "narrow", *wish, env=env)
    made = json.loads(ran.stdout)
    body = {"workflow": DRAFT}
    with shared_server.bare(headers={"Authorization": f"Bearer {made['token']}"}) as client:
        assert "GB401" in _codes(client.post("/v1/n8n/validate", json=body))
        assert client.post("/v1/n8n/build", json=body).status_code == 403
        assert run(state, "tokens", "revoke", made["id"], env=env).exit_code == 0
        deadline = time.monotonic() + PATIENCE_S
        while client.post("/v1/n8n/validate", json=body).status_code != 401:
            assert time.monotonic() < deadline
            time.sleep(0.1)
