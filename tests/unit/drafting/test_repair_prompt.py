"""The prompt for repairing a draft: rules, tools, request and findings."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from typing import Any

import pytest

from grounded_builder.catalog.name_index import NameIndex
from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import new_diagnostic
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.rules import RULES
from grounded_builder.drafting.after_trial import after_trial
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.drafting.conversation_rounds import (
    start_conversation,
    take_answer,
    take_reply,
)
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.few_shot import Example
from grounded_builder.drafting.first_prompt import PromptContext
from grounded_builder.drafting.token_estimate import tokens_of
from grounded_builder.ir.options import CompileOptions

BASE = "n8n-nodes-base."
REQUEST = (
    "When a form is submitted, ask Notion and Airtable for the person and post the answer to the "
    "Slack channel #support"
)
_CONTEXT = PromptContext(
    rest={"region": "north"},
    examples=(Example("run1", "an earlier request", '{"steps": [{"id": "a"}]}'),),
    may_ask=True,
)


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _bench(registry: Registry, **settings: Any) -> CompileContext:
    options = CompileOptions(purpose="import", seed="s")
    return CompileContext(N8N, registry, options, tuple, **settings)


def _draft(*more: dict[str, Any]) -> str:
    post = {"resource": "message", "operation": "post", "text": "hi", "tea": "green"}
    steps = [
        {"id": "form", "tool": f"{BASE}formTrigger", "params": {"formTitle": "Who"}},
        {"id": "post", "tool": f"{BASE}slack", "params": post},
        *more,
    ]
    return json.dumps({"goal": "g", "steps": steps})


def _start(registry: Registry) -> Conversation:
    return start_conversation(REQUEST, N8N, registry, ConversationLimits(), _CONTEXT, now=0.0)


def _repair(
    conversation: Conversation, reply: str, registry: Registry, **settings: Any
) -> Conversation:
    """The conversation after a reply that needs another round."""
    conversation, outcome, _ = take_reply(
        conversation, reply, _bench(registry, **settings), now=0.0
    )
    assert outcome is None
    return conversation


UNKNOWN = {"id": "x", "tool": "acme.unknown", "params": {}}


def _list_tools(conversation: Conversation) -> list[str]:
    lines = conversation.messages[0].content.split("\n")
    return [line[2:].split(" ", 1)[0] for line in lines if line.startswith("- ")]


def test_a_repair_has_the_tools_of_the_draft_and_those_that_the_request_names(
    registry: Registry,
) -> None:
    """Other tools of the first prompt are not described again."""
    first = _start(registry)
    conversation = _repair(first, _draft(UNKNOWN), registry)
    assert _list_tools(conversation)[:2] == [f"{BASE}formTrigger", f"{BASE}slack"]
    assert set(_list_tools(conversation)) == {
        *(f"{BASE}{name}" for name in ("formTrigger", "slack", "notion", "airtable"))
    }
    assert f"{BASE}merge" in conversation.messages[0].content
    assert tokens_of(m.content for m in conversation.messages) < 0.85 * tokens_of(
        m.content for m in first.messages
    )


def test_a_used_operation_has_its_parameters(registry: Registry) -> None:
    """It comes first, and the others of its tool are named."""
    conversation = _repair(_start(registry), _draft(UNKNOWN), registry)
    lines = conversation.messages[0].content.split("\n")
    at = next(at for at, line in enumerate(lines) if line.startswith(f"- {BASE}slack"))
    assert lines[at + 1].startswith("    message/post: ")
    assert lines[at + 2].startswith("    also ")


def test_a_repair_begins_with_the_rules_of_the_first_prompt(registry: Registry) -> None:
    """A provider that caches the beginning of prompts can reuse it."""
    first = _start(registry)
    conversation = _repair(first, _draft(UNKNOWN), registry)
    rules = first.messages[0].content.partition("\nTOOLS")[0]
    assert len(rules) > 1_000
    assert conversation.messages[0].content.startswith(rules)


def test_a_repair_has_the_whole_order_and_the_draft(registry: Registry) -> None:
    """A drafter without memory can answer: request, constraints, draft and findings are there."""
    conversation = _repair(_start(registry), _draft(UNKNOWN), registry)
    roles = [message.role for message in conversation.messages]
    assert roles == ["system", "user", "assistant", "user"]
    order = conversation.messages[1].content
    assert REQUEST in order
    assert "north" in order
    assert "EXAMPLES" not in order
    assert conversation.messages[2].content == _draft(UNKNOWN)
    assert "acme.unknown" in conversation.messages[3].content
    assert '{"need"' in conversation.messages[0].content


def test_the_answer_of_a_person_stays(registry: Registry) -> None:
    """The question and its answer are sent with every repair."""
    ask = json.dumps({"ask": {"question": "Which base?", "choices": ["A", "B"]}})
    asked = _repair(_start(registry), ask, registry)
    answered = take_answer(asked, "The base of the sales team", now=0.0)
    for _ in range(2):
        conversation = _repair(answered, _draft(UNKNOWN), registry)
        texts = [message.content for message in conversation.messages]
        assert ask in texts
        assert any("The base of the sales team" in text for text in texts)
        answered = replace(conversation, last=())


def test_the_answers_of_the_registry_are_not_repeated(registry: Registry) -> None:
    """A tool that was asked for is described where the draft uses it."""
    need = json.dumps({"need": [{"tool": f"{BASE}ftp"}]})
    asked = _repair(_start(registry), need, registry)
    ftp = {"id": "up", "tool": f"{BASE}ftp", "params": {"operation": "upload"}}
    conversation = _repair(asked, _draft(ftp, UNKNOWN), registry)
    assert need not in [message.content for message in conversation.messages]
    assert f"{BASE}ftp" in _list_tools(conversation)
    assert f"{BASE}ftp" not in _list_tools(_repair(asked, _draft(UNKNOWN), registry))


def test_a_question_in_a_repair_keeps_the_draft(registry: Registry) -> None:
    """The draft and its findings stay until the next draft comes, and go then."""
    conversation = _repair(_start(registry), _draft(UNKNOWN), registry)
    need = json.dumps({"need": [{"tool": f"{BASE}ftp"}]})
    asked = _repair(conversation, need, registry)
    assert _draft(UNKNOWN) in [message.content for message in asked.messages]
    again = _repair(asked, _draft({**UNKNOWN, "tool": "acme.other"}), registry)
    assert len(again.messages) == 4


@pytest.mark.parametrize("reply", ["I am afraid that I cannot read this.", '{"steps": []}'])
def test_a_reply_without_tools_leaves_the_whole_list(reply: str, registry: Registry) -> None:
    """There is no draft to repair."""
    first = _start(registry)
    conversation = _repair(first, reply, registry)
    assert conversation.messages[:2] == first.messages


def test_the_tools_of_a_native_draft_are_listed(registry: Registry) -> None:
    """Its nodes name them."""
    node = {"parameters": {}, "typeVersion": 1, "position": [0, 0]}
    nodes = [
        {**node, "name": "Start", "type": f"{BASE}manualTrigger"},
        {**node, "name": "Wait", "type": f"{BASE}wait"},
        {**node, "name": "Else", "type": f"{BASE}unheardOf"},
    ]
    reply = json.dumps({"nodes": nodes, "connections": {}})
    conversation = _repair(_start(registry), reply, registry, offers_native=True)
    assert {f"{BASE}manualTrigger", f"{BASE}wait"} <= set(_list_tools(conversation))
    assert "connections" in conversation.messages[0].content


def test_a_failed_trial_is_repaired_in_the_same_way(registry: Registry) -> None:
    """The failure comes with the tools of the draft."""
    first = _start(registry)
    reply = _draft()
    _, _, compilation = take_reply(first, reply, _bench(registry), now=0.0)
    outcome = Outcome("built", None, "s", compilation, 1, None, ())
    rule = next(rule for rule in RULES if rule.error_type == "ExecutionError")
    failure = new_diagnostic(rule, (), "it failed", node="Post")
    conversation, ended = after_trial(first, reply, outcome, (failure,), _bench(registry), now=0.0)
    assert ended is None
    assert _list_tools(conversation)[:2] == [f"{BASE}formTrigger", f"{BASE}slack"]
    assert "it failed" in conversation.messages[-1].content


def test_an_answer_leaves_only_the_names_of_tools_that_nothing_means(registry: Registry) -> None:
    """The list keeps all tools, and the operations of those that the request names."""
    first = _start(registry)
    need = json.dumps({"need": [{"tool": f"{BASE}ftp"}]})
    asked = _repair(first, need, registry)
    assert _list_tools(asked) == _list_tools(first)
    content = asked.messages[0].content
    assert "    message/post: " in content
    assert "jsCode" in first.messages[0].content
    assert "jsCode" not in content
    assert content.startswith(first.messages[0].content.partition("\nTOOLS")[0])
    assert content.endswith(first.messages[0].content.partition("END OF TOOLS")[2])
    assert tokens_of([content]) < 0.85 * tokens_of([first.messages[0].content])


def test_a_tool_that_leaves_the_catalog_is_no_longer_shown(registry: Registry) -> None:
    """A conversation goes on when another catalog without a shown tool becomes active."""
    conversation = _start(registry)
    assert f"{BASE}slack" in conversation.shown
    rest = {name: row for name, row in registry.tools.items() if name != f"{BASE}slack"}
    smaller = copy(registry)
    smaller.tools, smaller.names = rest, NameIndex(rest.values())
    conversation = _repair(conversation, _draft(), smaller)
    assert f"{BASE}slack" not in conversation.shown
    assert "The draft does not compile" in conversation.messages[-1].content
