"""The operation of a step is chosen by its content, and is never destructive by itself."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import Compilation
from tests.support.tool_implementations import choice
from tests.unit.domains.n8n.drafts import START, compile_workflow, registry, text, tool

STEP = "acme-nodes.shelf"


def _show_for(resource: str, *operations: str) -> dict[str, Any]:
    return {"displayOptions": {"show": {"resource": [resource], "operation": list(operations)}}}


def _operation(resource: str, value: str, name: str) -> dict[str, Any]:
    return {"params": {"resource": resource, "operation": value}, "name": name}


SHELF = tool(
    STEP,
    parameters=[
        choice("resource", ["book", "shelf"]),
        choice("operation", ["lend", "get", "discard"], {"show": {"resource": ["book"]}}),
        choice("operation", ["move", "paint"], {"show": {"resource": ["shelf"]}}),
        text("bookId", **_show_for("book", "lend", "get", "discard")),
        text("reason", **_show_for("book", "discard")),
        text("room", **_show_for("shelf", "move", "paint")),
        choice("form", ["short", "long"], _show_for("book", "lend")["displayOptions"]),
        text(
            "letter",
            displayOptions={
                "show": {"resource": ["book"], "operation": ["lend"], "form": ["long"]}
            },
        ),
    ],
    operations=[
        _operation("book", "lend", "Lend a book"),
        _operation("book", "get", "Get a book"),
        _operation("book", "discard", "Discard a book"),
        _operation("shelf", "move", "Move a shelf"),
        _operation("shelf", "paint", "Paint a shelf"),
    ],
)
REGISTRY = registry(SHELF)


def _compile(*, known: Registry = REGISTRY, tool: str = STEP, **step: Any) -> Compilation:
    steps = [{"id": "go", "tool": START}, {"tool": tool, **step}]
    return compile_workflow({"goal": "Test", "steps": steps}, known=known)


def _params(**step: Any) -> dict[str, Any]:
    plan = _compile(**step).plan
    assert plan is not None
    return dict(plan.nodes[1]["params"])


def _codes(**step: Any) -> set[str]:
    return {finding.code for finding in _compile(**step).diagnostics}


@pytest.mark.parametrize(
    "step",
    [
        {"action": "shelf/move"},
        {"action": "move"},
        {"action": "Move the shelf"},
        {"operation": "shelf.move"},
        {"operation": "move", "resource": "Shelf"},
        {"params": {"operation": "moveShelf"}},
        {"params": {"action": "move-shelf"}},
        {"params": {"Operation": "MOVE"}},
    ],
)
def test_an_operation_is_read_wherever_it_is_written(step: dict[str, Any]) -> None:
    assert _params(**step) == {"resource": "shelf", "operation": "move"}
    assert not _codes(**step) & {"GB110", "GB305", "GB308", "GB341", "GB342"}


@pytest.mark.parametrize(
    "step",
    [
        {"operation": ["move"], "resource": "shelf"},
        {"params": {"operation": ["move"], "resource": ["shelf"]}},
        {"params": {"resource": "shelf", "operation": ["Move the shelf"]}},
        {"operation": ["move", "shelf/move"], "resource": "shelf"},
    ],
)
def test_a_list_that_names_one_operation_is_that_operation(step: dict[str, Any]) -> None:
    assert _params(**step) == {"resource": "shelf", "operation": "move"}
    assert not _codes(**step) & {"GB301", "GB304", "GB305", "GB341"}


def test_a_list_that_names_several_operations_is_a_question() -> None:
    compilation = _compile(resource="shelf", operation=["move", "paint"])
    (finding,) = [d for d in compilation.diagnostics if d.code == "GB341"]
    assert finding.alternatives == ("shelf/move", "shelf/paint")
    assert finding.token == "move, paint"


def test_the_default_stays_where_it_takes_every_parameter() -> None:
    assert _params(params={"bookId": "7"}) == {"bookId": "7"}
    assert not _codes(params={"bookId": "7"}) & {"GB341", "GB342"}


def test_parameters_of_several_operations_leave_it_open() -> None:
    (finding,) = [d for d in _compile(params={"room": "2"}).diagnostics if d.code == "GB341"]
    assert finding.alternatives == ("shelf/move", "shelf/paint")
    assert finding.at == ("steps", 1)


def test_the_id_of_a_step_decides_between_equal_operations() -> None:
    assert _params(id="paint_shelf", params={"room": "2"})["operation"] == "paint"
    assert "GB342" in _codes(id="paint_shelf", params={"room": "2"})


def test_destructive_operation_is_not_chosen_without_verb() -> None:
    step = {"params": {"bookId": "7", "reason": "old"}}
    assert "operation" not in _params(**step)
    assert "GB341" in _codes(**step)
    assert _params(action="Discard the book", **step)["operation"] == "discard"


def test_a_hidden_parameter_adds_the_setting_that_shows_it() -> None:
    assert _params(params={"letter": "Dear reader"}) == {"form": "long", "letter": "Dear reader"}
    assert "GB343" in _codes(params={"letter": "Dear reader"})
    stated = {"letter": "Dear reader", "form": "short"}
    assert _params(params=stated) == stated


def test_an_action_that_contradicts_the_parameters_is_noted() -> None:
    step = {"action": "Get a book", "params": {"operation": "lend"}}
    assert _params(**step) == {"operation": "lend"}
    assert "GB342" in _codes(**step)


def test_an_unknown_operation_is_an_error_at_its_place() -> None:
    findings = _compile(operation="frobnicate").diagnostics
    assert [d.at for d in findings if d.rule.kind == "wrong"] == [("steps", 1, "operation")]


def test_a_group_of_values_never_goes_into_a_single_one() -> None:
    assert "letter" not in _params(params={"letter": {"body": "Dear reader"}})
    assert "GB308" in _codes(params={"letter": {"body": "Dear reader"}})


_POST = "acme-nodes.pigeon"
PIGEON = tool(
    _POST,
    parameters=[
        choice("resource", ["crate", "letter", "note"]),
        choice("operation", ["create", "get"], {"show": {"resource": ["crate"]}}),
        choice(
            "operation",
            ["sendAndWait", "get", "create"],
            {"show": {"resource": ["letter", "note"]}},
        ),
        text("content", **_show_for("letter", "create", "sendAndWait")),
        text("content", **_show_for("note", "create", "sendAndWait")),
        text("loftId", **_show_for("note", "create")),
    ],
    operations=[
        _operation("crate", "create", "Create a crate"),
        _operation("crate", "get", "Get a crate"),
        _operation("letter", "sendAndWait", "Send message and wait for response"),
        _operation("letter", "get", "Get a letter message"),
        _operation("letter", "create", "Create a letter message"),
        _operation("note", "create", "Create a note message"),
    ],
)
PIGEONS = registry(PIGEON)


def _send(**step: Any) -> tuple[dict[str, Any], set[str]]:
    steps = [{"id": "go", "tool": START}, {"tool": _POST, **step}]
    result = compile_workflow({"goal": "Test", "steps": steps}, known=PIGEONS)
    assert result.plan is not None
    return dict(result.plan.nodes[1]["params"]), {d.code for d in result.diagnostics}


@pytest.mark.parametrize(
    ("action", "params", "resource"),
    [
        ("send", {"content": "hi", "loftId": "north"}, "note"),
        ("Send a letter message", {"content": "hi"}, "letter"),
        ("sendLetter", {}, "letter"),
        ("post note message", {"content": "hi"}, "note"),
    ],
)
def test_send_means_create_message_without_other_operation(
    action: str, params: dict[str, Any], resource: str
) -> None:
    """Sending never waits for an answer unless a step states it."""
    given, codes = _send(action=action, params=params)
    assert (given["resource"], given["operation"]) == (resource, "create")
    assert "GB341" not in codes


@pytest.mark.parametrize("action", ["send", "sendMessage", "Post the message", "deliver"])
def test_several_messages_that_can_be_sent_are_an_open_question(action: str) -> None:
    """If several operations create a message, the operation stays open."""
    given, codes = _send(action=action, params={"content": "hi"})
    assert "GB341" in codes
    assert "operation" not in given


@pytest.mark.parametrize(
    "step",
    [
        {"action": "sendAndWait"},
        {"action": "send message and wait"},
        {"action": "send a message and wait for the response"},
        {"operation": "sendAndWait"},
    ],
)
def test_an_operation_that_waits_is_chosen_where_a_step_states_it(step: dict[str, Any]) -> None:
    """The words of waiting are those of its name."""
    given, _ = _send(**step, params={"content": "hi"})
    assert given["operation"] == "sendAndWait"


_SCRIBE = "acme-nodes.scribe"
SCRIBE = tool(
    _SCRIBE,
    parameters=[
        choice("resource", ["prose", "picture", "voice"]),
        choice("operation", ["respond"], {"show": {"resource": ["prose"]}}),
        choice("operation", ["paint", "retouch"], {"show": {"resource": ["picture"]}}),
        choice("operation", ["speak"], {"show": {"resource": ["voice"]}}),
        choice("engine", ["alto", "bass"], _show_for("voice", "speak")["displayOptions"]),
        text("engineId", displayName="Engine", **_show_for("prose", "respond")),
        text("prompt", **_show_for("picture", "paint", "retouch")),
    ],
    operations=[
        _operation("prose", "respond", "Message an engine"),
        _operation("picture", "paint", "Paint a picture"),
        _operation("picture", "retouch", "Retouch a picture"),
        _operation("voice", "speak", "Speak a text"),
    ],
)
SCRIBES = registry(SCRIBE)


def _write(**step: Any) -> Compilation:
    return _compile(known=SCRIBES, tool=_SCRIBE, **step)


@pytest.mark.parametrize("action", ["complete", "chat", "reason about it"])
def test_an_unread_action_leaves_several_fitting_operations_open(action: str) -> None:
    """The default of n8n is only a candidate, because the action may come from another product."""
    result = _write(action=action, params={"prompt": "hi"})
    unclear = [finding for finding in result.diagnostics if finding.code == "GB341"]
    assert len(unclear) == 1
    assert {"prose/respond", "picture/paint"} <= set(unclear[0].alternatives)


def test_an_unread_action_leaves_open_what_two_parameters_of_one_label_mean() -> None:
    """The name alone is no reason against what n8n runs by itself."""
    result = _write(action="chat", params={"engine": "bass"})
    unclear = [finding for finding in result.diagnostics if finding.code == "GB341"]
    assert [finding.alternatives for finding in unclear] == [("prose/respond", "voice/speak")]


def test_a_text_outside_a_closed_list_belongs_to_no_operation_with_that_list() -> None:
    """The same label elsewhere may take it."""
    result = _write(params={"engine": "tenor-4"})
    assert result.plan is not None
    assert result.plan.nodes[1]["params"].get("resource") != "voice"
    result = _write(params={"engine": "bass"})
    assert result.plan is not None
    assert result.plan.nodes[1]["params"]["resource"] == "voice"
