"""Drafters that never get it right, mean it badly, or do not answer: bounded, and nothing built."""

from __future__ import annotations

import json

import pytest

from tests.api.conftest import Served
from tests.api.conversation_client import INVENTED, Say, open_conversation

pytestmark = pytest.mark.sqlite_suffices

HOPELESS: dict[str, Say] = {
    "prose": lambda _: "I would be glad to help! First open your mail program and then type.",
    "nothing": lambda _: "",
    "blanks": lambda _: " \n\t ",
    "another language": lambda _: "Natürlich, hier ist der Ablauf: zuerst der Haken, dann die Post",
    "other prose every time": lambda turn: f"Attempt {turn}: have you tried turning it off and on?",
    "HTML": lambda _: "<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>",
    "1 MB": lambda _: "la " * 350_000,
    "1 MB of JSON": lambda turn: json.dumps({"steps": [{"tool": "x" * 1_000_000, "id": turn}]}),
    "an invented tool": lambda _: json.dumps(INVENTED),
    "a new invention each time": lambda turn: json.dumps(
        {"steps": [{"id": "a", "tool": f"acme-nodes.invention{turn}", "params": {}}]}
    ),
    "NUL and half an emoji": lambda turn: f"\x00 \ud83d {turn}",
    "a list of numbers": lambda _: "[1, 2, 3]",
    "a number": lambda _: "42",
    "steps that are none": lambda _: '{"steps": [1, null, "mail", {}]}',
}


@pytest.mark.parametrize("kind", HOPELESS)
def test_a_hopeless_model_ends_in_bounded_rounds(shared_server: Served, kind: str) -> None:
    """A conversation with a model that never improves ends refused, with a reason."""
    answer = open_conversation(shared_server)
    rounds = 0
    while answer["status"] == "draft":
        rounds += 1
        body = json.dumps({"reply": HOPELESS[kind](rounds)})
        path = f"/v1/sessions/{answer['session']}/drafts"
        answered = shared_server.client.post(path, content=body)
        assert answered.status_code == 200, answered.text[:500]
        answer = answered.json()
    assert rounds <= 4
    assert answer["outcome"] == "refused"
    assert answer["reason"] in ("stalled", "exhausted")
    assert (answer["artifact"], answer["receipt"]) == (None, None)
    assert answer["rounds"] == rounds
    assert answer["diagnostics"]
    run = shared_server.client.get(f"/v1/runs/{answer['session']}").json()
    assert len(run["drafts"]) == rounds
