"""Messages to a drafter of edits after a reply, and the outcome of the rounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.edit.editor import EDITOR
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.drafting.edits.apply import Revision, apply_edits
from grounded_builder.drafting.edits.edit_rounds import start_edit, submit_changes
from grounded_builder.drafting.token_estimate import tokens_of
from grounded_builder.ir.editor import EditContext
from grounded_builder.ir.options import CompileOptions

BASE = "n8n-nodes-base."
REQUEST = "After Get, post the title to the Slack channel #news, and keep the row in Airtable"


@pytest.fixture(scope="module")
def ground(installed_registry: Registry) -> EditContext:
    """The tools of a real n8n."""
    return EditContext(N8N, installed_registry, CompileOptions(purpose="import", seed="s"))


def _node(name: str, kind: str, version: float, **parameters: Any) -> dict[str, Any]:
    facts = {"id": name, "typeVersion": version, "position": [0, 0], "parameters": parameters}
    return {"name": name, "type": BASE + kind} | facts


DOCUMENT = {
    "name": "News",
    "nodes": [
        _node("Start", "manualTrigger", 1),
        _node("Get", "httpRequest", 4.2, url="https://example.org"),
    ],
    "connections": {"Start": {"main": [[{"node": "Get", "type": "main", "index": 0}]]}},
}
POST = {"resource": "message", "operation": "post", "select": "channel", "channelId": "#news"}


def _add(tool: str, **params: Any) -> dict[str, Any]:
    return {"add": {"id": "new", "tool": tool, "params": params}, "after": "Get"}


def _start(ground: EditContext, **limits: Any) -> Conversation:
    bounds = ConversationLimits(**limits)
    return start_edit(REQUEST, DOCUMENT, EDITOR, ground, bounds, now=0.0)


def _reply(
    conversation: Conversation, ground: EditContext, *changes: dict[str, Any]
) -> tuple[Conversation, Outcome | None, Revision | None]:
    def revise(draft: Any) -> Revision:
        return apply_edits(DOCUMENT, draft, EDITOR, ground)

    text = json.dumps({"changes": list(changes)})
    return submit_changes(conversation, text, DOCUMENT, revise, ground, now=0.0)


def _tools(conversation: Conversation) -> list[str]:
    lines = conversation.messages[0].content.split("\n")
    return [line[2:].split(" ", 1)[0] for line in lines if line.startswith("- ")]


def test_a_repair_describes_the_tools_of_the_changes_alone(ground: EditContext) -> None:
    """The others stand there by id; the rules, the document and the request are repeated."""
    first = _start(ground)
    conversation, outcome, _ = _reply(first, ground, _add(f"{BASE}slack", **POST))
    assert outcome is None
    assert _tools(conversation) == [f"{BASE}slack"]
    assert len(_tools(first)) > 5
    assert all(tool in conversation.messages[0].content for tool in first.shown)
    assert conversation.messages[1] == first.messages[1]
    assert (
        conversation.messages[0].content.split("\n")[:6]
        == first.messages[0].content.split("\n")[:6]
    )
    whole = tokens_of(message.content for message in first.messages)
    assert tokens_of(message.content for message in conversation.messages) < whole * 2 // 3


def test_a_repair_of_settings_describes_the_tool_of_the_node(ground: EditContext) -> None:
    change = {"set": "Get", "params": {"method": "GTE"}}
    conversation, outcome, _ = _reply(_start(ground), ground, change)
    assert outcome is None
    assert _tools(conversation) == [f"{BASE}httpRequest"]


def test_an_unknown_tool_leaves_the_list_as_it_is(ground: EditContext) -> None:
    """The drafter has to choose again."""
    first = _start(ground)
    conversation, outcome, _ = _reply(first, ground, _add("acme.unknown"))
    assert outcome is None
    assert conversation.messages[0] == first.messages[0]
    conversation, outcome, _ = _reply(conversation, ground, {"add": 7})
    assert outcome is None
    assert conversation.messages[0] == first.messages[0]


def test_a_third_round_knows_the_tools_of_the_second(ground: EditContext) -> None:
    """Ids that the first prompt showed stay in the list."""
    first = _start(ground)
    conversation, _, _ = _reply(first, ground, _add(f"{BASE}slack", **POST))
    conversation, outcome, _ = _reply(conversation, ground, _add(f"{BASE}airtable", tea="green"))
    assert outcome is None
    assert _tools(conversation) == [f"{BASE}airtable"]
    assert all(tool in conversation.messages[0].content for tool in first.shown)


def test_changes_that_compile_are_not_replaced_by_wrong_ones(ground: EditContext) -> None:
    """The first reply lacks a text; the second one names no tool, and the rounds end."""
    conversation, outcome, _ = _reply(
        _start(ground, rounds=2), ground, _add(f"{BASE}slack", **POST)
    )
    assert outcome is None
    conversation, outcome, revision = _reply(conversation, ground, _add("acme.unknown"))
    assert outcome is not None
    assert revision is not None
    assert outcome.outcome == "incomplete"
    assert [node["type"] for node in revision.document["nodes"]][-1] == f"{BASE}slack"


def test_a_refusal_after_changes_that_compile_keeps_them(ground: EditContext) -> None:
    def revise(draft: Any) -> Revision:
        return apply_edits(DOCUMENT, draft, EDITOR, ground)

    conversation, _, _ = _reply(_start(ground), ground, _add(f"{BASE}slack", **POST))
    refusal = json.dumps({"cannot": "no text is known"})
    _, outcome, revision = submit_changes(conversation, refusal, DOCUMENT, revise, ground, now=0.0)
    assert outcome is not None
    assert revision is not None
    assert outcome.outcome == "incomplete"


def test_a_value_without_effect_is_sent_back_once(ground: EditContext) -> None:
    change = {"set": "Get", "params": {"sendBody": False, "jsonBody": "{}"}}
    conversation, outcome, _ = _reply(_start(ground), ground, change)
    assert outcome is None
    assert "jsonBody" in conversation.messages[-1].content
    _, outcome, revision = _reply(conversation, ground, change)
    assert outcome is not None
    assert revision is not None
    assert revision.document is not None
