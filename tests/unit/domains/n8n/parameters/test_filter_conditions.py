"""Filters and assignments with which n8n fails, or which are false in every run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.domains.n8n.parameters.parameter_cases import Line, codes, declare, findings

NUMBER = {"type": "number", "operation": "gt"}
STRICT = {"typeValidation": "strict", "version": 2}
LOOSE = {"typeValidation": "loose", "version": 2}


def _check_condition(
    condition: Any, options: Line | None = None, combinator: Any = "and"
) -> list[Any]:
    value = {"conditions": [condition], "combinator": combinator, "options": options or STRICT}
    return findings([declare("x", "filter", {})], {"x": value})


def _condition(operator: Any, left: Any = "={{ 1 }}", right: Any = "={{ 2 }}") -> Line:
    return {"leftValue": left, "rightValue": right, "operator": operator}


@pytest.mark.parametrize(
    ("operator", "code", "place"),
    [
        ({"type": "number", "operation": "larger"}, "GB305", ("operator", "operation")),
        ({"type": "text", "operation": "equals"}, "GB305", ("operator", "type")),
        ({"type": "string", "operation": "gt"}, "GB305", ("operator", "operation")),
        ({"type": "string"}, "GB304", ("operator",)),
        ("equals", "GB304", ("operator",)),
        ({"operation": "equals"}, "GB304", ("operator",)),
    ],
)
def test_an_operator_that_n8n_does_not_know(operator: Any, code: str, place: Any) -> None:
    """It throws at one without a type and answers no to one that it does not know."""
    results = _check_condition(_condition(operator))
    assert codes(results) == [code]
    assert results[0].at[3:] == ("x", "conditions", 0, *place)


@pytest.mark.parametrize("kind", ["string", "number", "dateTime", "boolean", "array", "object"])
@pytest.mark.parametrize("operation", ["exists", "notExists", "empty", "notEmpty"])
def test_every_type_has_presence_operations(kind: str, operation: str) -> None:
    """The operations on presence exist for every type."""
    operator = {"type": kind, "operation": operation, "singleValue": True}
    assert not _check_condition(_condition(operator))


def test_a_strict_comparison_converts_nothing() -> None:
    """A number as text throws in every run, and passes where conversion is allowed."""
    results = _check_condition(_condition(NUMBER, right="100"))
    assert codes(results) == ["GB304"]
    assert results[0].fix is not None
    assert results[0].fix.edits[0].value == 100
    assert not _check_condition(_condition(NUMBER, right="100"), LOOSE)
    assert codes(_check_condition(_condition(NUMBER, right="many"), LOOSE)) == ["GB304"]
    text = {"type": "string", "operation": "equals"}
    assert codes(_check_condition(_condition(text, right=5))) == ["GB304"]
    assert not _check_condition(_condition(text, right=5), LOOSE)


def test_a_side_that_is_not_compared_is_not_looked_at() -> None:
    """An operator with one operand has no right side; an empty one is for a person to fill in."""
    single = {"type": "number", "operation": "exists", "singleValue": True}
    assert not _check_condition(_condition(single, right="x"))
    assert not _check_condition(_condition(NUMBER, right=""))
    listed = {"type": "array", "operation": "lengthGt", "rightType": "number"}
    assert not _check_condition(_condition(listed, right=3))


def test_conditions_are_objects_joined_by_and_or_or() -> None:
    """Another word joins nothing: n8n answers no."""
    assert codes(_check_condition("text")) == ["GB304"]
    assert codes(_check_condition(_condition(NUMBER), combinator="AND")) == ["GB305"]
    assert codes(_check_condition(_condition(NUMBER), combinator=["and"])) == ["GB304"]
    assert not _check_condition(_condition(NUMBER), combinator="or")


def test_every_fault_of_filter_is_reported() -> None:
    """Every condition and every assignment is reported."""
    conditions = [_condition(NUMBER, right="x"), _condition(NUMBER), _condition("equals")]
    value = {"conditions": conditions, "combinator": "and"}
    diagnostics = findings([declare("x", "filter", {})], {"x": value})
    assert [d.at[5] for d in diagnostics] == [0, 2]
    entries = [{"name": "a", "value": 1}, {"name": "b", "type": "strange", "value": 1}]
    diagnostics = findings(
        [declare("x", "assignmentCollection", {})], {"x": {"assignments": entries}}
    )
    assert codes(diagnostics) == ["GB304", "GB305"]


def test_an_assignment_has_a_type() -> None:
    """n8n breaks at a value without a type; what is plainly of a type is corrected."""
    assigned = declare("x", "assignmentCollection", {})
    diagnostics = findings([assigned], {"x": {"assignments": [{"name": "a", "value": 5}]}})
    assert codes(diagnostics) == ["GB304"]
    assert diagnostics[0].fix is not None
    assert diagnostics[0].fix.edits[0].value == {"name": "a", "value": 5, "type": "number"}
    diagnostics = findings([assigned], {"x": {"assignments": [{"name": "a", "value": "={{ 1 }}"}]}})
    assert diagnostics[0].fix is None
    assert not findings([assigned], {"x": {"assignments": [{"name": "a", "value": None}]}})


@pytest.mark.parametrize(
    ("entry", "mended"),
    [
        (
            {"id": "1", "key": "a", "val": "b", "type": "string"},
            {"id": "1", "type": "string", "name": "a", "value": "b"},
        ),
        ({"field": "a", "value": 5}, {"name": "a", "type": "number", "value": 5}),
        ({"field": "a", "key": "b", "value": 5}, None),
        ({"value": "b", "type": "string"}, None),
    ],
)
def test_an_assignment_has_a_name(entry: dict[str, Any], mended: dict[str, Any] | None) -> None:
    """n8n calls a field without one "undefined"; what plainly names it is corrected."""
    diagnostics = findings(
        [declare("x", "assignmentCollection", {})], {"x": {"assignments": [entry]}}
    )
    assert codes(diagnostics) == ["GB304"]
    assert (diagnostics[0].fix.edits[0].value if diagnostics[0].fix else None) == mended
    empty = [{"id": "1", "type": "string"}, {"name": "", "type": "string", "value": ""}]
    assert not findings([declare("x", "assignmentCollection", {})], {"x": {"assignments": empty}})


def test_an_assigned_value_converts_unless_that_is_ignored() -> None:
    """A literal that is not of its type fails in every run."""
    options = declare(
        "options", "collection", {}, options=[declare("ignoreConversionErrors", "boolean")]
    )
    declared = [declare("x", "assignmentCollection", {}), options]
    value = {"assignments": [{"name": "a", "type": "number", "value": "many"}]}
    diagnostics = findings(declared, {"x": value})
    assert codes(diagnostics) == ["GB304"]
    assert diagnostics[0].at[3:] == ("x", "assignments", 0, "value")
    assert not findings(declared, {"x": value, "options": {"ignoreConversionErrors": True}})
    fine = {"assignments": [{"name": "a", "type": "number", "value": "12"}]}
    assert not findings(declared, {"x": fine})


def test_an_empty_value_may_say_so() -> None:
    """The type that n8n's own templates write for nothing is none of the listed ones, and works."""
    empty = {"assignments": [{"name": "a", "type": "null", "value": None}]}
    assert not findings([declare("x", "assignmentCollection", {})], {"x": empty})


