"""The failure of a node that cannot read an answer tells the form of the answer."""

from __future__ import annotations

import pytest

from grounded_builder.domains.n8n.rehearsal.answers.forms import (
    AnswerForms,
    correct_forms,
    list_named_fields,
)
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, Exchange, Request
from grounded_builder.domains.n8n.trial.expected_fields import Shape

_KEY = "GET api.acme.example/fields"


def _exchange(source: str = "the fields that are read") -> Exchange:
    request = Request("GET", "https://api.acme.example/fields?a=1", {}, b"", 0)
    return Exchange(request, Answer(200, b"{}", source))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("issueTypes is not iterable", AnswerForms(lists=frozenset({_KEY}))),
        ("responseData.reduce is not a function", AnswerForms(lists=frozenset({_KEY}))),
        ("data.Documents is not iterable", AnswerForms(fields=frozenset({(_KEY, "Documents")}))),
        ("a.rows.map is not a function", AnswerForms(fields=frozenset({(_KEY, "rows")}))),
        ("this.call is not a function", None),
        ("Cannot read properties of undefined (reading 'id')", None),
    ],
)
def test_a_failure_tells_what_is_a_list(message: str, expected: AnswerForms | None) -> None:
    """A value that the node goes through as a list is one; other failures tell nothing."""
    assert correct_forms(AnswerForms(), message, _exchange(), {}) == expected


def test_a_correction_is_made_once_and_for_invented_forms_alone() -> None:
    """A list that is still not read stays a failure, and so does an answer of a known form."""
    message = "issueTypes is not iterable"
    known = AnswerForms(lists=frozenset({_KEY}))
    assert correct_forms(known, message, _exchange(), {}) is None
    assert correct_forms(AnswerForms(), message, _exchange("a token"), {}) is None


def test_fields_that_code_goes_through_are_lists() -> None:
    """The name of the variable is looked for among the fields that the workflow reads."""
    shape = Shape()
    tree = shape.field("data").field("tree")
    message = "tree.filter is not a function [line 6]"
    corrected = correct_forms(AnswerForms(), message, None, {"Get": shape})
    assert corrected == AnswerForms(names=frozenset({"tree"}))
    list_named_fields(shape, corrected.names)
    assert tree.kind == "list"
    assert correct_forms(AnswerForms(), "other.map is not a function", None, {"A": shape}) is None
