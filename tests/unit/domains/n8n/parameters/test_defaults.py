from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.parameters.defaults import fill
from tests.unit.domains.n8n.parameters.parameter_cases import (
    Line,
    choice,
    declared,
    one,
    unless,
    when,
)


def filled(parameters: list[Line], given: Any, version: float = 1) -> dict[str, Any]:
    return fill(declared(parameters, version), given)[1]


def test_defaults_are_filled_in_and_hidden_values_dropped() -> None:
    """What is shown has its value or default; what is not shown is gone."""
    parameters = [choice("mode", ["a", "b"]), one("left", displayOptions=when(mode="b"))]
    assert filled(parameters, {"left": "x"}) == {"mode": "a"}
    assert filled(parameters, {"mode": "b"}) == {"mode": "b", "left": ""}


def test_of_equal_names_the_shown_one_counts() -> None:
    """Declarations that share a name take turns by their conditions."""
    parameters = [
        choice("resource", ["user", "post"]),
        one("operation", "options", "get", displayOptions=when(resource="user")),
        one("operation", "options", "list", displayOptions=when(resource="post")),
        one("limit", "number", 5, displayOptions=when(operation="list")),
    ]
    assert filled(parameters, {}) == {"resource": "user", "operation": "get"}
    expected = {"resource": "post", "operation": "list", "limit": 5}
    assert filled(parameters, {"resource": "post"}) == expected


def test_a_condition_may_name_a_later_declaration() -> None:
    """The order of declarations does not decide what a condition sees."""
    parameters = [
        one("text", default="one", displayOptions=when(mode="a")),
        one("text", default="two", displayOptions=when(mode="b")),
        choice("mode", ["b", "a"]),
    ]
    assert filled(parameters, {}) == {"text": "two", "mode": "b"}
    assert filled(parameters, {"mode": "a"}) == {"text": "one", "mode": "a"}


def test_false_and_zero_are_values_and_null_is_a_gap() -> None:
    """Null takes the default of texts, but not of switches, numbers and lists."""
    parameters = [one("flag", "boolean", True), one("count", "number", 3), one("text", default="d")]
    assert filled(parameters, {"flag": False, "count": 0, "text": None}) == {
        "flag": False,
        "count": 0,
        "text": "d",
    }
    assert filled(parameters, {"flag": None})["flag"] is None


def test_children_of_a_collection_get_no_defaults() -> None:
    """A collection keeps what is given and known."""
    child = [one("a", default="x"), one("b", displayOptions={"show": {"/mode": ["b"]}})]
    parameters = [choice("mode", ["a", "b"]), one("extra", "collection", {}, options=child)]
    given = {"extra": {"b": "1", "unknown": 2}}
    assert filled(parameters, given)["extra"] == {}
    assert filled(parameters, {"mode": "b", **given})["extra"] == {"b": "1"}
    assert filled(parameters, {})["extra"] == {}


def test_groups_are_filled_item_by_item() -> None:
    """Items of a group get defaults, unknown groups go."""
    group = {"name": "values", "values": [one("name"), one("type", default="text")]}
    parameters = [
        one("rows", "fixedCollection", {}, options=[group], typeOptions={"multipleValues": True})
    ]
    given = {"rows": {"values": [{"name": "n"}, {}], "other": [{}]}}
    assert filled(parameters, given)["rows"] == {
        "values": [{"name": "n", "type": "text"}, {"name": "", "type": "text"}]
    }


def test_where_expressions_are_not_taken_the_sign_goes() -> None:
    """A parameter without expressions loses the `=`, but for a lone AI placeholder."""
    parameters = [one("text", noDataExpression=True)]
    assert filled(parameters, {"text": "=abc"}) == {"text": "abc"}
    placeholder = "={{ $fromAI('key', `what`, 'string') }}"
    assert filled(parameters, {"text": placeholder}) == {"text": placeholder}
    assert filled(parameters, {"text": "={{ $fromAI(evil()) }}"})["text"][0] != "="


def test_locators_and_filters_are_completed() -> None:
    """A locator without value is its default, a filter gets combinator and options."""
    parameters = [
        one("table", "resourceLocator", {"mode": "list", "value": ""}),
        one("rules", "filter", {}),
    ]
    result = filled(parameters, {"rules": {"conditions": []}})
    assert result["table"] == {"__rl": True, "mode": "list", "value": ""}
    assert result["rules"]["combinator"] == "and"
    assert result["rules"]["options"]["typeValidation"] == "strict"
    spread = filled(parameters, {"rules": {"conditions": [], "options": "ab"}})
    assert spread["rules"]["options"].items() >= {"0": "a", "1": "b"}.items()


def test_values_of_any_shape_are_survived() -> None:
    """No JSON value in any place raises."""
    group = {"name": "values", "values": [one("name", displayOptions=unless(name="x"))]}
    parameters = [
        choice("mode", ["a", "b"]),
        one("mode", displayOptions=when(other="x")),
        one("single", "fixedCollection", {}, options=[group]),
        one(
            "several", "fixedCollection", {}, options=[group], typeOptions={"multipleValues": True}
        ),
        one("extra", "collection", {}, options=[one("a")]),
        one("rules", "filter", {}),
    ]
    odd: list[Any] = [None, 0, True, "x", [], [1], {}, {"values": None}, {"values": [None, 1]}]
    for value in odd:
        given = dict.fromkeys(("mode", "single", "several", "extra", "rules"), value)
        assert isinstance(filled(parameters, given), dict)
        assert filled(parameters, value) is not None
