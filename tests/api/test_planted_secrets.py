"""Secrets that a client writes anywhere are in no table, no reply, no log and no backup."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from grounded_builder.storage.backup import back_up
from tests.api.conftest import Serve
from tests.support.jobs import PLAN, submit_job
from tests.support.program import run

_KEYS = tuple(f"ghp_{letter}1B2c3D4e5F6g7H8j9K0m1N2p3Q4r5S6t7" for letter in "abcdefg")
_REQUEST, _REPLY, _NAME, _ORDER, _LABEL, _REASON, _RESOLVED = _KEYS


def test_no_table_and_no_reply_has_a_planted_secret(
    serve: Serve, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Over HTTP, MCP and the command line; a job gives its plan to its worker alone."""
    caplog.set_level(logging.DEBUG)
    served = serve(n8n_url="http://127.0.0.1:9", n8n_api_key="own-key-of-n8n-77")
    served.load()
    client = served.client
    body = {"request": f"On a webhook send by Acme Mail, token {_REQUEST}"}
    session = client.post("/v1/n8n/sessions", json=body).json()["session"]
    steps = [{"id": "a", "tool": f"Acme {_NAME}", "params": {"subject": f"password {_REPLY}"}}]
    replies = []
    for _ in range(2):
        reply = json.dumps({"steps": steps})
        replies.append(client.post(f"/v1/sessions/{session}/drafts", json={"reply": reply}))
    plan = {**PLAN, "goal": f"a sine on a scope, token {_ORDER}"}
    job = submit_job(served, plan=plan)
    client.post("/v1/tokens", json={"label": f"for {_LABEL}", "scopes": ["validate"]})
    client.post(
        "/v1/aliases",
        json={"domain": "n8n", "name": f"Acme {_NAME}", "tool": "acme-nodes.mail"},
    )
    replies.append(client.post("/v1/n8n/resolve", json={"names": [f"token {_RESOLVED}"]}))
    replies.append(client.post("/v1/n8n/import", json={"draft": {}, "key": f"token {_REASON}"}))
    served.state.flush()
    asked = (
        "/v1/runs",
        f"/v1/runs/{session}",
        f"/v1/sessions/{session}",
        "/v1/analytics",
        "/v1/aliases",
        "/v1/tokens",
        "/v1/simulink/jobs",
        "/metrics",
        "/v1/n8n/catalog",
    )
    replies.extend(client.get(path) for path in asked)
    assert [str(reply.url) for reply in replies[-len(asked) :] if not reply.is_success] == []
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    replies.append(client.post("/mcp", json=call))
    shown = "".join(reply.text for reply in replies)
    assert [key for key in (_REQUEST, _NAME, _LABEL, _ORDER) if key in shown] == []

    state = served.settings.state
    environment = {"GROUNDED_DATABASE_URL": served.settings.database_url}
    for command in (("runs", "list"), ("runs", "show", session), ("jobs", "list"), ("analytics",)):
        done = run(state, *command, env=environment)
        printed = (done.stdout + done.stderr).decode()
        assert [key for key in _KEYS if key in printed] == [], command
    copy = tmp_path / "copy.backup"
    back_up(served.state.store.engine, state, copy)
    result = copy.read_bytes() + b"".join(
        file.read_bytes() for file in state.rglob("*") if file.is_file()
    )
    assert job["id"].encode() in result
    assert [key for key in (*_KEYS, "own-key-of-n8n-77") if key.encode() in result] == []
    assert [key for key in (*_KEYS, "own-key-of-n8n-77") if key in caplog.text] == []
