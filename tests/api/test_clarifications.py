"""Requests that can mean two things: the person is asked, or the assumption is stated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.api.conversation_client import RIGHT, open_conversation, send_reply, submit_draft

pytestmark = pytest.mark.sqlite_suffices

QUESTION = {
    "ask": {
        "question": "Is every row one message, or is there one message with all rows?",
        "choices": ["one message for each row", "one message with all rows"],
    }
}


def send_answer(served: Served, session: str, text: str) -> dict[str, Any]:
    sent = submit_draft(served, session, answer=text)
    assert sent.status_code == 200, sent.text
    body: dict[str, Any] = sent.json()
    return body


def test_a_person_is_asked(shared_server: Served) -> None:
    """The question reaches the person, the answer reaches the model, and no round is used."""
    first = open_conversation(shared_server, clarify=True)
    session = first["session"]
    assert '"ask"' in first["messages"][0]["content"]
    asked = send_reply(shared_server, session, QUESTION)
    assert (asked["status"], asked["round"]) == ("question", 1)
    assert asked["question"] == QUESTION["ask"]["question"]
    assert asked["choices"] == QUESTION["ask"]["choices"]
    assert shared_server.client.get(f"/v1/sessions/{session}").json() == asked
    again = send_answer(shared_server, session, "one message with all rows")
    assert (again["status"], again["round"]) == ("draft", 1)
    assert "one message with all rows" in again["messages"][-1]["content"]
    done = send_reply(shared_server, session, RIGHT)
    assert (done["outcome"], done["rounds"]) == ("incomplete", 1)


def test_the_answer_stays_while_the_draft_is_corrected(shared_server: Served) -> None:
    session = open_conversation(shared_server, clarify=True)["session"]
    send_reply(shared_server, session, QUESTION)
    messages = send_answer(shared_server, session, "one message with all rows")["messages"]
    wrong = {"steps": [{"id": "a", "tool": "acme-nodes.pigeon", "params": {}}]}
    assert send_reply(shared_server, session, wrong)["messages"][: len(messages)] == messages


def test_a_person_is_asked_once(shared_server: Served) -> None:
    """A second question is not passed on: the model is asked to choose and to state it."""
    session = open_conversation(shared_server, clarify=True)["session"]
    send_reply(shared_server, session, QUESTION)
    send_answer(shared_server, session, "the first")
    again = send_reply(shared_server, session, QUESTION)
    assert again["status"] == "draft"
    assert "assumptions" in again["messages"][-1]["content"]


def test_unattended_run_asks_no_question(shared_server: Served) -> None:
    """Without ``clarify`` the model chooses, and the summary and the note state its assumption."""
    first = open_conversation(shared_server)
    session = first["session"]
    assert '"ask"' not in first["messages"][0]["content"]
    answer = send_reply(shared_server, session, QUESTION)
    assert answer["status"] == "draft"
    assert "assumptions" in answer["messages"][-1]["content"]
    done = send_reply(
        shared_server, session, {**RIGHT, "assumptions": ["one message for each row"]}
    )
    assert "one message for each row" in done["summary"]
    notes = [
        node["parameters"]["content"]
        for node in done["artifact"]["nodes"]
        if node["type"].endswith("stickyNote")
    ]
    assert all("one message for each row" in note for note in notes)


def test_an_answer_is_expected_only_after_a_question(shared_server: Served) -> None:
    session = open_conversation(shared_server, clarify=True)["session"]
    early = submit_draft(shared_server, session, answer="yes")
    assert (early.status_code, early.json()["error"]["code"]) == (409, "no-question")
    send_reply(shared_server, session, QUESTION)
    late = submit_draft(shared_server, session, reply=json.dumps(RIGHT))
    assert (late.status_code, late.json()["error"]["code"]) == (409, "question-open")
    both = submit_draft(shared_server, session, reply="x", answer="y")
    assert both.status_code == 400


@pytest.mark.parametrize(
    "ask",
    [
        "which one?",
        {"question": ""},
        {"question": 3, "choices": ["a", "b"]},
        {"question": "q" * 5_000, "choices": ["a"] * 50},
        {"question": "which?", "choices": [{"a": 1}, None]},
        ["a", "b"],
    ],
)
def test_odd_questions_are_read_or_refused(shared_server: Served, ask: Any) -> None:
    """A question without choices is passed on; one without words is no question."""
    session = open_conversation(shared_server, clarify=True)["session"]
    answer = send_reply(shared_server, session, {"ask": ask})
    assert answer["status"] in ("question", "draft")
    if answer["status"] == "question":
        assert 0 < len(answer["question"]) <= 500
        assert len(answer["choices"]) <= 6
        assert all(isinstance(choice, str) and choice for choice in answer["choices"])
        assert submit_draft(shared_server, session, answer="a").status_code == 200


def test_time_of_person_is_not_counted(shared_server: Served) -> None:
    """The limit of seconds counts only the time of the drafter."""
    session = open_conversation(shared_server, clarify=True)["session"]
    send_reply(shared_server, session, QUESTION)
    assert submit_draft(shared_server, session, answer=" ").status_code == 400
    assert submit_draft(shared_server, session, answer="a" * 5_001).status_code == 400


def test_a_person_who_does_not_answer_can_cancel(shared_server: Served) -> None:
    session = open_conversation(shared_server, clarify=True)["session"]
    send_reply(shared_server, session, QUESTION)
    done = shared_server.client.delete(f"/v1/sessions/{session}").json()
    assert (done["status"], done["reason"]) == ("done", "cancelled")


def test_an_edit_takes_no_answer(shared_server: Served) -> None:
    """A conversation about an edit asks no person, and reports that."""
    workflow: dict[str, Any] = {"nodes": [], "connections": {}}
    body = {"request": "rename it", "workflow": workflow, "drafter": "external"}
    opened_edit = shared_server.client.post("/v1/n8n/edit", json=body)
    assert opened_edit.status_code == 200, opened_edit.text
    if opened_edit.json()["status"] == "draft":
        sent = submit_draft(shared_server, opened_edit.json()["session"], answer="yes")
        assert (sent.status_code, sent.json()["error"]["code"]) == (409, "no-question")
