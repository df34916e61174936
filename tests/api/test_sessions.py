"""Conversations over real HTTP: how they begin, continue and end."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import Any

import pytest

from grounded_builder.compiler.time_limit import TimeLimitExceededError
from grounded_builder.services.isolation.compiler import Compiler
from tests.api.conftest import Served
from tests.api.conversation_client import (
    INVENTED,
    REQUEST,
    RIGHT,
    hold_conversation,
    open_conversation,
    send_reply,
    submit_draft,
)
from tests.support import catalogs


def test_the_first_answer_is_a_prompt_and_a_schema(shared_server: Served) -> None:
    """A conversation begins with messages that show installed tools, and a schema of them."""
    answer = open_conversation(shared_server)
    assert answer["status"] == "draft"
    assert answer["round"] == 1
    assert [message["role"] for message in answer["messages"]] == ["system", "user"]
    assert catalogs.MAIL in answer["messages"][0]["content"]
    assert REQUEST in answer["messages"][1]["content"]
    assert catalogs.MAIL in json.dumps(answer["response_schema"])


def test_a_conversation_begins_and_ends_where_the_thread_takes_too_long(
    shared_server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is interrupted here is done in a process of its own, its beginning too."""

    def raise_interrupt(_compiler: Compiler, _work: object) -> Future[Any]:
        over: Future[Any] = Future()
        over.set_exception(TimeLimitExceededError())
        return over

    monkeypatch.setattr(Compiler, "submit_inline", raise_interrupt)
    session = open_conversation(shared_server)["session"]
    assert send_reply(shared_server, session, INVENTED)["round"] == 2
    assert send_reply(shared_server, session, RIGHT)["status"] == "done"
    planned = open_conversation(shared_server, drafter="planner")
    assert planned["status"] == "done"


def test_wrong_then_right(shared_server: Served) -> None:
    """A wrong draft comes back with all that is wrong with it; the right one after it is built."""
    session = open_conversation(shared_server)["session"]
    again = send_reply(shared_server, session, INVENTED)
    assert (again["status"], again["round"]) == ("draft", 2)
    feedback = again["messages"][-1]["content"]
    assert "acme-nodes.carrierPigeon" in feedback
    assert "unknown-tool" in feedback
    assert again["messages"][-2] == {"role": "assistant", "content": json.dumps(INVENTED)}
    done = send_reply(shared_server, session, RIGHT)
    assert (done["status"], done["outcome"]) == ("done", "incomplete")
    assert (done["reason"], done["rounds"]) == ("repaired", 2)
    assert [node["type"] for node in done["artifact"]["nodes"]][:2] == [
        catalogs.HOOK,
        catalogs.MAIL,
    ]
    assert "Acme Mail" in done["summary"]
    assert any(catalogs.MAIL_LOGIN in point for point in done["todo"])
    assert done["receipt"]["verdict"] == "incomplete"


def test_a_right_draft_is_done_at_once(shared_server: Served) -> None:
    """A draft in prose and fences that is right ends the conversation in one round."""
    fenced = f"Sure! Here you go:\n```json\n{json.dumps(RIGHT)}\n```\nHave fun."
    done = hold_conversation(shared_server, lambda _: fenced)
    assert done["outcome"] == "incomplete"
    assert done["rounds"] == 1


def test_rounds_are_the_caller_s(shared_server: Served) -> None:
    """A conversation of one round ends after one draft."""
    done = hold_conversation(shared_server, lambda _: json.dumps(INVENTED), rounds=1)
    assert (done["reason"], done["rounds"]) == ("exhausted", 1)


def test_a_failed_model_leaves_it_to_the_planner(shared_server: Served) -> None:
    """When the model fails, the planner drafts, and the summary states the reason."""
    session = open_conversation(shared_server)["session"]
    done = submit_draft(shared_server, session, failed="429 quota exceeded").json()
    assert done["status"] == "done"
    assert done["outcome"] in ("built", "incomplete")
    assert catalogs.MAIL in {node["type"] for node in done["artifact"]["nodes"]}
    assert "429 quota exceeded" in done["summary"]
    drafts = shared_server.client.get(f"/v1/runs/{session}").json()["drafts"]
    assert [draft["failed"] for draft in drafts] == ["429 quota exceeded", None]
    assert [draft["drafter"] for draft in drafts] == ["external", "planner"]


def test_the_planner_needs_no_model(shared_server: Served) -> None:
    """The first answer of the planner is the outcome."""
    done = open_conversation(shared_server, drafter="planner")
    assert done["status"] == "done"
    assert [node["type"] for node in done["artifact"]["nodes"]][:2] == [
        catalogs.HOOK,
        catalogs.MAIL,
    ]


def test_outcome_has_receipt_of_build(shared_server: Served) -> None:
    """The receipt of an outcome equals the one that build gives for the same artifact."""
    done = hold_conversation(shared_server, lambda _: json.dumps(RIGHT))
    body = {"workflow": done["artifact"], "correct": False}
    built = shared_server.client.post("/v1/n8n/build", json=body).json()
    for name in ("catalog", "policy", "instance", "key"):
        assert done["receipt"][name] == built["receipt"][name]


@pytest.mark.parametrize(
    ("body", "at"),
    [
        ({}, "/request"),
        ({"request": ""}, "/request"),
        ({"request": " \n"}, "/request"),
        ({"request": "x" * 100_001}, "/request"),
        ({"request": 7}, "/request"),
        ({"request": "x", "rounds": 0}, "/rounds"),
        ({"request": "x", "rounds": 21}, "/rounds"),
        ({"request": "x", "drafter": "oracle"}, "/drafter"),
        ({"request": "x", "constraints": "none"}, "/constraints"),
        ({"request": "x", "wish": 1}, "/wish"),
    ],
)
def test_a_bad_opening_is_named(shared_server: Served, body: dict[str, Any], at: str) -> None:
    """A wrong field of a request is refused with its place."""
    answer = shared_server.client.post("/v1/n8n/sessions", json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["at"] == at


def test_a_draft_is_a_reply_or_a_failure(shared_server: Served) -> None:
    """A body with neither or both of reply and failed is refused and costs no round."""
    session = open_conversation(shared_server)["session"]
    for body in ({}, {"reply": "x", "failed": "y"}, {"reply": 7}, {"response": "x"}):
        assert submit_draft(shared_server, session, **body).status_code == 400
    assert shared_server.client.get(f"/v1/sessions/{session}").json()["round"] == 1


def test_without_a_catalog_nothing_begins(empty: Served) -> None:
    """A sidecar without a catalog states how to make one."""
    answer = empty.client.post("/v1/n8n/sessions", json={"request": REQUEST})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no-catalog")
