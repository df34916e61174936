"""Routing over real HTTP: a scripted model chooses, the test makes the calls."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.api.route_client import calls, open_route, post, send_reply, send_result
from tests.support.tool_lists import make_desk_tools, make_web_tools, tool

pytestmark = pytest.mark.sqlite_suffices

MUSIC = "Organize music files into a folder called music_stuff"
GIBBY = "Who is Gibby from iCarly?"
NO_MATCH = "Agent could not determine a matching tool."


def test_an_invented_plan_is_blocked_and_the_second_is_made(shared_server: Served) -> None:
    """create_folder and move_files are reported, organize_files is accepted in round 2 and run."""
    asked = open_route(shared_server, MUSIC, make_desk_tools())
    prompt = asked["messages"][-1]["content"]
    assert asked["status"] == "ask"
    assert [prompt.index(item) for item in ("USER INPUT:", "AVAILABLE TOOLS:", "QUESTION:")]
    again = send_reply(
        shared_server,
        asked,
        calls(("create_folder", {"name": "music_stuff"}), ("move_files", {"to": "music_stuff"})),
    )
    value = again["messages"][-1]["content"]
    assert (again["status"], again["round"]) == ("ask", 2)
    assert 'no tool "create_folder"' in value
    assert 'no tool "move_files"' in value
    assert "organize_files" in value
    arguments = {"category": "music files", "target_folder": "music_stuff"}
    call = send_reply(shared_server, again, calls(("organize_files", arguments)))
    assert call["status"] == "call"
    assert (call["call"]["tool"], call["call"]["arguments"]) == ("organize_files", arguments)
    assert [item["tool"] for item in call["planned"]] == ["organize_files"]
    done = send_result(shared_server, call, output={"moved": 3})
    assert (done["status"], done["outcome"], done["rounds"]) == ("done", "executed", 2)
    assert done["calls"][0]["output"] == {"moved": 3}


def test_blocked_plan_runs_no_call(shared_server: Served) -> None:
    """A plan with one fault hands out no call, not even of the steps that are right."""
    asked = open_route(shared_server, MUSIC, make_desk_tools())
    plan = calls(("compose_email", {"to": "a", "subject": "b", "body": "c"}), ("move_files", {}))
    assert send_reply(shared_server, asked, plan)["status"] == "ask"


def test_a_name_that_stays_invented_falls_back_to_what_can_do_it(shared_server: Served) -> None:
    """When its rounds are used up, the tool that is capable of what was named is called."""
    asked = open_route(shared_server, GIBBY, make_web_tools(), rounds=1)
    call = send_reply(shared_server, asked, calls(("internet_lookup", {"query": "Gibby iCarly"})))
    assert call["call"]["tool"] == "web_search"
    done = send_result(shared_server, call, output="a character")
    assert [(item["tool"], item["found_by"]) for item in done["calls"]] == [
        ("web_search", "capability")
    ]
    assert done["calls"][0]["drafted"] == "internet_lookup"


def test_part_of_a_name_finds_its_tool(shared_server: Served) -> None:
    """A name without a matching capability may match a part of one tool's name."""
    tools = [tool("acme_zorbify_frame", "Does what it does.", x={"type": "string"})]
    asked = open_route(shared_server, "zorb it", [*tools, *make_web_tools()], rounds=1)
    call = send_reply(shared_server, asked, calls(("zorbify", {"x": "1"})))
    assert call["call"]["tool"] == "acme_zorbify_frame"


def test_a_missing_match_is_reported_in_exactly_this_shape(shared_server: Served) -> None:
    """The error without a matching tool names the connected tools."""
    asked = open_route(shared_server, "Paint the fence", make_web_tools(), rounds=1)
    done = send_reply(shared_server, asked, calls(("paint_fence", {"colour": "red"})))
    assert done["outcome"] == "failed"
    assert done["error"] == {
        "error": NO_MATCH,
        "connected_tools": ["calendar.list_events", "web_search"],
    }
    assert done["calls"][0]["error"] == {
        "error": True,
        "error_type": "ToolNotFound",
        "error_message": "Tool 'paint_fence' not found",
        "retry_possible": False,
    }


def test_valid_calls_continue_beside_unknown_tool(shared_server: Served) -> None:
    """Only the call without a tool fails; the others are made."""
    asked = open_route(shared_server, GIBBY, make_web_tools(), rounds=1)
    call = send_reply(
        shared_server, asked, calls(("paint_fence", {}), ("web_search", {"query": "Gibby"}))
    )
    done = send_result(shared_server, call, output="found")
    assert done["outcome"] == "partial"
    assert [item["state"] for item in done["calls"]] == ["failed", "ok"]


