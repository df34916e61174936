"""Whole generations over real HTTP, drafted by an endpoint that states what a test scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.api.conftest import Serve, Served
from tests.api.conversation_client import INVENTED, REQUEST, RIGHT, drafted_by

pytestmark = pytest.mark.sqlite_suffices


def test_generate_is_one_call(shared_server: Served) -> None:
    """Without a model, generate answers with the result of the planner and echoes the id."""
    body = {"request": REQUEST, "id": {"row": 1}}
    done = shared_server.client.post("/v1/n8n/generate", json=body).json()
    assert done["id"] == {"row": 1}
    assert done["outcome"] in ("built", "incomplete")
    run = shared_server.client.get(f"/v1/runs/{done['session']}").json()
    assert run["drafter"] == "planner"


@pytest.fixture
def scripted_server(serve: Serve, httpserver: Any) -> Callable[..., Served]:
    """A sidecar with a model behind an OpenAI-compatible endpoint that states what is scripted."""

    def start(*contents: str) -> Served:
        for content in contents:
            answer = {"choices": [{"message": {"role": "assistant", "content": content}}]}
            httpserver.expect_ordered_request("/v1/chat/completions").respond_with_json(answer)
        served = serve(**drafted_by(httpserver.url_for("/v1"), "hush"))
        served.load()
        return served

    return start


def test_generate_by_an_endpoint(scripted_server: Callable[..., Served], httpserver: Any) -> None:
    """The configured model is asked again with its faults; the key stays out of the record."""
    served = scripted_server(json.dumps(INVENTED), json.dumps(RIGHT))
    done = served.client.post("/v1/n8n/generate", json={"request": REQUEST}).json()
    assert (done["outcome"], done["reason"], done["rounds"]) == ("incomplete", "repaired", 2)
    second = httpserver.log[1][0].get_json()
    assert "acme-nodes.carrierPigeon" in second["messages"][-1]["content"]
    assert httpserver.log[0][0].headers["Authorization"] == "Bearer hush"
    run = served.client.get(f"/v1/runs/{done['session']}")
    assert run.json()["drafter"].startswith("m at http://")
    assert "hush" not in run.text


def test_generate_without_an_answering_endpoint(serve: Serve) -> None:
    """A model that cannot be reached leaves it to the planner, and is named in the summary."""
    served = serve(**drafted_by("http://127.0.0.1:9"))
    served.load()
    done = served.client.post("/v1/n8n/generate", json={"request": REQUEST}).json()
    assert done["outcome"] in ("built", "incomplete")
    assert "no connection to the model endpoint" in done["summary"]


def test_a_part_of_a_model_s_draft_comes_before_the_planner(
    scripted_server: Callable[..., Served],
) -> None:
    """The part that compiles of the model's drafts is preferred to the planner's draft."""
    bad = {"id": "fly", "tool": "acme-nodes.carrierPigeon", "params": {}, "inputs": ["mail"]}
    partly = json.dumps({"steps": [*RIGHT["steps"], bad]})
    served = scripted_server(partly, partly)
    done = served.client.post("/v1/n8n/generate", json={"request": REQUEST}).json()
    assert (done["outcome"], done["reason"]) == ("incomplete", "stalled")
    assert done["left_out"] == ['step "fly" (acme-nodes.carrierPigeon)']
    assert "without a model" not in done["summary"]
