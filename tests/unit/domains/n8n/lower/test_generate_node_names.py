"""The names of built nodes."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from tests.unit.domains.n8n.drafts import MAIN, registry, tool

POSTER = tool(
    "acme-nodes.poster",
    parameters=[
        {
            "name": "resource",
            "type": "options",
            "default": "message",
            "options": [{"name": "Message", "value": "message"}],
        },
        {
            "name": "operation",
            "type": "options",
            "default": "post",
            "options": [{"name": "Send", "value": "post"}, {"name": "Read", "value": "getAll"}],
        },
    ],
    operations=[
        {"params": {"resource": "message", "operation": "post"}, "name": "Send a message"},
        {"params": {"resource": "message", "operation": "getAll"}, "name": "Get many messages"},
    ],
) | {"name": "Poster"}
BRANCH = tool("acme-nodes.if", outputs=[*MAIN, *MAIN], traits={"default_name": "If"})
DESK = tool("acme-nodes.desk", inputs=[*MAIN, {"kind": "ai_tool"}]) | {"name": "Desk"}
HELPER = tool("acme-nodes.helper", inputs=[], outputs=[{"kind": "ai_tool"}]) | {"name": "Helper"}
FORM = tool("acme-nodes.formTrigger", inputs=[], traits={"default_name": "On form submission"})
KNOWN = registry(POSTER, BRANCH | {"name": "If"}, FORM)


def _names(*steps: dict[str, Any], goal: str = "A goal") -> list[str]:
    """The names of the nodes of steps that follow each other."""
    chain = [{"inputs": [steps[i - 1]["id"]] if i else []} | step for i, step in enumerate(steps)]
    plan = {"version": 1, "goal": goal, "steps": chain}
    built = compile_draft(plan, N8N, KNOWN, CompileOptions())
    assert built.artifact is not None, built.diagnostics
    return [node["name"] for node in built.artifact["nodes"][: len(steps)]]


def _step(identity: str, tool_id: str, action: str = "", **more: Any) -> dict[str, Any]:
    step = {"id": identity, "tool": f"acme-nodes.{tool_id}"} | more
    return step | ({"action": action} if action else {})


@pytest.mark.parametrize("action", ["message/post", "post", "message:post", "post message"])
def test_an_operation_has_the_title_that_n8n_shows(action: str) -> None:
    assert _names(_step("s1", "poster", action)) == ["Send a message"]


@pytest.mark.parametrize(
    ("identity", "name"),
    [
        ("check_stock", "Check stock"),
        ("isPaid", "Is Paid"),
        ("if_2", "If"),
        ("step_3", "If"),
        ("s1", "If"),
        ("node", "If"),
    ],
)
def test_a_descriptive_id_names_a_step(identity: str, name: str) -> None:
    assert _names(_step(identity, "if")) == [name]


def test_equal_names_give_way_to_ids_before_they_are_numbered() -> None:
    steps = [_step(identity, "if") for identity in ("if", "paid", "if_3", "if_4")]
    assert _names(*steps) == ["If", "Paid", "If 2", "If 3"]


def test_a_description_is_the_name() -> None:
    assert _names(_step("s1", "poster", "tell the team")) == ["Tell the team"]


@pytest.mark.parametrize(
    ("action", "name"),
    [("get_stock", "get_stock"), ("reserve", "reserve"), ("look it up", "Look it up")],
)
def test_a_tool_of_a_model_has_the_identifier_by_which_models_call_it(
    action: str, name: str
) -> None:
    desk = _step("desk", "desk", "Answer the guests", inputs=[])
    helper = _step("stock", "helper", action, **{"for": "desk"})
    plan = {"version": 1, "goal": "Serve", "steps": [desk, helper]}
    built = compile_draft(plan, N8N, registry(DESK, HELPER), CompileOptions())
    assert built.artifact is not None, built.diagnostics
    assert [node["name"] for node in built.artifact["nodes"][:2]] == ["Answer the guests", name]


@pytest.mark.parametrize(
    ("identity", "prompt", "name"),
    [
        ("StockOf", "Use StockOf for every question", "StockOf"),
        ("StockOf", "Answer from the stock", "Look it up"),
        ("stock", "Answer from the stock", "Look it up"),
        ("stock", "Use the stock tool for every question", "stock"),
        ("stock", "Answer from `stock`", "stock"),
    ],
)
def test_a_tool_that_the_instructions_of_a_model_name_keeps_its_id(
    identity: str, prompt: str, name: str
) -> None:
    """The model would not find the tool under another name."""
    desk = _step("desk", "desk", "Answer the guests", inputs=[], params={"note": prompt})
    helper = _step(identity, "helper", "look it up", **{"for": "desk"})
    plan = {"version": 1, "goal": "Serve", "steps": [desk, helper]}
    built = compile_draft(plan, N8N, registry(DESK, HELPER), CompileOptions())
    assert built.artifact is not None, built.diagnostics
    assert name in [node["name"] for node in built.artifact["nodes"]]


def test_a_node_without_a_description_has_the_default_name_of_n8n() -> None:
    assert _names(_step("s1", "formTrigger")) == ["On form submission"]


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (
            "Send the weekly summary of every open invoice to the accounts team",
            "Send the weekly summary",
        ),
        ("Post the new orders, then wait until the accounts team answers", "Post the new orders"),
        ("Check whether the total of the order is more than 500", "Send a message"),
        (
            "Unbrokenlongdescriptionwithoutanyspace and a very long rest of words here",
            "Send a message",
        ),
    ],
)
def test_a_sentence_is_shortened_or_left(action: str, name: str) -> None:
    step = _step("s1", "poster", action, params={"operation": "post"})
    assert _names(step) == [name]


def test_a_sentence_of_several_steps_names_none_of_them() -> None:
    sentence = "read the form and post it"
    steps = [_step("s1", "formTrigger", sentence), _step("s2", "poster", sentence)]
    assert not [name for name in _names(*steps) if "read" in name.casefold()]


def test_node_names_are_short_and_unique() -> None:
    long = "verylongword " * 30
    steps = [_step(f"x{number}", "poster", f"{long}{number}") for number in range(5)]
    steps += [_step("goal", "if", "Goal setting"), _step("y", "if", "the Goal")]
    names = _names(*steps)
    assert len({name.casefold() for name in names}) == len(names)
    assert "goal" not in {name.casefold() for name in names}
    assert max(map(len, names)) <= 44


def _notes(*steps: dict[str, Any]) -> list[Any]:
    plan = {"version": 1, "goal": "A goal", "steps": [*steps]}
    built = compile_draft(plan, N8N, KNOWN, CompileOptions())
    assert built.artifact is not None, built.diagnostics
    return [node.get("notes") for node in built.artifact["nodes"][: len(steps)]]


def test_a_description_that_the_name_cuts_is_in_the_notes() -> None:
    long = "Send the list of invoices that are overdue by a month, except those of partners"
    assert _notes(_step("a", "poster", long)) == [long]
    assert _notes(_step("a", "poster", long, remarks="Ask Ann")) == [f"{long}\nAsk Ann"]
    assert _notes(_step("a", "poster", "Tell the team")) == [None]


def test_a_description_that_several_steps_share_is_in_their_notes() -> None:
    steps = [_step(name, "poster", "Tell both teams") for name in ("north", "south")]
    assert _notes(*steps) == ["Tell both teams"] * 2


@pytest.mark.parametrize("action", ["", "Poster", "acme-nodes.poster", "message: post", "post"])
def test_a_tool_or_an_operation_as_description_needs_no_notes(action: str) -> None:
    assert _notes(_step("a", "poster", action)) == [None]


@pytest.mark.parametrize(
    ("action", "name"),
    [
        (
            "Count cross-team issues by severity for the weekly report",
            "Count cross-team issues by severity",
        ),
        ("Post the weekly on-call rota to the team channel", "Post the weekly on-call rota"),
        ("Fetch v2.1 docs and notes for the release and the team", "Fetch v2.1 docs and notes"),
        (
            "Read opt-in list of all customers and partners in the shop",
            "Read opt-in list of all customers",
        ),
        ("Send follow-up e-mails to everybody who has not answered yet", "Send follow-up e-mails"),
        (
            "Compare and/or join the lists of both teams in one table",
            "Compare and/or join the lists",
        ),
        ("Notify the team - only on weekdays, never at night, please", "Notify the team"),
    ],
)
def test_compound_is_not_cut(action: str, name: str) -> None:
    """A name does not end within words that a hyphen, a dot or a slash joins."""
    assert _names(_step("s1", "poster", action)) == [name]
