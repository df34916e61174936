from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.parameters.defaults import fill
from tests.unit.domains.n8n.parameters.parameter_cases import (
    Line,
    choice,
    compile_parameters,
    declare,
    unless,
    when,
)


def fill_parameters(parameters: list[Line], given: Any, version: float = 1) -> dict[str, Any]:
    return fill(compile_parameters(parameters, version), given)[1]


def test_defaults_are_filled_in_and_hidden_values_dropped() -> None:
    """Shown parameters have their value or default, and hidden ones are dropped."""
    parameters = [choice("mode", ["a", "b"]), declare("left", displayOptions=when(mode="b"))]
    assert fill_parameters(parameters, {"left": "x"}) == {"mode": "a"}
    assert fill_parameters(parameters, {"mode": "b"}) == {"mode": "b", "left": ""}


def test_of_equal_names_the_shown_one_counts() -> None:
    """Declarations that share a name take turns by their conditions."""
    parameters = [
        choice("resource", ["user", "post"]),
        declare("operation", "options", "get", displayOptions=when(resource="user")),
        declare("operation", "options", "list", displayOptions=when(resource="post")),
        declare("limit", "number", 5, displayOptions=when(operation="list")),
    ]
    assert fill_parameters(parameters, {}) == {"resource": "user", "operation": "get"}
    expected = {"resource": "post", "operation": "list", "limit": 5}
    assert fill_parameters(parameters, {"resource": "post"}) == expected


def test_a_condition_may_name_a_later_declaration() -> None:
    """The order of declarations does not decide what a condition sees."""
    parameters = [
        declare("text", default="one", displayOptions=when(mode="a")),
        declare("text", default="two", displayOptions=when(mode="b")),
        choice("mode", ["b", "a"]),
    ]
    assert fill_parameters(parameters, {}) == {"text": "two", "mode": "b"}
    assert fill_parameters(parameters, {"mode": "a"}) == {"text": "one", "mode": "a"}


def test_false_and_zero_are_values_and_null_is_a_gap() -> None:
    """Null takes the default of texts, but not of switches, numbers and lists."""
    parameters = [
        declare("flag", "boolean", True),
        declare("count", "number", 3),
        declare("text", default="d"),
    ]
    assert fill_parameters(parameters, {"flag": False, "count": 0, "text": None}) == {
        "flag": False,
        "count": 0,
        "text": "d",
    }
    assert fill_parameters(parameters, {"flag": None})["flag"] is None


def test_children_of_a_collection_get_no_defaults() -> None:
    """A collection keeps what is given and known."""
    child = [declare("a", default="x"), declare("b", displayOptions={"show": {"/mode": ["b"]}})]
    parameters = [choice("mode", ["a", "b"]), declare("extra", "collection", {}, options=child)]
    given = {"extra": {"b": "1", "unknown": 2}}
    assert fill_parameters(parameters, given)["extra"] == {}
    assert fill_parameters(parameters, {"mode": "b", **given})["extra"] == {"b": "1"}
    assert fill_parameters(parameters, {})["extra"] == {}


def test_groups_are_filled_item_by_item() -> None:
    """Items of a group get defaults, unknown groups go."""
    group = {"name": "values", "values": [declare("name"), declare("type", default="text")]}
    parameters = [
        declare(
            "rows", "fixedCollection", {}, options=[group], typeOptions={"multipleValues": True}
        )
    ]
    given = {"rows": {"values": [{"name": "n"}, {}], "other": [{}]}}
    assert fill_parameters(parameters, given)["rows"] == {
        "values": [{"name": "n", "type": "text"}, {"name": "", "type": "text"}]
    }


def test_sign_is_removed_where_expressions_are_not_accepted() -> None:
    """A parameter without expressions loses the `=`, but for a lone AI placeholder."""
    parameters = [declare("text", noDataExpression=True)]
    assert fill_parameters(parameters, {"text": "=abc"}) == {"text": "abc"}
    placeholder = "={{ $fromAI('key', `what`, 'string') }}"
    assert fill_parameters(parameters, {"text": placeholder}) == {"text": placeholder}
    assert fill_parameters(parameters, {"text": "={{ $fromAI(evil()) }}"})["text"][0] != "="


def test_locators_and_filters_are_completed() -> None:
    """A locator without value is its default, a filter gets combinator and options."""
    parameters = [
        declare("table", "resourceLocator", {"mode": "list", "value": ""}),
        declare("rules", "filter", {}),
    ]
    result = fill_parameters(parameters, {"rules": {"conditions": []}})
    assert result["table"] == {"__rl": True, "mode": "list", "value": ""}
    assert result["rules"]["combinator"] == "and"
    assert result["rules"]["options"]["typeValidation"] == "strict"
    spread = fill_parameters(parameters, {"rules": {"conditions": [], "options": "ab"}})
    assert spread["rules"]["options"].items() >= {"0": "a", "1": "b"}.items()


def test_defaults_accept_any_json_value() -> None:
    """No JSON value in any place raises an exception."""
    group = {"name": "values", "values": [declare("name", displayOptions=unless(name="x"))]}
    parameters = [
        choice("mode", ["a", "b"]),
        declare("mode", displayOptions=when(other="x")),
        declare("single", "fixedCollection", {}, options=[group]),
        declare(
            "several", "fixedCollection", {}, options=[group], typeOptions={"multipleValues": True}
        ),
        declare("extra", "collection", {}, options=[declare("a")]),
        declare("rules", "filter", {}),
    ]
    odd: list[Any] = [None, 0, True, "x", [], [1], {}, {"values": None}, {"values": [None, 1]}]
    for value in odd:
        given = dict.fromkeys(("mode", "single", "several", "extra", "rules"), value)
        assert isinstance(fill_parameters(parameters, given), dict)
        assert fill_parameters(parameters, value) is not None
