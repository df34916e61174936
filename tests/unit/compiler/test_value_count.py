"""Counting the values of a JSON text before it is decoded."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounded_builder.compiler.parse import count_marks, holds_more_values, parse
from grounded_builder.ir.options import Limits

_TEXTS = st.text(alphabet='ab,[]{}"\\\n é', max_size=20)
_VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | _TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(_TEXTS, inner, max_size=5),
    max_leaves=30,
)


def _marks_of(value: Any) -> int:
    """The commas, lists and objects of a decoded value."""
    if not isinstance(value, dict | list):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(0, len(value) - 1) + sum(map(_marks_of, inner))


@given(_VALUES, st.integers(-2, 2), st.booleans())
def test_count_ignores_values_in_strings(value: Any, over: int, ascii_only: bool) -> None:
    """Only values outside of strings count, however strings are escaped."""
    marks = _marks_of(value)
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    most = max(0, marks + over)
    assert holds_more_values(raw, most) == (marks > most)
    assert count_marks(raw) >= marks


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": [' + "[]," * 1_000 + "[]]}",
        'Mind the "quote\n```json\n{"nodes": [' + "[]," * 1_000 + "[]]}\n```",
        'an odd " and {"nodes": [' + '{"a": ""},' * 1_000 + "{}]} behind it",
    ],
    ids=["clean", "fenced", "in prose"],
)
def test_a_draft_of_too_many_values_is_not_decoded(text: str) -> None:
    """A document of more values than the limit is too large, whatever surrounds it."""
    value, diagnostics = parse(text, Limits(values=500))
    assert value is None
    assert [finding.code for finding in diagnostics] == ["GB104"]
    assert "more than 500 values" in diagnostics[0].message


def test_code_and_data_in_strings_are_no_values() -> None:
    """A short document with a long table in a string is read."""
    document = {"nodes": [{"parameters": {"jsCode": 'f(a, "b", [1, 2]);\n' * 100_000}}]}
    assert parse(orjson.dumps(document), Limits(values=500)) == (document, ())
