"""What a caller asks of a rehearsal is read strictly, and every refusal names its field."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from grounded_builder.services.rehearsal_order import OrderError, expect_names, read_order

_FILE = {"mimeType": "text/plain", "data": b64encode(b"hello").decode()}


def test_every_field_is_read() -> None:
    """Samples may have files; a status is a text or a number; a time without zone is UTC."""
    order = read_order(
        {},
        {
            "samples": {"Hook": [{"json": {}, "binary": {"note": _FILE}}]},
            "faults": {"Post": 429, "Read": "cut"},
            "at": "2026-03-01T09:00",
            "against": {"runs": []},
        },
    )
    assert order.faults == {"Post": "429", "Read": "cut"}
    assert order.moment == datetime(2026, 3, 1, 9, tzinfo=UTC)
    assert order.earlier == {"runs": []}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("samples", {"Hook": {}}, '"Hook" are not a list'),
        ("samples", {"Hook": [{}] * 51}, "1 to 50"),
        ("samples", {"Hook": [{"json": {}, "binary": {"a": {"data": "x"}}}]}, "needs mimeType"),
        (
            "samples",
            {"Hook": [{"json": {}, "binary": {"a": {**_FILE, "data": "?"}}}]},
            'data of "a"',
        ),
        (
            "samples",
            {"Hook": [{"json": {}, "binary": {"a": {**_FILE, "data": "A" * 1_400_000}}}]},
            "more than 1 MB",
        ),
        ("faults", {"Post": "418"}, '"418" of "Post" is not one of 404'),
        ("at", "tomorrow", '"tomorrow" is not a time'),
        ("against", {"outcome": "passed"}, "not the JSON of an earlier rehearsal"),
        ("expectations", [{"why": "x"}], "expectation 1"),
    ],
)
def test_a_refusal_names_its_field(key: str, value: Any, words: str) -> None:
    """The field and the value are in the error."""
    with pytest.raises(OrderError) as caught:
        read_order({}, {key: value})
    assert caught.value.key == key
    assert words in str(caught.value)


@pytest.mark.parametrize(("key", "value"), [("samples", [{}]), ("faults", "429")])
def test_an_unknown_node_is_refused(key: str, value: Any) -> None:
    """A name that the workflow does not have would have no effect."""
    order = read_order({}, {key: {"Hok": value}})
    with pytest.raises(OrderError, match=r'"Hok".*"Hook"') as caught:
        expect_names(order, ["Hook", "Post"], ["Hook"])
    assert caught.value.key == key
    expect_names(read_order({}, {key: {"Hook": value}}), ["Hook", "Post"], ["Hook"])
