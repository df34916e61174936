"""Replies of models are read whatever their shape; garbage is reported, never raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.ir.options import Limits
from grounded_builder.routing.reply import read_reply

CALL = {"tool": "find", "arguments": {"q": "x"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tool", "tool_call", "tool_calls", "arguments", "name", "function", "content",
                 "id", "depends_on", "choices", "message", "plan", "steps", "x"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "steps"),
    [
        ([CALL, CALL], ["call_1", "call_2"]),
        ({"tool_calls": [{**CALL, "id": "a"}, {**CALL, "id": 7}]}, ["a", "7"]),
        ({"plan": {"steps": [CALL]}}, ["call_1"]),
        ({"plan": [{"id": "step_1", "action": "find", "inputs": {"q": "x"}}]}, ["step_1"]),
        ({"calls": [CALL]}, ["call_1"]),
        ({"function_call": {"name": "find", "arguments": '{"q": "x"}'}}, ["call_1"]),
        (f"First {json.dumps(CALL)} and then {json.dumps(CALL)}.", ["call_1", "call_2"]),
        ("```json\n" + json.dumps({"tool_call": CALL}) + "\n```", ["call_1"]),
        ("{'tool_call': {'tool': 'find', 'arguments': {'q': 'x'}}}", ["call_1"]),
    ],
)
def test_calls_are_read_in_order(reply: Any, steps: list[str]) -> None:
    """Every shape of calls gives the same steps, in the order in which they were written."""
    read = read_reply(reply, Limits())
    assert [step["id"] for step in read.steps] == steps
    assert all((step["tool"], step["params"]) == ("find", {"q": "x"}) for step in read.steps)


def test_json_in_prose_that_is_no_call_is_prose() -> None:
    """A quoted value is part of the text."""
    text = 'The setting is {"debug": true}, as you asked.'
    read = read_reply(text, Limits())
    assert read.steps == ()
    assert read.fault or read.text == text


def test_more_calls_than_anybody_plans_are_refused() -> None:
    """A flood of calls is reported, not cut."""
    read = read_reply([CALL] * 201, Limits())
    assert read.steps == ()
    assert "201 calls" in read.fault


@given(JSON)
def test_any_json_is_read_without_a_fault_of_ours(value: Any) -> None:
    """Every reply is text, calls, or reported as neither."""
    for item in (value, json.dumps(value)):
        read = read_reply(item, Limits())
        assert read.text or read.steps or read.fault
        for step in read.steps:
            assert isinstance(step["id"], str)


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_fault_of_ours(text: str) -> None:
    """Prose, half of a JSON, nothing at all: an answer or a fault that can be told."""
    read = read_reply(text, Limits())
    assert read.text or read.steps or read.fault
