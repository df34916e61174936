"""Responses of endpoints in all common shapes, and the plans in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grounded_builder.compiler.parse import parse
from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.ir.options import Limits
from grounded_builder.llm.chat_response import read_reply
from grounded_builder.llm.drafter import DrafterError

PLAN = {"steps": [{"id": "a", "tool": "Acme Mail", "params": {"to": "x"}}]}
TEXT = json.dumps(PLAN)
CALL = {"function": {"name": "Acme Mail", "arguments": '{"to": "x"}'}}


def answer(message: Any, **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message}], **more}).encode()


@pytest.mark.parametrize(
    "message",
    [
        {"content": TEXT},
        {"content": [{"type": "text", "text": TEXT}]},
        {"content": [{"type": "thinking", "text": "hm {}"}, {"type": "output_text", "text": TEXT}]},
        {"content": [TEXT]},
        {"content": f"<think>{{no, not that}}</think>\n{TEXT}"},
        {"content": f'hm, {{"steps": []}} no\n</think>\n```json\n{TEXT}\n```'},
        {"content": f"<thinking>{TEXT.replace('Mail', 'Pigeon Post')}</thinking>{TEXT}"},
        {"content": TEXT, "reasoning_content": '{"steps": [{"tool": "wrong"}]}'},
        {"content": None, "reasoning_content": f"I answer: {TEXT}"},
        {"content": "", "tool_calls": [{"function": {"name": "plan", "arguments": TEXT}}]},
        {"content": None, "tool_calls": [{"function": {"name": "plan", "arguments": PLAN}}]},
        {"content": None, "tool_calls": [{"id": "1", "type": "function", **CALL}]},
        {"content": None, "function_call": CALL["function"]},
        {"content": "Here is the plan.", "tool_calls": [{"function": CALL["function"]}]},
        {"content": "I call it.", "function_call": {"name": "plan", "arguments": TEXT}},
        {"content": TEXT, "tool_calls": [{"function": {"name": "find_tool", "arguments": "{}"}}]},
    ],
)
def test_the_plan_is_found(message: Any) -> None:
    """Text, parts, calls of tools, and after reasoning: it is always the same plan."""
    value, _ = parse(read_reply(answer(message)).text, Limits())
    plan, _ = read_plan(value)
    assert plan is not None
    assert [(step.tool, step.params) for step in plan.steps] == [("Acme Mail", {"to": "x"})]


@pytest.mark.parametrize("key", ["need", "ask", "cannot", "workflow", "nodes", "changes"])
def test_reply_in_arguments_of_a_call_is_found(key: str) -> None:
    """Whatever a reply may be, a call with it as arguments is that reply."""
    call = {"function": {"name": "reply", "arguments": {key: ["x"]}}}
    assert json.loads(read_reply(answer({"tool_calls": [call]})).text) == {key: ["x"]}


@pytest.mark.parametrize(
    "message",
    [{"content": []}, {"content": 7}, {"content": None, "tool_calls": [7]}, {"reasoning": "hm"}],
)
def test_empty_reply_is_no_reply(message: Any) -> None:
    """An answer without words or calls is empty, whatever shape it has."""
    with pytest.raises(DrafterError) as caught:
        read_reply(answer(message))
    assert caught.value.kind == "empty"


def test_tokens_are_counted_where_they_are() -> None:
    """Token counts of an endpoint are read, and invalid ones ignored."""
    usage = {"prompt_tokens": 7, "completion_tokens": "many"}
    reply = read_reply(answer({"content": "a"}, usage=usage))
    assert (reply.prompt_tokens, reply.tokens) == (7, 0)


def test_a_tag_in_a_value_is_no_reasoning() -> None:
    """A document that is whole is read as it is."""
    value, notes = parse(json.dumps({"text": "</think> {"}), Limits())
    assert value == {"text": "</think> {"}
    assert notes == ()