def test_outputs_feed_later_calls_in_planned_order(shared_server: Served) -> None:
    """Outputs of calls replace the references of later calls, whole or inside a text."""
    asked = open_route(shared_server, MUSIC, make_desk_tools())
    plan = calls(
        ("search_documents", {"query": "cats"}),
        ("extract_section", {"doc_path": "{{call_1.hits[0].path}}", "section": "intro"}),
        ("compose_email", {"to": "a@b", "subject": "Cats", "body": "Found: {{call_2}}"}),
    )
    entries = send_reply(shared_server, asked, plan)
    two = send_result(shared_server, entries, output={"hits": [{"path": "/cats.pdf"}]})
    three = send_result(shared_server, two, output="All about cats")
    done = send_result(shared_server, three, output="sent")
    assert [part["call"]["tool"] for part in (entries, two, three)] == [
        "search_documents",
        "extract_section",
        "compose_email",
    ]
    assert two["call"]["arguments"]["doc_path"] == "/cats.pdf"
    assert three["call"]["arguments"]["body"] == "Found: All about cats"
    assert done["order"] == ["call_1", "call_2", "call_3"]


def test_independent_call_runs_after_failed_call(shared_server: Served) -> None:
    """A call that depends on a failed call is skipped, and an independent one is made."""
    asked = open_route(shared_server, MUSIC, make_desk_tools())
    plan = calls(
        ("search_documents", {"query": "cats"}),
        ("extract_section", {"doc_path": "{{call_1}}", "section": "intro"}),
        ("compose_email", {"to": "a@b", "subject": "s", "body": "{{call_2}}"}),
        ("take_screenshot", {"doc_path": "/dogs.pdf"}),
    )
    entries = send_reply(shared_server, asked, plan)
    two = send_result(shared_server, entries, output="/cats.pdf")
    four = send_result(shared_server, two, error="the file is locked")
    done = send_result(shared_server, four, output="picture")
    assert four["call"]["tool"] == "take_screenshot"
    assert [part["state"] for part in done["calls"]] == ["ok", "failed", "skipped", "ok"]
    assert done["calls"][1]["error"]["error_type"] == "ExecutionError"
    assert done["calls"][2]["error"]["error_type"] == "DependencyFailed"
    assert done["outcome"] == "partial"


def test_filled_arguments_are_checked_before_call(shared_server: Served) -> None:
    """An output of the wrong type stops only the call that takes it as an argument."""
    numbers = [
        tool("count_cats", "Count the cats."),
        tool("draw_cats", "Draw some cats.", amount={"type": "integer", "maximum": 9}),
    ]
    asked = open_route(shared_server, "draw all cats", numbers)
    plan = calls(("count_cats", {}), ("draw_cats", {"amount": "{{call_1}}"}))
    done = send_result(shared_server, send_reply(shared_server, asked, plan), output="many")
    assert done["calls"][1]["error"]["error_type"] == "InvalidArguments"
    asked = open_route(shared_server, "draw all cats", numbers)
    call = send_result(shared_server, send_reply(shared_server, asked, plan), output="4")
    assert call["call"]["arguments"] == {"amount": 4}


@pytest.mark.parametrize("output", ["{{call_2}}", "{{call_7.x}}", "$call_2", "{{call_1}} {{x}}"])
def test_reference_in_tool_output_stays_text(shared_server: Served, output: str) -> None:
    """An output that looks like a reference to a call is passed on as text."""
    asked = open_route(shared_server, MUSIC, make_desk_tools())
    plan = calls(
        ("search_documents", {"query": "cats"}),
        ("take_screenshot", {"doc_path": "{{call_1}}"}),
    )
    call = send_result(shared_server, send_reply(shared_server, asked, plan), output=output)
    assert call["call"]["arguments"] == {"doc_path": output}


def test_a_tool_that_is_gone_when_its_turn_comes_is_not_called(shared_server: Served) -> None:
    """The guard gives exactly the error of a tool that is not there, and nothing crashes."""
    asked = open_route(shared_server, GIBBY, make_web_tools())
    reply = calls(("web_search", {"query": "Gibby"}))
    body = {"reply": reply, "connected": ["calendar.list_events"]}
    done = post(shared_server, f"/v1/route/{asked['route']}/reply", body)
    assert done["calls"][0]["error"] == {
        "error": True,
        "error_type": "ToolNotFound",
        "error_message": "Tool 'web_search' not found",
        "retry_possible": False,
    }


