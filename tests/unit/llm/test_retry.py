"""Waiting for an endpoint that is busy, no longer than there is time."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest
import tenacity
from pytest_httpserver import HTTPServer
from werkzeug import Response

from grounded_builder.drafting.conversation import Message
from grounded_builder.llm.drafter import DrafterError
from grounded_builder.llm.endpoint import ChatEndpoint, Place, ReplyBounds
from grounded_builder.llm.retry import parse_retry_after

ASKED = (Message("user", "a request"),)
PATH = "/v1/chat/completions"
SAID: dict[str, Any] = {"choices": [{"message": {"content": "now"}}]}


def endpoint(server: HTTPServer, **bounds: Any) -> ChatEndpoint:
    return ChatEndpoint(Place(server.url_for("/v1"), "m"), ReplyBounds(**bounds))


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds of each wait between two calls; none of them passes."""
    waits: list[float] = []
    monkeypatch.setattr(tenacity.nap, "time", SimpleNamespace(sleep=waits.append))
    return waits


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504, 529])
def test_temporary_failure_is_retried(httpserver: HTTPServer, status: int) -> None:
    """A busy or broken endpoint is asked again until it answers."""
    for _ in range(2):
        httpserver.expect_ordered_request(PATH).respond_with_data("", status)
    httpserver.expect_ordered_request(PATH).respond_with_json(SAID)
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, {}).text == "now"


def test_model_that_answers_with_nothing_is_asked_once_more(httpserver: HTTPServer) -> None:
    """An empty answer costs another call, and a second one ends the reply."""
    empty = {"choices": [{"message": {"content": ""}}]}
    for answer in (empty, SAID, empty, empty):
        httpserver.expect_ordered_request(PATH).respond_with_json(answer)
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, {}).text == "now"
        with pytest.raises(DrafterError, match="nothing"):
            chat_endpoint.reply(ASKED, {})
    assert len(httpserver.log) == 4


@pytest.mark.parametrize("status", [401, 402, 403])
def test_permanent_failure_is_not_retried(httpserver: HTTPServer, status: int) -> None:
    """A wrong key is tried once."""
    httpserver.expect_request(PATH).respond_with_data("", status)
    with closing(endpoint(httpserver)) as chat_endpoint, pytest.raises(DrafterError):
        chat_endpoint.reply(ASKED, {})
    assert len(httpserver.log) == 1


def test_the_endpoint_sets_the_wait(httpserver: HTTPServer, waits: list[float]) -> None:
    """The wait is as long as Retry-After states."""
    later = Response("", 429, {"Retry-After": "1"})
    httpserver.expect_ordered_request(PATH).respond_with_response(later)
    httpserver.expect_ordered_request(PATH).respond_with_json(SAID)
    with closing(endpoint(httpserver)) as chat_endpoint:
        assert chat_endpoint.reply(ASKED, {}).text == "now"
    assert waits == [1]


def test_too_long_wait_is_not_started(httpserver: HTTPServer, waits: list[float]) -> None:
    """A wait that would outlast the time is not begun, and is reported."""
    busy = Response('{"error": {"message": "slow down"}}', 429, {"Retry-After": "90"})
    httpserver.expect_request(PATH).respond_with_response(busy)
    with (
        closing(endpoint(httpserver, seconds=30)) as chat_endpoint,
        pytest.raises(DrafterError, match="429, asks to wait 90 s: slow down") as caught,
    ):
        chat_endpoint.reply(ASKED, {})
    assert (caught.value.kind, caught.value.after) == ("busy", 90)
    assert waits == []
    assert len(httpserver.log) == 1


def test_retries_end(httpserver: HTTPServer) -> None:
    """The attempts at an endpoint that never answers end."""
    httpserver.expect_request(PATH).respond_with_data("", 503)
    with closing(endpoint(httpserver, calls=3)) as chat_endpoint, pytest.raises(DrafterError):
        chat_endpoint.reply(ASKED, {})
    assert len(httpserver.log) == 3


def test_a_date_is_seconds_from_now() -> None:
    """Retry-After is a number or a date; anything else asks for nothing."""
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=3_600), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=3_600), usegmt=True)
    asked = parse_retry_after(soon)
    assert asked is not None
    assert 3_000 < asked <= 3_600
    assert parse_retry_after(past) == 0
    assert parse_retry_after("2.5") == 2.5
    assert [parse_retry_after(item) for item in (None, "", "soon", "-3", "1e999x")] == [None] * 5
