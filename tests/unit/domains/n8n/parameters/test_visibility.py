from __future__ import annotations

from typing import Any

import pytest

from grounded_builder.domains.n8n.parameters import patterns
from grounded_builder.domains.n8n.parameters.partial_conditions import KnownValues
from grounded_builder.domains.n8n.parameters.patterns import pattern_matches
from grounded_builder.domains.n8n.parameters.visibility import (
    Condition,
    Facts,
    compile_condition,
)
from tests.support.time_bounds import limit_cpu_time
from tests.unit.domains.n8n.parameters.parameter_cases import unless, when

FACTS = Facts(2.1, is_tool=False, features=("fast",))


def is_shown(options: Any, level: Any, root: Any = None, facts: Facts = FACTS) -> bool:
    condition = compile_condition(options, facts)
    if isinstance(condition, bool):
        return condition
    return condition.holds(level, level if root is None else root)


def test_all_keys_of_show_must_hold() -> None:
    """`show` is AND over its keys and OR over the values of each."""
    options = when(resource=["a", "b"], operation="x")
    assert is_shown(options, {"resource": "b", "operation": "x"})
    assert not is_shown(options, {"resource": "b", "operation": "y"})
    assert not is_shown(options, {"resource": "b"})


def test_one_key_of_hide_is_enough() -> None:
    """`hide` hides as soon as one of its keys holds."""
    options = unless(resource="a", operation="x")
    assert not is_shown(options, {"resource": "a", "operation": "y"})
    assert is_shown(options, {"resource": "b", "operation": "y"})
    assert is_shown(options, {})


def test_a_slash_reads_the_root() -> None:
    """`/key` reads the root, a plain key the level, dots go deeper."""
    assert is_shown({"show": {"/mode": ["a"]}}, {"mode": "b"}, {"mode": "a"})
    assert not is_shown({"show": {"mode": ["a"]}}, {"mode": "b"}, {"mode": "a"})
    assert is_shown({"show": {"/options.raw": [True]}}, {}, {"options": {"raw": True}})


def test_an_expression_shows_at_once() -> None:
    """An expression in `show` shows the parameter, whatever later keys and `hide` state."""
    options = {"show": {"mode": ["a"], "kind": ["b"]}, "hide": {"kind": ["c"]}}
    assert is_shown(options, {"mode": "={{ $json.mode }}", "kind": "c"})
    assert not is_shown(options, {"mode": "z", "kind": "=x"})


def test_a_locator_stands_for_its_value() -> None:
    """A resource locator is compared by what it points to."""
    assert is_shown(when(table="t1"), {"table": {"__rl": True, "mode": "id", "value": "t1"}})


def test_values_keep_their_type() -> None:
    """`true`, `1` and `"1"` are three values."""
    assert not is_shown(when(flag=True), {"flag": 1})
    assert not is_shown(when(flag=1), {"flag": True})
    assert not is_shown(when(flag="1"), {"flag": 1})
    assert is_shown(when(flag=1), {"flag": 1.0})


def test_facts_of_the_node() -> None:
    """`@version`, `@tool` and `@feature` are answered at compile time."""
    assert compile_condition({"show": {"@version": [{"_cnd": {"gte": 2}}]}}, FACTS) is True
    assert compile_condition({"show": {"@version": [1, 2]}}, FACTS) is False
    assert compile_condition({"hide": {"@version": [2.1]}}, FACTS) is False
    assert compile_condition({"show": {"@tool": [True]}}, FACTS) is False
    assert compile_condition({"show": {"@feature": ["fast"]}}, FACTS) is True
    assert compile_condition({"show": {"@feature": ["slow"]}}, FACTS) is False


def test_a_version_that_never_holds_leaves_only_the_expression() -> None:
    """After another key, a failing `@version` still lets an expression through."""
    options = {"show": {"mode": ["a"], "@version": [1]}}
    assert not is_shown(options, {"mode": "a"})
    assert is_shown(options, {"mode": "=a"})


@pytest.mark.parametrize(
    ("operator", "target", "value", "holds"),
    [
        ("eq", {"a": [1]}, {"a": [1]}, True),
        ("eq", 1, True, False),
        ("not", "a", "b", True),
        ("not", "a", None, True),
        ("gt", 1, 2, True),
        ("gte", 2, "2", True),
        ("lt", 2, None, True),
        ("lte", 2, "x", False),
        ("between", {"from": 1, "to": 3}, 3, True),
        ("between", {"from": 1, "to": 3}, 4, False),
        ("startsWith", "gpt", "gpt-9", True),
        ("endsWith", "-9", "gpt-9", True),
        ("includes", "t-", "gpt-9", True),
        ("includes", "5", 5, False),
        ("regex", "^g.*9$", "gpt-9", True),
        ("regex", "^g$", "gpt", False),
        ("exists", True, "", False),
        ("exists", True, 0, True),
        ("unheard", 1, 1, False),
    ],
)
def test_comparisons(operator: str, target: Any, value: Any, holds: bool) -> None:
    """Each comparison of a condition does what JavaScript's operator does."""
    assert is_shown({"show": {"x": [{"_cnd": {operator: target}}]}}, {"x": value}) is holds


def test_an_empty_list_meets_only_not() -> None:
    """For an empty list only `not` holds, and `hide` hides nothing."""
    assert is_shown({"show": {"x": [{"_cnd": {"not": "a"}}]}}, {"x": []})
    assert not is_shown({"show": {"x": [{"_cnd": {"exists": True}}]}}, {"x": []})
    assert is_shown({"hide": {"x": [{"_cnd": {"not": "a"}}]}}, {"x": []})


def test_narrowing_keeps_the_answer() -> None:
    """A condition narrowed by known values answers as the whole one does."""
    options = {
        "show": {"a": ["1"], "b": ["2"], "@version": [{"_cnd": {"gte": 2}}]},
        "hide": {"c": ["3"]},
    }
    condition = compile_condition(options, FACTS)
    assert isinstance(condition, Condition)
    for a in ("1", "x", "=e"):
        for b in ("2", "x", "=e"):
            for c in ("3", "x"):
                level = {"a": a, "b": b, "c": c}
                for known in ("a", "b", "c"):
                    narrowed = KnownValues({known: level[known]}).narrow(condition)
                    rest = narrowed if isinstance(narrowed, bool) else narrowed.holds(level, level)
                    assert rest == condition.holds(level, level), (level, known)


@pytest.fixture
def trustful(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pattern was slow before, nor is after: each would get less time."""
    monkeypatch.setattr(patterns, "_timeouts", {})


@pytest.mark.usefixtures("trustful")
def test_hostile_patterns_end() -> None:
    """A pattern that explodes, and one that does not compile, are ended in bounded time."""
    with limit_cpu_time(2):
        assert pattern_matches("^(a+)+$", "a" * 60 + "!") in (None, False)
        assert pattern_matches("(", "a") is None
        assert pattern_matches("a" * 30_000, "a") is None


@pytest.mark.usefixtures("trustful")
def test_many_hostile_patterns_end() -> None:
    """A catalog full of patterns that explode costs seconds, not a time limit for each value."""
    with limit_cpu_time(10):
        for number in range(300):
            for length in range(5):
                assert not pattern_matches(f"^(a|a)*{number}$", "a" * 40 + "!" * length)


def test_patterns_mean_what_javascript_means() -> None:
    """`$` is the very end, classes are ASCII, named groups are JavaScript's."""
    assert pattern_matches("^a$", "a\n") is False
    assert pattern_matches(r"^\d$", "\u0663") is False
    assert pattern_matches(r"^(?<x>a)[$]$", "a$") is True
