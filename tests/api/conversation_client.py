"""Talks to a server about the invented catalog, with a drafter that states what a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from typing import Any

import httpx

from grounded_builder.settings import ModelSetting
from tests.api.conftest import Served
from tests.support import catalogs

REQUEST = "When the Acme hook is called, send a message by Acme Mail"
SEND = {"resource": "message", "operation": "send", "to": "a@b.example"}
RIGHT = {
    "goal": "greet",
    "steps": [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": catalogs.MAIL, "params": SEND},
    ],
}
INVENTED = {
    "steps": [
        {"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}},
        {"id": "mail", "tool": "acme-nodes.carrierPigeon", "params": {"to": "a@b.example"}},
    ]
}

Say = Callable[[int], str]


def drafted_by(url: str, key: str | None = None) -> dict[str, Any]:
    """The settings by which one endpoint drafts, and the planner where it fails."""
    return {"models": {"model": ModelSetting(url, "m", key)}, "drafters": ("model", "planner")}


def open_conversation(served: Served, **more: Any) -> dict[str, Any]:
    answer = served.client.post("/v1/n8n/sessions", json={"request": REQUEST, **more})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def submit_draft(served: Served, session: str, **body: Any) -> httpx.Response:
    return served.client.post(f"/v1/sessions/{session}/drafts", json=body)


def send_reply(served: Served, session: str, reply: Any) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    answer = submit_draft(served, session, reply=text)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def hold_conversation(served: Served, say: Say, **more: Any) -> dict[str, Any]:
    """Talk to the end, as a node does; a conversation that does not end fails the test."""
    answer = open_conversation(served, **more)
    for turn in count(1):
        if answer["status"] == "done":
            return answer
        assert turn <= 20, "the conversation does not end"
        answer = send_reply(served, answer["session"], say(turn))
    raise AssertionError
