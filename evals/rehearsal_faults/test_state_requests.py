"""Stated expectations hold for the workflow itself and name what a person would."""

from __future__ import annotations

from typing import Any

from evals.rehearsal_faults.state_requests import Sent, mask_sent, state_expectations


def _sent(text: str, mark: str) -> list[Sent]:
    bodies: list[Any] = [{"text": text, "id": mark, "user": {"name": "Ann Lee"}}, "the text"]
    return [("Post", "POST", "chat.test", "/messages", bodies, {"team": "north"})]


def test_known_values_are_stated_and_others_are_not() -> None:
    """A value that differs between two rehearsals is left out; a text is stated by its values."""
    first, second = _sent("Hello Ann Lee", "41f0a9b2"), _sent("Hello Ann Lee", "52d177c3")
    stated = state_expectations(first, second, '"Ann Lee", "north"', ["Ann Lee"])
    place = {"method": "POST", "host": "chat.test", "path": "/messages"}
    body = {"text": {"contains": ["Ann Lee"]}, "user": {"name": "Ann Lee"}}
    assert stated == [
        {"requests": place, "count": 1},
        {"requests": {**place, "body": body}},
        {"requests": {**place, "query": {"team": "north"}}},
        {"requests": {}, "count": 1},
    ]


def test_requests_that_differ_in_invented_ids_are_equal() -> None:
    """Ids and times differ from run to run without a fault."""
    assert mask_sent(_sent("Hi", "41f0a9b2")) == mask_sent(_sent("Hi", "52d177c3"))
    assert mask_sent(_sent("Hi", "41f0a9b2")) != mask_sent(_sent("Ho", "41f0a9b2"))
