"""Constraints of conversations, refused names, and hints from earlier runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.drafting.conversation import ConversationLimits
from tests.api.conftest import Serve, Served
from tests.api.conversation_client import (
    INVENTED,
    REQUEST,
    RIGHT,
    SEND,
    hold_conversation,
    open_conversation,
    send_reply,
    submit_draft,
)
from tests.api.test_drafter_questions import tools_of
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices

HOOK_ONLY = {"steps": [{"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}]}
PARTLY = {
    "steps": [
        *RIGHT["steps"],
        {"id": "fly", "tool": "acme-nodes.carrierPigeon", "params": {}, "inputs": ["mail"]},
    ]
}

WITHOUT_ADDRESS = {
    "steps": [
        RIGHT["steps"][0],
        {
            "id": "mail",
            "tool": catalogs.MAIL,
            "params": {key: value for key, value in SEND.items() if key != "to"},
        },
    ]
}


def test_a_forbidden_tool_is_neither_shown_nor_built(shared_server: Served) -> None:
    """A tool that a constraint forbids under any name is never shown, and is refused by name."""
    rules = {"forbid": ["Acme Mail"], "tone": "kind"}
    first = open_conversation(shared_server, constraints=rules)
    assert '"tone": "kind"' in first["messages"][1]["content"]
    assert catalogs.MAIL not in first["messages"][0]["content"]
    assert (
        'NOT ALLOWED, even if the request says so: "Acme Mail"' in first["messages"][1]["content"]
    )
    again = send_reply(shared_server, first["session"], RIGHT)
    assert again["status"] == "draft"
    value = again["messages"][-1]["content"]
    assert "policy denies acme-nodes.mail" in value
    assert f"NOT ALLOWED here, do without them: {catalogs.MAIL}" in value
    assert catalogs.MAIL not in tools_of(again)


@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ({"allow": ["Acme Hook", "acme-nodes.agent"]}, {catalogs.HOOK, catalogs.AGENT}),
        ({"allow": ["acme-nodes.m*"]}, {catalogs.MAIL}),
    ],
)
def test_constraints_narrow_what_is_shown(
    shared_server: Served, rules: dict[str, Any], shown: set[str]
) -> None:
    """Only tools that the constraints permit are shown."""
    assert set(tools_of(open_conversation(shared_server, constraints=rules))) == shown


@pytest.mark.parametrize("rules", [{"deny": "acme-nodes.*"}, {"core_only": True}, {"allow": "no"}])
def test_constraints_that_leave_nothing_are_reported(
    shared_server: Served, rules: dict[str, Any]
) -> None:
    """If no tool is left, no drafter is asked, and the summary states the reason."""
    for drafter in ("external", "planner"):
        done = open_conversation(shared_server, constraints=rules, drafter=drafter)
        assert (done["status"], done["outcome"], done["rounds"]) == ("done", "refused", 0)
        assert "the constraints leave no tool" in done["summary"]


def test_service_forbidden_by_request_is_not_used(shared_server: Served) -> None:
    """A service that the request forbids is not shown, and a draft that uses it is refused."""
    text = "When the Acme hook is called, tell the Acme Agent, do not use Acme Mail."
    first = open_conversation(shared_server, request=text)
    assert catalogs.MAIL not in tools_of(first)
    assert (
        "policy denies"
        in send_reply(shared_server, first["session"], RIGHT)["messages"][-1]["content"]
    )


def test_to_ask_for_and_to_forbid_is_a_contradiction(shared_server: Served) -> None:
    """A request that wants and forbids one service is refused without asking anybody."""
    text = "Send a message by Acme Mail, but do not use Acme Mail"
    done = open_conversation(shared_server, request=text)
    assert (done["status"], done["outcome"], done["rounds"]) == ("done", "refused", 0)
    assert '"Acme Mail" and forbids it' in done["summary"]


def test_names_that_were_invented_stay_refused(shared_server: Served) -> None:
    """Every later message names all that was invented before as absent."""
    session = open_conversation(shared_server, rounds=6)["session"]
    send_reply(shared_server, session, INVENTED)
    other = {"steps": [{"id": "a", "tool": "acme-nodes.owlPost", "params": {}}]}
    value = send_reply(shared_server, session, other)["messages"][-1]["content"]
    line = next(part for part in value.split("\n") if "do NOT exist" in part)
    assert "acme-nodes.carrierPigeon" in line
    assert "acme-nodes.owlPost" in line


def test_advice_alone_buys_one_draft(shared_server: Served) -> None:
    """A draft that compiles and lacks what the request names is asked for once more, not twice."""
    session = open_conversation(shared_server)["session"]
    again = send_reply(shared_server, session, HOOK_ONLY)
    assert (again["status"], again["round"]) == ("draft", 2)
    value = again["messages"][-1]["content"]
    assert "compiles, and could be better" in value
    assert 'the goal mentions "Acme Mail"' in value
    done = send_reply(shared_server, session, HOOK_ONLY)
    assert (done["outcome"], done["rounds"]) == ("built", 2)
    assert [diagnostic["name"] for diagnostic in done["diagnostics"]] == ["goal-not-covered"]
    assert "not covered: Acme Mail" in done["summary"]


def test_a_worse_tool_buys_one_draft(serve: Serve) -> None:
    """A draft that takes a tool put aside for another is asked for once more, not twice."""
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line |= {"hidden": True, "replaced_by": [catalogs.MAIL]}
    served = serve()
    served.load(catalogs.jsonl(lines))
    session = open_conversation(served, request="Start by the Acme Hook")["session"]
    again = send_reply(served, session, HOOK_ONLY)
    assert (again["status"], again["round"]) == ("draft", 2)
    assert "deprecated-tool" in again["messages"][-1]["content"]
    done = send_reply(served, session, HOOK_ONLY)
    assert (done["outcome"], done["rounds"]) == ("built", 2)


def test_advice_costs_no_draft_that_compiled(shared_server: Served) -> None:
    """When the drafts after advice are wrong, the one before it is the outcome."""
    session = open_conversation(shared_server)["session"]
    answer = send_reply(shared_server, session, HOOK_ONLY)
    turn = 0
    while answer["status"] == "draft":
        turn += 1
        step = {"id": "a", "tool": f"acme-nodes.invention{turn}", "params": {}}
        answer = send_reply(shared_server, session, {"steps": [step]})
    assert answer["outcome"] == "built"
    assert [node["type"] for node in answer["artifact"]["nodes"]] == [catalogs.HOOK]
    assert answer["receipt"]["verdict"] == "ok"


def test_a_value_of_the_user_costs_no_round(shared_server: Served) -> None:
    """An address that neither the request nor the draft has is left to a person at once."""
    session = open_conversation(shared_server)["session"]
    done = send_reply(shared_server, session, WITHOUT_ADDRESS)
    assert (done["outcome"], done["rounds"]) == ("incomplete", 1)
    assert any('"to"' in point for point in done["todo"])


def test_an_address_of_the_request_is_asked_for(shared_server: Served) -> None:
    """A missing value is asked for once where the request may state it."""
    session = open_conversation(shared_server, request=f"{REQUEST} to kim@a.example")["session"]
    again = send_reply(shared_server, session, WITHOUT_ADDRESS)
    assert "value-to-choose" in again["messages"][-1]["content"]
    done = send_reply(shared_server, session, WITHOUT_ADDRESS)
    assert (done["outcome"], done["rounds"]) == ("incomplete", 2)
    assert any('"to"' in point for point in done["todo"])


def test_a_model_that_fails_later_loses_no_draft(shared_server: Served) -> None:
    """If a model fails after a draft that compiles, that draft is the outcome."""
    session = open_conversation(shared_server)["session"]
    send_reply(shared_server, session, HOOK_ONLY)
    done = submit_draft(shared_server, session, failed="429 quota exceeded").json()
    assert (done["status"], done["outcome"]) == ("done", "built")
    assert [node["type"] for node in done["artifact"]["nodes"]] == [catalogs.HOOK]
    assert "429 quota exceeded" in done["summary"]
    assert "without a model" not in done["summary"]


def test_salvage_builds_part_that_compiles(shared_server: Served) -> None:
    """With ``salvage`` the part of a wrong draft that compiles is built and signed."""
    done = hold_conversation(shared_server, lambda _: json.dumps(PARTLY), salvage=True)
    assert (done["outcome"], done["reason"]) == ("incomplete", "stalled")
    assert done["left_out"] == ['step "fly" (acme-nodes.carrierPigeon)']
    assert done["summary"].startswith("Only a part compiles.")
    assert any("carrierPigeon" in point for point in done["todo"])
    types = [node["type"] for node in done["artifact"]["nodes"]][:2]
    assert types == [catalogs.HOOK, catalogs.MAIL]
    built = shared_server.client.post("/v1/n8n/build", json={"workflow": done["artifact"]}).json()
    assert built["receipt"]["artifact"] == done["receipt"]["artifact"]
    refused = hold_conversation(shared_server, lambda _: json.dumps(PARTLY))
    assert (refused["outcome"], refused["left_out"]) == ("refused", None)


def test_of_nothing_but_a_start_no_part_is_built(serve: Serve) -> None:
    """A part that does nothing is not worth building."""
    lines = catalogs.acme()
    for line in lines:
        if line.get("id") == catalogs.HOOK:
            line["capabilities"] = ["trigger"]
    served = serve()
    served.load(catalogs.jsonl(lines))
    done = hold_conversation(served, lambda _: json.dumps(INVENTED), salvage=True)
    assert (done["outcome"], done["artifact"]) == ("refused", None)


@pytest.mark.parametrize(
    ("limits", "more", "message"),
    [
        ({}, {"rounds": 1}, "The one draft allowed is used up"),
        ({"tokens": 600}, {}, "GROUNDED_TALK_TOKENS"),
        ({"seconds": 0.0}, {}, "GROUNDED_TALK_SECONDS"),
    ],
)
def test_reached_limit_ends_conversation(
    serve: Serve, limits: dict[str, Any], more: dict[str, Any], message: str
) -> None:
    """Rounds, tokens and seconds end a conversation, each with what a person can do about it."""
    served = serve(conversation_limits=ConversationLimits(**limits))
    served.load()
    done = hold_conversation(served, lambda _: json.dumps(INVENTED), **more)
    assert (done["outcome"], done["reason"]) == ("refused", "exhausted")
    assert message in done["summary"]


def test_prompt_contains_no_earlier_conversation(serve: Serve) -> None:
    """Names and plans of earlier conversations are in later prompts only where it is set."""
    served = serve()
    served.load()
    for _ in range(2):
        hold_conversation(served, lambda turn: json.dumps(INVENTED if turn == 1 else RIGHT))
    value = json.dumps(open_conversation(served, request=f"{REQUEST} please")["messages"])
    assert "EXAMPLES" not in value
    assert "carrierPigeon" not in value
    sharing = serve(share_drafts=True)
    sharing.load()
    for _ in range(2):
        hold_conversation(sharing, lambda _: json.dumps(INVENTED))
    assert (
        'do NOT exist: "acme-nodes.carrierPigeon"'
        in open_conversation(sharing)["messages"][0]["content"]
    )
