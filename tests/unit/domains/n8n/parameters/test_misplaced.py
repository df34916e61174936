"""Expressions and settings of nodes where n8n takes none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.parameters.parameter_cases import choice, codes, declare, findings

SEVERAL = {"multipleValues": True}


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (
            declare("x", "fixedCollection", {}, options=[{"name": "g", "values": []}]),
            "={{ $json }}",
        ),
        (
            declare("x", "fixedCollection", {}, options=[{"name": "g", "values": [declare("a")]}])
            | {"typeOptions": SEVERAL},
            {"g": "={{ $json.rows }}"},
        ),
        (declare("x", "collection", {}, options=[declare("a")]), "={{ $json }}"),
        (choice("x", ["a", "b"], noDataExpression=True), "={{ $json.x }}"),
        (declare("x", "boolean", False, noDataExpression=True), "={{ true }}"),
        (declare("x", "number", 1, noDataExpression=True), "={{ 1 }}"),
        (
            declare("x", noDataExpression=True, typeOptions={"editor": "jsEditor"}),
            "={{ $json.code }}",
        ),
    ],
)
def test_an_expression_where_n8n_takes_none_is_wrong(declaration: Any, value: Any) -> None:
    """n8n drops an expression for a collection, and reads one for a fixed value as a text."""
    assert codes(findings([declaration], {"x": value})) == ["GB327"]


@pytest.mark.parametrize(
    ("declaration", "value"),
    [
        (choice("x", ["a", "b"]), "={{ $json.x }}"),
        (choice("x", ["a", "b"], noDataExpression=True), "=a"),
        (choice("x", ["a", "b"], noDataExpression=True), "={{ $fromAI('x') }}"),
        (declare("x", "string", noDataExpression=True), "=SELECT {{ $json.x }}"),
        (declare("x", "collection", {}, options=[], typeOptions=SEVERAL), "={{ $json }}"),
        (declare("x", "filter", {}), "={{ $json }}"),
        (declare("x", "assignmentCollection", {}), "={{ $json }}"),
    ],
)
def test_an_expression_that_n8n_evaluates_is_fine(declaration: Any, value: Any) -> None:
    """An expression may become anything; a fixed text is often evaluated by the node itself."""
    assert not findings([declaration], {"x": value})


def test_a_member_of_the_list_without_its_prefix() -> None:
    """n8n takes the = off a fixed value: what remains is looked at."""
    diagnostics = findings([choice("x", ["a", "b"], noDataExpression=True)], {"x": "=c"})
    assert codes(diagnostics) == ["GB305"]


@pytest.mark.parametrize(
    ("key", "value"),
    [("retryOnFail", True), ("onError", "stop"), ("notes", "x"), ("credentials", {})],
)
def test_a_setting_among_the_parameters_is_moved(key: str, value: Any) -> None:
    """n8n drops it there; on the node it works."""
    diagnostics = findings([declare("x")], {key: value})
    assert codes(diagnostics) == ["N8N340"]
    fix = diagnostics[0].fix
    assert fix is not None
    assert fix.safe
    assert [(edit.op, edit.at) for edit in fix.edits] == [
        ("set", ("nodes", 0, key)),
        ("remove", ("nodes", 0, "parameters", key)),
    ]


def test_a_setting_that_the_node_has_is_not_overwritten() -> None:
    """Two values that differ are for a person to choose from."""
    differing = findings([declare("x")], {"retryOnFail": True}, retryOnFail=False)
    assert differing[0].fix is not None
    assert not differing[0].fix.safe
    equal = findings([declare("x")], {"retryOnFail": True}, retryOnFail=True)
    assert equal[0].fix is not None
    assert equal[0].fix.safe


def test_a_parameter_of_that_name_is_none_of_the_node() -> None:
    """A tool may call a parameter as it likes, and a value of another type is no setting."""
    assert not findings([declare("notes")], {"notes": "x"})
    assert codes(findings([declare("x")], {"retryOnFail": "often"})) == ["GB303"]
