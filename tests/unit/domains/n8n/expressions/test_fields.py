"""Reads of fields of nodes whose parameters determine their output."""

from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.diagnostics import Diagnostic
from tests.unit.domains.n8n.drafts import (
    STEP,
    compile_workflow,
    node,
    registry,
    text,
    tool,
    workflow,
)

SET = "n8n-nodes-base.set"
ANY = "acme-nodes.anyTrigger"
SEND = "acme-nodes.send"
KNOWN = registry(
    tool(ANY, inputs=[], traits={"trigger": True}),
    tool(SEND, parameters=[text("text"), text("chatId", displayName="Chat ID")]),
    tool(
        SET,
        parameters=[
            {
                "name": "mode",
                "type": "options",
                "default": "manual",
                "options": [{"name": item, "value": item} for item in ("manual", "raw")],
            },
            text("jsonOutput"),
            {"name": "assignments", "type": "assignmentCollection", "default": {}},
            {"name": "includeOtherFields", "type": "boolean", "default": False},
            {"name": "options", "type": "collection", "default": {}, "options": []},
        ],
        versions=[3.4],
    ),
)


def _make_assignments(*names: str) -> dict[str, Any]:
    items = [{"id": name, "name": name, "value": "x", "type": "string"} for name in names]
    return {"assignments": {"assignments": items}}


def _absent(code: str, parameters: dict[str, Any], **more: Any) -> list[str | None]:
    nodes = [
        node("S", ANY),
        node("Set", SET, parameters, typeVersion=3.4, **more),
        node("T", STEP, {"text": "={{ " + code + " }}"}),
    ]
    draft = workflow(nodes, [("S", "Set"), ("Set", "T")])
    return [d.token for d in compile_workflow(draft, known=KNOWN).diagnostics if d.code == "N8N330"]


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("$json.name + $json.age", ["age"]),
        ("$json['age']", ["age"]),
        ("$('Set').item.json.age", ["age"]),
        ("$('Set').first().json.age", ["age"]),
        ('$node["Set"].json["age"]', ["age"]),
        ("$json.name.first + $json.place.city", []),
        ("$json.keys()", []),
        ("$json", []),
        ("'$json.age'", []),
        ("$('S').item.json.age", []),
    ],
)
def test_a_field_that_is_never_given_is_advice(code: str, absent: list[str]) -> None:
    """A Set node outputs the fields that it sets, and the inside of a field is not checked."""
    assert _absent(code, _make_assignments("name", "place.city")) == absent


@pytest.mark.parametrize(
    "parameters",
    [
        {"includeOtherFields": True},
        {"includeOtherFields": "={{ true }}"},
        _make_assignments("={{ $json.key }}"),
        _make_assignments(""),
        {"mode": "raw", "jsonOutput": "={{ $json }}"},
        {"mode": "raw", "jsonOutput": '{"age": 1}'},
    ],
)
def test_fields_that_depend_on_more_are_not_known(parameters: dict[str, Any]) -> None:
    """A node that keeps other fields, or names them by an expression, may give any."""
    assert _absent("$json.age", parameters) == []


def test_fields_of_failed_or_pinned_node_are_unknown() -> None:
    """A node that continues after a failure outputs an error, and a pinned one its pinned items."""
    assert _absent("$json.error", _make_assignments("a"), onError="continueRegularOutput") == []
    assert _absent("$json.age", {"mode": "raw", "jsonOutput": '{"name": 1}'}) == ["age"]


def test_all_sources_of_a_node_are_asked() -> None:
    """A field that one of several sources may give is not absent."""
    nodes = [
        node("S", ANY),
        node("Set", SET, _make_assignments("name"), typeVersion=3.4),
        node("T", STEP, {"text": "={{ $json.age }}"}),
    ]
    draft = workflow(nodes, [("S", "Set"), ("Set", "T"), ("S", "T")])
    assert [d for d in compile_workflow(draft, known=KNOWN).diagnostics if d.code == "N8N330"] == []


def _send(parameters: dict[str, Any]) -> list[Diagnostic]:
    """The findings of a step that receives the field "name"."""
    nodes = [
        node("S", ANY),
        node("Set", SET, _make_assignments("name"), typeVersion=3.4),
        node("T", SEND, parameters),
    ]
    draft = workflow(nodes, [("S", "Set"), ("Set", "T")])
    return list(compile_workflow(draft, known=KNOWN).diagnostics)


def test_a_bare_name_of_a_field_is_that_field() -> None:
    """Only the name in the braces is replaced; an unknown field is shown in the right form."""
    (finding,) = _send({"text": "=name: {{ name }}, {{name.first}}"})
    assert finding.fix is not None
    assert [edit.value for edit in finding.fix.edits] == [
        "=name: {{ $json.name }}, {{$json.name.first}}"
    ]
    (other,) = _send({"text": "=of {{ age }} years"})
    assert (other.fix, other.alternatives) == (None, ("$json.age",))
    (called,) = _send({"text": "=at {{ moment() }}"})
    assert called.alternatives == ()


def test_a_bare_name_that_no_data_has_is_the_users_own_value() -> None:
    """An id is left to the user where the data cannot have it, and corrected where they have it."""
    (finding,) = _send({"chatId": "={{ chat_id }}"})
    assert (finding.code, finding.only_user) == ("GB331", True)
    (other,) = _send({"chatId": "={{ name }}"})
    assert (other.code, other.fix is None) == ("N8N326", False)
