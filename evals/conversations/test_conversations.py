"""Tests the requests, the rubric, and conversations with an endpoint and with recorded replies."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evals.conversations.__main__ import REQUESTS, format_result, format_table
from evals.conversations.judge import Request, judge
from evals.conversations.replay import (
    Replies,
    ReplyMissingError,
    converse,
    read_replies,
    read_requests,
)
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation, compile_with_fixes
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.llm.endpoint import ChatEndpoint, Place
from tests.support.openai_server import OpenAIServer
from tests.support.registries import registry_from

REPLIES = Path(__file__).with_name("replies.jsonl")
SEALED_REPLIES = Path(__file__).with_name("sealed_replies.jsonl")
_BASE = "n8n-nodes-base."
_REQUEST = Request(
    "T1",
    "When a webhook is called, post its text to the Slack channel #ops.",
    paths=[["webhook", "slack"]],
    has={"slack": ["#ops", "operation=post"]},
)


@pytest.fixture(scope="module")
def registry(catalog_file: Path) -> Registry:
    """Returns the catalog of the installed n8n."""
    return registry_from(catalog_file.read_bytes())


@pytest.fixture
def endpoint(openai: OpenAIServer) -> Iterator[ChatEndpoint]:
    """Yields an endpoint on loopback."""
    made = ChatEndpoint(Place(openai.url, "scripted"))
    yield made
    made.close()


def _make_plan(**slack: Any) -> dict[str, Any]:
    return {
        "goal": "Post what is received",
        "steps": [
            {"id": "in", "tool": f"{_BASE}webhook", "params": {"path": "in"}},
            {
                "id": "post",
                "tool": f"{_BASE}slack",
                "params": {"text": "={{ $json.body }}"} | slack,
            },
        ],
    }


def _compile_draft(draft: Any, registry: Registry) -> Compilation:
    return compile_with_fixes(draft, N8N, registry, CompileOptions(purpose="import", seed="s"))


def test_the_set_has_sixty_different_requests_half_of_them_sealed() -> None:
    """Each of the sixty requests states what its workflow must have."""
    requests = list(read_requests(REQUESTS))
    assert Counter(request.is_sealed for request in requests) == {True: 30, False: 30}
    assert len({request.text for request in requests}) == len({r.id for r in requests}) == 60
    assert all(request.paths for request in requests)


def test_the_set_names_only_installed_types(registry: Registry) -> None:
    """Every required type is installed in this n8n."""
    packages = {"": _BASE, "lc": "@n8n/n8n-nodes-langchain."}
    for request in read_requests(REQUESTS):
        kinds = [kind for path in request.paths for kind in path] + list(request.has or ())
        for kind in (name for kinds_ in kinds for name in kinds_.split("|")):
            package, _, name = kind.rpartition(":")
            assert packages[package] + name in registry.tools, request.id


def test_a_result_is_judged_by_paths_and_texts(registry: Registry) -> None:
    """A result is right with all paths and texts, usable without a text, wrong without a path."""
    channel = {"resource": "message", "operation": "post", "select": "channel"}
    right = _compile_draft(_make_plan(**channel, channelId="#ops"), registry)
    assert judge(_REQUEST, right, ()).judgement == "right"
    other = _compile_draft(_make_plan(**channel, channelId="#else"), registry)
    score = judge(_REQUEST, other, ())
    assert (score.judgement, score.lacks) == ("usable", ("slack: #ops",))
    alone = _compile_draft({"goal": "g", "steps": _make_plan()["steps"][:1]}, registry)
    assert judge(_REQUEST, alone, ()).judgement == "wrong"
    assert judge(_REQUEST, None, ()).judgement == "wrong"


def test_missing_part_is_silent_unless_named(registry: Registry) -> None:
    """A to-do with the name of the node reports what it lacks."""
    channel = {"resource": "message", "operation": "post", "select": "channel"}
    compilation = _compile_draft(_make_plan(**channel, channelId="#else"), registry)
    quiet = replace(compilation, diagnostics=())
    assert not judge(_REQUEST, quiet, ()).is_reported
    name = next(n["name"] for n in (quiet.artifact or {})["nodes"] if n["type"].endswith("slack"))
    assert judge(_REQUEST, quiet, (f'choose the channel of "{name}"',)).is_reported


def test_replies_of_an_endpoint_are_recorded_and_replayed(
    registry: Registry, openai: OpenAIServer, endpoint: ChatEndpoint, tmp_path: Path
) -> None:
    """The replay gives the same score; a reply to another prompt is stale."""
    channel = {"resource": "message", "operation": "post", "select": "channel"}
    openai.says(json.dumps(_make_plan(**channel, channelId="#ops")))
    record = tmp_path / "replies.jsonl"
    asked = converse(_REQUEST, registry, drafter=endpoint, record=record)
    replayed = converse(_REQUEST, registry, Replies(read_replies(record)))
    assert (asked.score.judgement, asked.rounds) == ("right", 1)
    assert (replayed.score, replayed.rounds, replayed.stale) == (asked.score, 1, ())
    changed = replace(_REQUEST, text=f"{_REQUEST.text} At once.")
    stale = converse(changed, registry, Replies(read_replies(record)))
    assert stale.stale == (1,)
    assert "stale rounds 1" in format_result(stale)
    assert any("1 of 1 replies are stale" in line for line in format_table([stale]))


def test_a_round_without_a_reply_is_named(registry: Registry) -> None:
    """A conversation that needs another round than recorded has no result."""
    with pytest.raises(ReplyMissingError, match="T1: no reply to round 1 was collected"):
        converse(_REQUEST, registry, Replies(()))


def test_collected_conversations_are_read_in_both_forms(tmp_path: Path) -> None:
    """A line has one reply, or all replies to a request, whose prompts are unknown."""
    path = tmp_path / "replies.jsonl"
    path.write_text(json.dumps({"id": "T1", "replies": [{"steps": []}, "no"]}) + "\n")
    assert [(item.round, item.prompt, item.reply) for item in read_replies(path)] == [
        (1, "", '{"steps": []}'),
        (2, "", "no"),
    ]


def test_the_recorded_replies_still_make_right_workflows(registry: Registry) -> None:
    """Recorded drafts that were right stay right, even if the prompt has changed since."""
    replies = Replies(read_replies(REPLIES))
    answered = {item.request for item in read_replies(REPLIES)}
    requests = [request for request in read_requests(REQUESTS) if request.id in answered]
    results = [converse(request, registry, replies) for request in requests]
    assert {result.score.judgement for result in results} == {"right"}


def test_the_replies_to_sealed_requests_end_without_a_silent_fault(registry: Registry) -> None:
    """No workflow is wrong, and whatever one lacks is reported."""
    collected = read_replies(SEALED_REPLIES)
    replies = Replies(collected)
    requests = [request for request in read_requests(REQUESTS) if request.is_sealed]
    assert {request.id for request in requests} == {item.request for item in collected}
    scores = [converse(request, registry, replies).score for request in requests]
    assert {score.judgement for score in scores} <= {"right", "usable"}
    assert all(score.is_reported for score in scores)