def test_words_alone_are_an_answer(shared_server: Served) -> None:
    """A model that needs no tool is heard, in JSON or in prose."""
    for reply in ({"natural_language_response": "Hello"}, "Hello", {"content": "Hello"}):
        done = send_reply(shared_server, open_route(shared_server, "hi", make_web_tools()), reply)
        assert (done["outcome"], done["text"], done["calls"]) == ("answered", "Hello", [])


def test_words_around_calls_are_preserved(shared_server: Served) -> None:
    """A reply of text and calls is both, wherever the calls stand."""
    call = json.dumps({"tool_call": {"tool": "web_search", "arguments": {"query": "Gibby"}}})
    reply = f"Let me look that up.\n```json\n{call}\n```\nOne moment."
    answer = send_reply(shared_server, open_route(shared_server, GIBBY, make_web_tools()), reply)
    assert answer["call"]["tool"] == "web_search"
    assert "Let me look that up." in answer["text"]
    assert "tool_call" not in answer["text"]


@pytest.mark.parametrize(
    "reply",
    [
        {"tool_call": {"name": "web_search", "arguments": '{"query": "Gibby"}'}},
        {"tool_calls": [{"id": "x", "type": "function",
                         "function": {"name": "web_search", "arguments": '{"query": "Gibby"}'}}]},
        {"choices": [{"message": {"content": None, "tool_calls": [
            {"id": "x", "type": "function",
             "function": {"name": "web_search", "arguments": '{"query":"Gibby"}'}}]}}]},
        {"content": [{"type": "text", "text": "ok"}, {"type": "tool_use", "id": "t",
                     "name": "web_search", "input": {"query": "Gibby"}}]},
        [{"tool": "web_search", "parameters": {"query": "Gibby"}}],
        {"tool": "web_search", "query": "Gibby"},
        {"tool_call": {"tool": "Web Search", "args": {"query": "Gibby"}}},
        {"tool_call": {"id": "web_search", "parameters": {"query": "Gibby"}}},
        {"tool_call": {"provider": "web", "operation": "search", "arguments": {"query": "Gibby"}}},
        '{"tool_call": {"tool": "web_search", "arguments": {"query": "Gibby",}}',
        '<think>{"tool": "calendar"}</think>{"tool":"web_search","arguments":{"query":"Gibby"}}',
    ],
)  # fmt: skip
def test_every_usual_shape_of_a_call_is_read(shared_server: Served, reply: Any) -> None:
    """Calls of chat APIs, arguments as a text of JSON, slightly broken JSON: one call."""
    answer = send_reply(shared_server, open_route(shared_server, GIBBY, make_web_tools()), reply)
    assert answer["status"] == "call", answer
    assert (answer["call"]["tool"], answer["call"]["arguments"]) == (
        "web_search",
        {"query": "Gibby"},
    )


def test_the_order_of_connection_changes_nothing(shared_server: Served) -> None:
    """Shuffled tools make the same prompt and the same fallback."""
    tools = [*make_desk_tools(), *make_web_tools()]
    shuffled = list(tools)
    for seed in range(3):
        random.Random(seed).shuffle(shuffled)
        asked = open_route(shared_server, MUSIC, tools)
        again = open_route(shared_server, MUSIC, shuffled, rounds=1)
        assert again["messages"] == asked["messages"]
        call = send_reply(shared_server, again, calls(("internet_lookup", {"query": "x"})))
        assert call["call"]["tool"] == "web_search"


def test_model_may_answer_after_results(shared_server: Served) -> None:
    """With `answer` the results are shown to the model, which may call again or answer."""
    asked = open_route(shared_server, GIBBY, make_web_tools(), answer=True)
    call = send_reply(shared_server, asked, calls(("web_search", {"query": "Gibby"})))
    again = send_result(shared_server, call, output="a character of a series")
    assert again["status"] == "ask"
    assert "a character of a series" in again["messages"][-1]["content"]
    more = send_reply(shared_server, again, calls(("web_search", {"query": "{{call_1}}"})))
    assert more["call"]["arguments"] == {"query": "a character of a series"}
    asked = send_result(shared_server, more, output="played by Noah")
    done = send_reply(shared_server, asked, {"natural_language_response": "Gibby is a character."})
    assert (done["outcome"], done["text"]) == ("executed", "Gibby is a character.")
    assert [item["id"] for item in done["calls"]] == ["call_1", "call_1_2"]


# Bad input
