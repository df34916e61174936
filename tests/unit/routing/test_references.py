"""Outputs of calls replace the references of later calls, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.routing.references import (
    AwaitedText,
    AwaitedValue,
    MissingOutputError,
    fill_references,
    find_references,
    replace_references,
)

GAVE = {
    "step_1": {"hits": [{"path": "/a.pdf"}, {"path": "/b.pdf"}], "count": 2, "output": "inner"},
    "step_2": '{"name": "Cat", "tags": ["x"]}',
    "call-3": [1, 2],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{step_1}}", GAVE["step_1"]),
        ("{{ step_1.count }}", 2),
        ("{{step_1.hits[1].path}}", "/b.pdf"),
        ("{{step_1.hits.0.path}}", "/a.pdf"),
        ('{{step_1["count"]}}', 2),
        ("{{step_2.name}}", "Cat"),
        ("{{step_2.result.tags[0]}}", "x"),
        ("{{step_1.output}}", "inner"),
        ("{{call-3.output}}", [1, 2]),
        ("$step_1.count", 2),
        ("${step_1.count}", 2),
        ("{{$step_1.count}}", 2),
        ("{{step_1.count}} of {{call-3}}", "2 of [1, 2]"),
        ("price: $5 and {{name}}", "price: $5 and {{name}}"),
        ("$5", "$5"),
        ("{{ }}", "{{ }}"),
        ("{{step_9.x}}", "{{step_9.x}}"),
    ],
)
def test_a_reference_is_what_it_refers_to(text: str, value: Any) -> None:
    """Alone it is the value itself, inside of text its text; other braces stay."""
    assert fill_references({"a": [text]}, GAVE) == {"a": [value]}


@pytest.mark.parametrize(
    "text", ["{{step_1.absent}}", "{{step_1.hits[9]}}", "{{step_1.count.x}}", "x {{call-3.y}}"]
)
def test_a_path_that_leads_nowhere_is_reported(text: str) -> None:
    """A reference to a missing output is an error, never empty."""
    with pytest.raises(MissingOutputError, match="has no value"):
        fill_references(text, GAVE)


def test_names_that_no_call_has_are_text_unless_only_their_number_is_wrong() -> None:
    """A template's own braces are no references; a call that does not exist by its number is."""
    value = {"a": "{{name}} {{step_7.x}}", "b": ["{{step_1}}"], "c": "{{other_2}}"}
    references = [
        (at, reference.step) for at, reference in find_references(value, ["step_1", "step_2"])
    ]
    assert references == [(("a",), "step_7"), (("b", 0), "step_1")]


def test_awaited_outputs_become_placeholders() -> None:
    """A lone reference may become any value, and one inside a text becomes text."""
    marked = replace_references({"a": "{{s}}", "b": "x {{s}}", "c": "{{t}}"}, ["s"])
    assert isinstance(marked["a"], AwaitedValue)
    assert isinstance(marked["b"], AwaitedText)
    assert type(marked["c"]) is str


@given(VALUES)
def test_without_calls_nothing_changes(value: Any) -> None:
    """Values pass through as they are where nothing is referred to."""
    assert fill_references(value, {}) == value
    assert replace_references(value, []) == value


@given(VALUES)
def test_output_is_passed_on_unchanged(value: Any) -> None:
    """A value is passed on whole, and references inside it are not followed."""
    assert fill_references({"v": "{{s}}"}, {"s": value}) == {"v": value}
    assert fill_references("{{s}}", {"s": "{{s}}"}) == "{{s}}"