@pytest.mark.parametrize(
    ("operator", "right", "kind", "instead"),
    [
        ({"type": "array", "operation": "contains"}, "bug", "any", "bug"),
        ({"type": "array", "operation": "notContains"}, 7, "any", 7),
        ({"type": "array", "operation": "contains"}, ["bug"], "any", "bug"),
        ({"type": "array", "operation": "contains"}, "={{ $json.tag }}", "any", "={{ $json.tag }}"),
        ({"type": "array", "operation": "contains", "rightType": "array"}, "bug", "any", "bug"),
        ({"type": "array", "operation": "lengthGt"}, 2, "number", 2),
        ({"type": "array", "operation": "lengthEquals"}, "={{ 2 }}", "number", "={{ 2 }}"),
    ],
)
@pytest.mark.parametrize("options", [STRICT, LOOSE])
def test_the_right_side_of_a_list_gets_its_own_type(
    operator: Line, right: Any, kind: str, instead: Any, options: Line
) -> None:
    """Without the type n8n converts the element or length on the right side to an array."""
    left = "={{ $json.labels }}"
    results = _check_condition(_condition(operator, left, right), options)
    assert codes(results) == ["GB304"]
    assert results[0].fix is not None
    mended = results[0].fix.edits[0].value
    assert mended == _condition({**operator, "rightType": kind}, left, instead)
    assert not _check_condition(mended, options)


def test_no_list_contains_several_elements_at_once() -> None:
    """n8n compares by identity: it answers no for every list and object."""
    for kind in ("any", "array", None):
        operator = {"type": "array", "operation": "contains", "rightType": kind}
        results = _check_condition(_condition(operator, "={{ $json.labels }}", ["bug", "urgent"]))
        assert codes(results) == ["GB304"]
        assert results[0].fix is None


def test_an_operand_whose_type_is_stated_stays() -> None:
    """An author may look for texts alone."""
    for kind in ("any", "string"):
        operator = {"type": "array", "operation": "contains", "rightType": kind}
        assert not _check_condition(_condition(operator, "={{ $json.labels }}", "bug"))
