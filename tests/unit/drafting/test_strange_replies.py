"""Replies that are no draft: calls of tools that nobody offered, and replies without end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import Compilation
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.drafting.conversation import Conversation, ConversationLimits, Outcome
from grounded_builder.drafting.conversation_rounds import start_conversation, take_reply
from grounded_builder.drafting.drafter_questions import NO_CALLS
from grounded_builder.drafting.evaluate import CompileContext
from grounded_builder.ir.options import CompileOptions
from tests.support import catalogs
from tests.support.registries import acme_registry
from tests.support.time_bounds import limit_cpu_time

PLAN: dict[str, Any] = {
    "goal": "greet",
    "steps": [{"id": "start", "tool": catalogs.HOOK, "params": {"path": "greet"}}],
}


def _reply(*replies: str) -> tuple[Conversation, Outcome | None, Compilation | None]:
    """The step after the last of these replies."""
    registry = acme_registry()
    context = CompileContext(N8N, registry, CompileOptions(purpose="import"), tuple)
    conversation = start_conversation("greet", N8N, registry, ConversationLimits(), now=0.0)
    step: tuple[Conversation, Outcome | None, Compilation | None] = (conversation, None, None)
    for reply in replies:
        step = take_reply(step[0], reply, context, now=0.0)
    return step


def _call(name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "1", "type": "function", "function": function}]}


SEARCH = {"query": "mail"}
CALLS = [
    json.dumps(_call("search_nodes", SEARCH)),
    json.dumps({"role": "assistant", "content": None, **_call("search_nodes", SEARCH)}),
    json.dumps({"type": "tool_use", "id": "1", "name": "search_nodes", "input": SEARCH}),
    json.dumps([{"type": "text"}, {"type": "tool_use", "name": "search_nodes", "input": SEARCH}]),
    json.dumps({"function_call": {"name": "search_nodes", "arguments": "{}"}}),
    '<tool_call>{"name": "search_nodes", "arguments": {"query": "mail"}}</tool_call>',
    '<function_calls><invoke name="search_nodes"><parameter name="q">x</parameter></invoke>',
    "<function=search_nodes><parameter=q>mail</parameter></function>",
]


@pytest.mark.parametrize("reply", CALLS)
def test_a_call_that_nobody_offered_is_named(reply: str) -> None:
    """The drafter learns how to ask; a second call ends with the name of what it called."""
    conversation, outcome, _ = _reply(reply)
    assert outcome is None
    assert conversation.messages[-1].content == NO_CALLS
    _, outcome, _ = _reply(reply, reply)
    assert outcome is not None
    assert 'called "search_nodes"' in outcome.summary


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(_call("create_workflow", PLAN)),
        json.dumps([{"type": "tool_use", "name": "create_workflow", "input": PLAN}]),
        json.dumps(_call(catalogs.HOOK, {"path": "greet"})),
    ],
)
def test_the_draft_in_a_call_is_compiled(reply: str) -> None:
    """Arguments with steps are a draft, and so are calls of tools of the catalog."""
    _, outcome, _ = _reply(reply)
    assert outcome is not None
    assert outcome.outcome != "refused"


def test_two_different_drafts_in_calls_are_asked_about() -> None:
    """Neither is chosen in silence; the same draft twice is that draft."""
    other = {**PLAN, "steps": [{"id": "mail", "tool": catalogs.MAIL, "params": {}}]}
    calls = [_call("create_workflow", plan)["tool_calls"][0] for plan in (PLAN, other)]
    conversation, outcome, _ = _reply(json.dumps({"tool_calls": calls}))
    assert outcome is None
    assert "several-documents" in conversation.messages[-1].content
    _, outcome, _ = _reply(json.dumps({"tool_calls": [calls[0], calls[0]]}))
    assert outcome is not None
    assert outcome.outcome != "refused"


@pytest.mark.parametrize("draft", [PLAN, {"workflow": catalogs.workflow()}, catalogs.workflow()])
def test_a_question_in_a_draft_does_not_replace_it(draft: dict[str, Any]) -> None:
    """A reply with a draft and a question to the person is that draft."""
    _, outcome, _ = _reply(json.dumps({**draft, "ask": "which one?"}))
    assert outcome is not None
    assert outcome.outcome != "refused"


def test_a_reply_without_end_is_too_large() -> None:
    """It is not compiled in part, whatever it contains, and costs little."""
    endless = json.dumps({**PLAN, "steps": PLAN["steps"] * 30_000})
    with limit_cpu_time(2):
        _, _, compilation = _reply(endless)
    assert compilation is not None
    assert [d.code for d in compilation.diagnostics] == ["GB104"]
