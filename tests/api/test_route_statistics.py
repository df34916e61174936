"""Routing without a model, and the statistics of routes."""

from __future__ import annotations

import json

from tests.api.conftest import Serve, Served
from tests.api.route_client import calls, open_route, post, send_reply, send_result
from tests.api.test_route import GIBBY, NO_MATCH
from tests.support.tool_lists import make_web_tools, tool


def test_without_a_model_the_request_itself_is_matched(shared_server: Served) -> None:
    """The fallback alone calls the tool that the request mentions, or states that there is none."""
    call = open_route(
        shared_server, "search the web for red pandas", make_web_tools(), drafter="none"
    )
    assert call["call"]["tool"] == "web_search"
    assert call["call"]["arguments"] == {"query": "search the web for red pandas"}
    done = open_route(shared_server, GIBBY, make_web_tools(), drafter="none")
    assert done["error"]["error"] == NO_MATCH


def test_a_model_that_fails_leaves_the_fallback(shared_server: Served) -> None:
    """Word that there is no reply routes by the request."""
    asked = open_route(shared_server, "search the web for pandas", make_web_tools())
    call = post(shared_server, f"/v1/route/{asked['route']}/reply", {"failed": "timeout"})
    assert call["call"]["tool"] == "web_search"


def test_a_run_records_every_step(shared_server: Served) -> None:
    """Input, tools shown, reply raw and parsed, calls, results, caller and parent are recorded."""
    who = {"workflow": "w1", "node": "Agent"}
    asked = open_route(shared_server, GIBBY, make_web_tools(), caller=who, parent_call="call_0")
    raw = json.dumps(calls(("web_search", {"query": "Gibby"})))
    call = send_reply(shared_server, asked, raw)
    send_result(shared_server, call, output="found")
    run = shared_server.client.get(f"/v1/runs/{asked['route']}").json()
    assert run["domain"] == "tools"
    assert run["request"] == GIBBY
    assert run["shown"] == ["calendar.list_events", "web_search"]
    assert run["constraints"]["route"] == {"caller": who, "parent_call": "call_0"}
    value, made = run["drafts"]
    assert value["reply"] == raw
    assert value["messages"] == asked["messages"]
    assert value["parsed"]["steps"][0]["tool"] == "web_search"
    assert (made["drafter"], made["reply"], made["verdict"]) == ("tool:web_search", "found", "ok")
    assert made["messages"][0]["arguments"] == {"query": "Gibby"}
    assert run["outcome"] == "executed"
    assert run["result"]["order"] == ["call_1"]


def test_invented_tools_and_failures_are_counted_and_reported(serve: Serve) -> None:
    """Names of no tool and failing calls are counted; what worked is part of later prompts."""
    served = serve(share_drafts=True)
    for subject in ("Gibby", "Sam"):
        asked = open_route(
            served, f"Look up who {subject} of the series is", make_web_tools(), rounds=1
        )
        call = send_reply(served, asked, calls(("internet_lookup", {"query": subject})))
        send_result(served, call, output="a character")
    asked = open_route(served, "Look up who Freddie of the series is", make_web_tools())
    rules = asked["messages"][0]["content"]
    assert '"internet_lookup" does not exist; web_search does that' in rules
    worked = json.dumps({"tool": "web_search", "arguments": {"query": "Sam"}})
    assert f'"Look up who Sam of the series is" -> {worked}' in rules
    call = send_reply(served, asked, calls(("web_search", {"query": "Freddie"})))
    send_result(served, call, error="no answer in 30 s", error_type="Timeout")
    value = served.client.get("/v1/route/statistics").json()
    assert [(item["name"], item["count"]) for item in value["invented"]] == [("internet_lookup", 2)]
    assert value["calls"] == {"failed": 1, "ok": 2}
    assert [
        (failure["tool"], failure["error_type"], failure["message"])
        for failure in value["failures"]
    ] == [("web_search", "Timeout", "no answer in 30 s")]
    assert [
        (fallback["drafted"], fallback["tool"], fallback["count"])
        for fallback in value["fallbacks"]
    ] == [("internet_lookup", "web_search", 2)]
    other = open_route(served, "Look up who Carly of the series is", [tool("draw", "Draw a line.")])
    assert "Sam" not in other["messages"][0]["content"]
