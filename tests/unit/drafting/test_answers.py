"""Answers of the registry to questions about a tool or a purpose."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import Conversation, ConversationLimits
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.drafter_questions import Question, answer_questions, questions_in
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.drafting.token_estimate import tokens_in
from grounded_builder.drafting.tool_retrieval import usual_operations
from grounded_builder.ir.options import CompileOptions

BASE = "n8n-nodes-base."
LARGE = ("microsoftTeams", "hubspot", "slack", "github", "microsoftOutlook", "googleDrive")


@pytest.fixture(scope="module")
def registry(installed_registry: Registry) -> Registry:
    return installed_registry


def _answer(question: Question, registry: Registry, request: str = "") -> str:
    return answer_questions([question], N8N, registry, (), request).text


@pytest.mark.parametrize("name", LARGE)
def test_all_operations_of_a_large_tool_are_named_in_bounded_space(
    name: str, registry: Registry
) -> None:
    """The first have their parameters; none is left out."""
    text = _answer(Question(tool=BASE + name), registry)
    shown, _, others = text.partition("    also ")
    described = [line for line in shown.split("\n") if line.startswith("    ")]
    assert sum(not line.startswith("    each has ") for line in described) == 8
    assert "..." not in others
    for params in usual_operations(BASE + name, registry):
        resource, operation = params["resource"], params["operation"]
        assert f"{resource}/{operation}: " in shown or operation in others
    assert tokens_in(text) < 900


@pytest.mark.parametrize(
    ("name", "request_text", "operation"),
    [
        ("microsoftTeams", "post it to the Microsoft Teams channel", "channelMessage/create"),
        ("microsoftOutlook", "then send a mail with Microsoft Outlook", "message/send"),
        ("slack", "", "message/post"),
        ("github", "close the issue in GitHub", "issue/edit"),
    ],
)
def test_the_operations_that_a_request_means_come_first(
    name: str, request_text: str, operation: str, registry: Registry
) -> None:
    """The order is not that of the alphabet."""
    text = _answer(Question(tool=BASE + name), registry, request_text)
    lines = [line.strip().split(":", 1)[0] for line in text.split("\n")]
    assert operation in lines[3:6]


@pytest.mark.parametrize(
    "writing", ["contact/upsert", "contact upsert", "upsert", "Contact: Upsert"]
)
def test_one_operation_is_shown_whole(writing: str, registry: Registry) -> None:
    """A list that was cut before is complete, and so are the options."""
    text = _answer(Question(tool=f"{BASE}hubspot", operation=writing), registry)
    assert "contact/upsert: email*" in text
    assert "numberOfEmployees" in text
    assert "..." not in text.split("whole:")[1]
    assert "resolveData" in text


def test_an_operation_of_several_sources_is_shown_for_each(registry: Registry) -> None:
    """Ghost lists posts by two of its interfaces; the operation is not said to be absent."""
    text = _answer(Question(tool=f"{BASE}ghost", operation="getAll"), registry)
    assert "no operation" not in text
    assert text.count("operation=getAll: ") == 2


def test_an_operation_that_a_tool_lacks_is_named(registry: Registry) -> None:
    """The operations that there are follow."""
    text = _answer(Question(tool=f"{BASE}gmail", operation="teleport"), registry)
    assert 'it has no operation "teleport"' in text
    assert "message/send: " in text


def test_a_tool_without_operations_is_shown_whole(registry: Registry) -> None:
    """Its options are listed."""
    text = _answer(Question(tool=f"{BASE}httpRequest"), registry)
    assert "options:{batching:{" in text


def test_tools_for_purpose_list_their_operation(registry: Registry) -> None:
    """The operation for the purpose comes first, with its parameters."""
    text = _answer(Question(find="send a message to a Microsoft Teams channel"), registry)
    lines = text.split("\n")
    at = next(at for at, line in enumerate(lines) if line == f"- {BASE}microsoftTeams")
    assert any(
        line.strip().startswith("channelMessage/create: ") for line in lines[at + 1 : at + 3]
    )
    assert tokens_in(text) < 600


def test_an_operation_is_asked_for_in_words_and_by_a_call() -> None:
    """Both forms have a place for it."""
    wanted = (Question(tool="a", operation="b"),)
    assert questions_in({"need": [{"tool": "a", "operation": "b"}]}) == wanted
    arguments = json.dumps({"tool": "a", "operation": "b"})
    call = {"function": {"name": "show_tool", "arguments": arguments}}
    assert questions_in({"tool_calls": [call]}) == wanted
    assert questions_in({"need": [{"tool": "a", "operation": 7}]}) == (Question(tool="a"),)


_REQUEST = "Post each new Gmail message to a Slack channel and add a row to a Google Sheet."


def _ask(need: list[dict[str, str]], registry: Registry) -> tuple[Conversation, Conversation]:
    context = CompileContext(N8N, registry, CompileOptions(purpose="import", seed="s"), tuple)
    first = start_conversation(_REQUEST, N8N, registry, ConversationLimits(), now=0.0)
    asked, outcome, _ = take_reply(first, json.dumps({"need": need}), context, now=0.0)
    assert outcome is None
    return first, asked


def _count_tokens(conversation: Conversation) -> int:
    return sum(tokens_in(message.content) for message in conversation.messages)


def test_tool_that_prompt_describes_is_answered_with_its_id(registry: Registry) -> None:
    """The list keeps its parameters, and the answer has one line."""
    for need in ({"tool": f"{BASE}slack"}, {"find": "post a message to Slack"}):
        first, asked = _ask([need], registry)
        answer = asked.messages[-1].content
        assert f"listed above with parameters: {BASE}slack" in answer
        assert "message/post: " not in answer
        assert "    message/post: " in asked.messages[0].content
        assert tokens_in(answer) < 120
        assert _count_tokens(asked) < _count_tokens(first)


def test_prompt_after_a_question_is_no_longer_than_the_first(registry: Registry) -> None:
    """What was listed in detail and not asked for is named, and no operation is lost."""
    first, asked = _ask([{"find": "format a date"}, {"find": "wait for a time"}], registry)
    assert _count_tokens(asked) <= _count_tokens(first)
    before, after = (item.messages[0].content for item in (first, asked))
    for name in re.findall(r"^    (\w+/\w+): ", before, re.MULTILINE):
        assert name in after
    for name in re.findall(r"^- (\S+)", before, re.MULTILINE):
        assert f"\n- {name}" in after


def test_tools_of_several_questions_are_described_once(registry: Registry) -> None:
    """Two questions that have the same answer do not repeat it."""
    questions = [Question(find="format a date"), Question(find="format dates")]
    text = answer_questions(questions, N8N, registry, ()).text
    assert text.count(f"- {BASE}dateTime") == 1


def test_missing_sub_node_is_named_with_usual_tools(registry: Registry) -> None:
    """The feedback on an agent without a model names nodes that are models."""
    context = CompileContext(N8N, registry, CompileOptions(purpose="import", seed="s"), tuple)
    text = "When a chat message arrives, an agent answers."
    first = start_conversation(text, N8N, registry, ConversationLimits(), now=0.0)
    chain = "@n8n/n8n-nodes-langchain."
    steps: list[dict[str, Any]] = [
        {"id": name, "tool": chain + name, "params": {}} for name in ("chatTrigger", "agent")
    ]
    draft = json.dumps({"goal": "answer", "steps": steps})
    asked, outcome, _ = take_reply(first, draft, context, now=0.0)
    assert outcome is None
    feedback = asked.messages[-1].content
    assert f"use one of: {chain}lmChat" in feedback
    assert f"{chain}lmChatOpenAi" in asked.shown
