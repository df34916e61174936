"""Drafters that ask the registry, or state that it cannot be done."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.api.conversation_client import RIGHT, hold_conversation, open_conversation, send_reply
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices

ASKED = {"need": [{"find": "answer with a model"}]}
CALLED = {
    "tool_calls": [
        {"function": {"name": "find_tool", "arguments": '{"query": "answer with a model"}'}}
    ]
}


def tools_of(answer: dict[str, Any]) -> list[str]:
    plan = answer["response_schema"]["anyOf"][0]
    named: list[str] = plan["properties"]["steps"]["items"]["properties"]["tool"]["enum"]
    return named


@pytest.mark.parametrize("question", [ASKED, CALLED], ids=["in words", "by a call"])
def test_a_drafter_may_ask(shared_server: Served, question: dict[str, Any]) -> None:
    """A question is answered with installed tools that may be used then, and costs no round."""
    session = open_conversation(shared_server)["session"]
    answer = send_reply(shared_server, session, question)
    assert (answer["status"], answer["round"]) == ("draft", 1)
    value = answer["messages"][-1]["content"]
    assert f"- {catalogs.AGENT} (" in value
    assert catalogs.AGENT in tools_of(answer)
    done = send_reply(shared_server, session, RIGHT)
    assert (done["outcome"], done["rounds"]) == ("incomplete", 1)
    drafts = shared_server.client.get(f"/v1/runs/{session}").json()["drafts"]
    assert [draft["reply"] for draft in drafts] == [json.dumps(question), json.dumps(RIGHT)]


def test_session_offers_question_tools(shared_server: Served) -> None:
    """The answer defines the tools by which a model can ask the registry."""
    named = [tool["function"]["name"] for tool in open_conversation(shared_server)["tools"]]
    assert named == ["find_tool", "show_tool"]


def test_a_drafter_may_ask_about_a_tool(shared_server: Served) -> None:
    """A described tool is named, and for an unknown name the nearest are listed."""
    session = open_conversation(shared_server)["session"]
    need = [{"tool": "Acme Mail"}, {"tool": "Acme Pigeon"}, {"tool": catalogs.SHELL}]
    value = send_reply(shared_server, session, {"need": need})["messages"][-1]["content"]
    assert 'about "Acme Mail":\nlisted above with parameters' in value
    assert 'there is no tool "Acme Pigeon"' in value
    assert f"{catalogs.SHELL} may not be used here" in value


def test_answer_of_registry_stays_in_repair_rounds(shared_server: Served) -> None:
    """The answer of the registry is sent again with the findings of a later draft."""
    session = open_conversation(shared_server)["session"]
    answered = send_reply(shared_server, session, ASKED)["messages"]
    wrong = {"steps": [{"id": "a", "tool": "acme-nodes.pigeon", "params": {}}]}
    again = send_reply(shared_server, session, wrong)["messages"]
    assert again[: len(answered)] == answered
    assert "acme-nodes.pigeon" in again[-1]["content"]


def test_questions_end(shared_server: Served) -> None:
    """A drafter that only asks questions is asked to draft, and is refused after a few replies."""
    turns = []

    def ask(turn: int) -> str:
        turns.append(turn)
        return json.dumps({"need": [{"find": f"thing {turn}"}]})

    done = hold_conversation(shared_server, ask)
    assert (done["outcome"], done["reason"]) == ("refused", "stalled")
    assert "only asked questions" in done["summary"]
    assert len(turns) <= 4 + 3


def test_a_reason_why_not_is_an_outcome(shared_server: Served) -> None:
    """A model may state that it cannot be done; nothing is built, and its reason is reported."""
    done = hold_conversation(shared_server, lambda _: '{"cannot": "there is no teleporter"}')
    assert (done["outcome"], done["artifact"]) == ("refused", None)
    assert done["rounds"] == 1
    assert "there is no teleporter" in done["summary"]


def test_a_reason_is_checked(shared_server: Served) -> None:
    """A model that misses a tool which exists is informed, and may draft after all."""
    session = open_conversation(shared_server)["session"]
    answer = send_reply(shared_server, session, {"cannot": "There is no tool for Acme Mail"})
    assert (answer["status"], answer["round"]) == ("draft", 2)
    value = answer["messages"][-1]["content"]
    assert "ARE installed" in value
    assert catalogs.MAIL in value
    assert send_reply(shared_server, session, RIGHT)["outcome"] == "incomplete"


def test_a_model_may_insist(shared_server: Served) -> None:
    """A reason given twice is taken, and the sentence states what was held against it."""
    done = hold_conversation(shared_server, lambda _: '{"cannot": "Acme Mail cannot fold paper"}')
    assert (done["outcome"], done["rounds"]) == ("refused", 2)
    assert "Acme Mail cannot fold paper" in done["summary"]
    assert "refused again" in done["summary"]


@pytest.mark.parametrize(
    "reply",
    ['{"cannot": ""}', '{"cannot": null}', '{"cannot": {"why": ["x"]}}', '{"cannot": "  "}'],
)
def test_a_reason_may_be_empty(shared_server: Served, reply: str) -> None:
    """The outcome is a sentence for every value of the reason."""
    done = hold_conversation(shared_server, lambda _: reply)
    assert done["outcome"] == "refused"
    assert done["summary"].startswith("The drafter says it cannot be done: ")


@pytest.mark.parametrize(
    "need", ["", [], {}, None, 7, [None, 7, {}], [{"find": " "}], [{"tool": 7}]]
)
def test_empty_question_is_draft_without_steps(shared_server: Served, need: Any) -> None:
    """A question without content is a draft without steps, and is reported as wrong."""
    answer = send_reply(shared_server, open_conversation(shared_server)["session"], {"need": need})
    assert (answer["status"], answer["round"]) == ("draft", 2)
