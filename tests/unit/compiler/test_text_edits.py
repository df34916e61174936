"""A changed document in the bytes of its old text."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.compiler.text_edits import rewrite_text

TEXT = """{
    "name" : "Flow",
    "nodes": [ {"name":"a",   "type": "x.y", "position":[0,0]},
      { "name": "b", "parameters": { "n": 1.0,
          "text": "\\u00e4 stays escaped" } } ],
    "connections": {}
}
"""
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


def change_document(**changes: Any) -> Any:
    return {**json.loads(TEXT), **changes}


def test_only_what_changed_is_written() -> None:
    """One value in one node: every other byte stays, spaces and escapes included."""
    after = json.loads(TEXT)
    after["nodes"][0]["type"] = "x.Y"
    assert rewrite_text(TEXT, json.loads(TEXT), after) == TEXT.replace('"x.y"', '"x.Y"')


def test_a_renamed_key_keeps_place_and_value() -> None:
    """The name changes, what stands behind it does not."""
    after = json.loads(TEXT)
    parameters = after["nodes"][1]["parameters"]
    after["nodes"][1]["parameters"] = {"n": 1.0, "words": parameters["text"]}
    assert rewrite_text(TEXT, json.loads(TEXT), after) == TEXT.replace('"text"', '"words"')


def test_a_removed_entry_leaves_the_others() -> None:
    """The node that stays has the bytes that it had."""
    after = json.loads(TEXT)
    del after["nodes"][0]
    new = rewrite_text(TEXT, json.loads(TEXT), after)
    assert json.loads(new) == after
    assert TEXT[TEXT.index('{ "name": "b"') : TEXT.index(" ],")] in new


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_new_value_is_indented_like_its_neighbours(ending: str) -> None:
    """Indentation and line ends of the text are kept."""
    text = json.dumps({"a": {"b": 1}}, indent="\t").replace("\n", ending)
    new = rewrite_text(text, {"a": {"b": 1}}, {"a": {"b": 1, "c": [1]}})
    assert new == json.dumps({"a": {"b": 1, "c": [1]}}, indent="\t").replace("\n", ending)


def test_one_and_true_differ() -> None:
    """Python takes 1 and true for equal; JSON does not."""
    assert rewrite_text('{"a": 1}', {"a": 1}, {"a": True}) == '{"a": true}'


def test_text_that_is_not_the_document_is_refused() -> None:
    """A rewrite never guesses."""
    for text in ('{"a": 2}', '{"a": 1} and more', "no JSON"):
        with pytest.raises(ValueError, match=r"not the document|Expecting"):
            rewrite_text(text, {"a": 1}, {"a": 3})


@given(VALUES, VALUES, st.sampled_from([None, 2, "\t"]))
def test_any_change_reads_back_equal(before: Any, after: Any, indent: Any) -> None:
    """The new text contains the new document after every change."""
    text = json.dumps(before, indent=indent)
    assert json.loads(rewrite_text(text, json.loads(text), after)) == after


@given(VALUES.filter(lambda value: isinstance(value, dict)), VALUES)
def test_a_deep_change_reads_back_equal(before: Any, leaf: Any) -> None:
    """Each member in turn is changed, removed and joined by another."""
    text = json.dumps(before, indent=1)
    for key in before:
        for after in (_with(before, key, leaf), _without(before, key), before | {key + "x": leaf}):
            assert json.loads(rewrite_text(text, json.loads(text), after)) == after


def _with(value: Any, key: str, leaf: Any) -> Any:
    made = copy.deepcopy(value)
    made[key] = leaf
    return made


def _without(value: Any, key: str) -> Any:
    return {name: item for name, item in value.items() if name != key}
