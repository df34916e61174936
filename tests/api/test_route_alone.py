"""Routing with the configured model, and the drafting loop, over a list of tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.settings import ModelSetting
from tests.api.conftest import Serve, Served
from tests.api.route_client import post
from tests.support.openai_server import OpenAIServer
from tests.support.tool_lists import make_desk_tools, make_web_tools

pytestmark = pytest.mark.sqlite_suffices

GIBBY = "Who is Gibby from iCarly?"
MUSIC = "Organize music files into a folder called music_stuff"
RIGHT = {
    "id": "step_1",
    "tool": "organize_files",
    "inputs": {"category": "music files", "target_folder": "music_stuff"},
}


def test_the_configured_model_is_asked_until_a_call_is_to_be_made(
    serve: Serve, openai: OpenAIServer
) -> None:
    """The caller sees calls only: what is blocked goes back to the model by itself."""
    served = _serve_with_model(serve, openai)
    openai.says(
        json.dumps({"tool_call": {"tool": "browse", "arguments": {"q": "Gibby"}}}),
        json.dumps({"tool_call": {"tool": "web_search", "arguments": {"query": "Gibby"}}}),
        json.dumps({"natural_language_response": "A character."}),
    )
    body = {"request": GIBBY, "tools": make_web_tools(), "drafter": "auto", "answer": True}
    call = post(served, "/v1/route", body)
    assert call["call"]["tool"] == "web_search"
    assert 'no tool "browse"' in openai.text_of_request(1)
    done = _result(served, call, "he is a character")
    assert (done["outcome"], done["text"]) == ("executed", "A character.")
    assert "he is a character" in openai.text_of_request(2)
    drafts = served.client.get(f"/v1/runs/{call['route']}").json()["drafts"]
    assert [draft["drafter"].partition(" ")[0] for draft in drafts] == [
        "m",
        "m",
        "tool:web_search",
        "m",
    ]


def test_a_configured_model_that_fails_leaves_the_fallback(
    serve: Serve, openai: OpenAIServer
) -> None:
    """Without a reply the request itself is matched, and the run states the reason."""
    served = _serve_with_model(serve, openai)
    openai.says("x")
    openai.status = 400
    body = {"request": "search the web for pandas", "tools": make_web_tools(), "drafter": "auto"}
    call = post(served, "/v1/route", body)
    assert call["call"]["tool"] == "web_search"
    drafts = served.client.get(f"/v1/runs/{call['route']}").json()["drafts"]
    assert "the model is broken" in drafts[0]["failed"]


def test_the_drafting_loop_asks_again_with_the_tools_that_exist(serve: Serve) -> None:
    """A plan with an invented tool is fed back; the valid one is built, and nothing else kept."""
    served = serve()
    loaded = served.client.put("/v1/tools/catalog", content=json.dumps(make_desk_tools()))
    assert loaded.status_code == 200
    asked = post(served, "/v1/tools/sessions", {"request": MUSIC})
    assert "organize_files" in asked["messages"][0]["content"]
    path = f"/v1/sessions/{asked['session']}/drafts"
    invented = [
        {"id": "step_1", "tool": "create_folder", "inputs": {"name": "music_stuff"}},
        {"id": "step_2", "tool": "move_files", "inputs": {}, "depends_on": ["step_1"]},
    ]
    again = post(served, path, {"reply": json.dumps(invented)})
    value = again["messages"][-1]["content"]
    assert again["status"] == "draft"
    assert "create_folder" in value
    assert "move_files" in value
    assert "organize_files" in value
    done = post(served, path, {"reply": json.dumps([RIGHT])})
    assert (done["outcome"], done["rounds"]) == ("built", 2)
    assert done["artifact"] == {
        "calls": [
            {
                "id": "step_1",
                "tool": "organize_files",
                "arguments": RIGHT["inputs"],
                "depends_on": [],
            }
        ]
    }
    assert done["receipt"]["verdict"] == "ok"


def _serve_with_model(serve: Serve, openai: OpenAIServer) -> Served:
    setting = ModelSetting(openai.url, "m", None)
    return serve(models={"model": setting}, drafters=("model", "planner"))


def _result(served: Served, called: dict[str, Any], output: Any) -> dict[str, Any]:
    body = {"result": {"call": called["call"]["id"], "output": output}}
    return post(served, f"/v1/route/{called['route']}/reply", body)
