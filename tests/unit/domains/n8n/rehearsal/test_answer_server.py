"""Requests of a rehearsal are answered beside each other, and recorded within bounds."""

from __future__ import annotations

import json
import threading
import time
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from socket import AF_UNIX, socket
from typing import Any

import pytest

from grounded_builder.domains.n8n.rehearsal.answer_server import AnswerServer
from grounded_builder.domains.n8n.rehearsal.exchange import Answer, Request

_MEGABYTE = bytes(1_000_000)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AnswerServer]:
    """A server of answers."""
    result = AnswerServer(tmp_path / "answers.sock")
    yield result
    result.close()


def _line(number: int, path: str = "") -> bytes:
    request = {"id": number, "method": "GET", "url": f"http://x.example/{path}", "headers": []}
    return json.dumps({**request, "body": b64encode(b"").decode(), "at": number}).encode() + b"\n"


def test_a_slow_answer_delays_neither_others_nor_the_end(server: AnswerServer) -> None:
    """The second request is answered while the first still waits, and the run can end."""
    goes_on = threading.Event()

    def answer(request: Request) -> Answer:
        if request.url.endswith("slow"):
            goes_on.wait(30)
        return Answer(200, b"", "a test")

    server.begin(answer)
    with socket(AF_UNIX) as proxy:
        proxy.connect(str(server.path))
        proxy.sendall(_line(1, "slow") + _line(2))
        replies = proxy.makefile("rb")
        assert json.loads(replies.readline())["id"] == 2
        began = time.monotonic()
        assert [exchange.request.at_ms for exchange in server.end()] == [2]
        assert time.monotonic() - began < 5
        server.begin(lambda _: Answer(200, b"", "the next run"))
        goes_on.set()
        assert json.loads(replies.readline())["id"] == 1
        assert server.end() == ()


def _answer(server: AnswerServer, number: int) -> Any:
    return json.loads(server.answer(_line(number)))


def test_answers_count_in_the_bound_of_a_record(server: AnswerServer) -> None:
    """After 100 MB of answers, requests are cut off; the next run begins anew."""
    server.begin(lambda _: Answer(200, _MEGABYTE, "a test"))
    number = 0
    while not _answer(server, number)["cut"]:
        number += 1
        assert number <= 100
    assert server.is_full
    assert len(server.end()) == 100
    server.begin(lambda _: Answer(200, b"", "a test"))
    assert not server.is_full
