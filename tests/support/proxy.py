"""Runs a proxy in front of the real n8n or another server, which changes answers by rules."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.support.time_bounds import PATIENCE_S

_PASSED = ("x-n8n-api-key", "authorization", "content-type", "origin", "accept")
Spoil = Callable[[Request, Response], Response]


@dataclass
class Between:
    """A proxy; each rule has a method, a pattern of the path, and a change of the answer.

    A rule applies to ``times`` answers. Calls with a ``blocked`` method are answered 500 and never
    reach the server.
    """

    server: HTTPServer
    behind: str
    rules: list[tuple[str, re.Pattern[str], Spoil]] = field(default_factory=list)
    blocked: set[str] = field(default_factory=set)
    calls: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.server.url_for("").rstrip("/")

    def start(self) -> Between:
        """Starts to answer all requests."""
        self.server.expect_request(re.compile(".*")).respond_with_handler(self._answer)
        return self

    def spoil(self, method: str, path: str, spoil: Spoil, times: int = 1_000) -> None:
        """Adds a rule."""
        left = [times]

        def spoil_counted(request: Request, answer: Response) -> Response:
            left[0] -= 1
            return spoil(request, answer) if left[0] >= 0 else answer

        self.rules.append((method, re.compile(path), spoil_counted))

    def _answer(self, request: Request) -> Response:
        self.calls.append(f"{request.method} {request.path}")
        if request.method in self.blocked:
            return Response('{"message": "blocked"}', 500, content_type="application/json")
        passed = requests.request(
            request.method,
            f"{self.behind}{request.full_path}",
            data=request.get_data(),
            headers={
                key: value for key, value in request.headers.items() if key.casefold() in _PASSED
            },
            timeout=PATIENCE_S,
        )
        answer = Response(passed.content, passed.status_code, content_type="application/json")
        for method, path, spoil in self.rules:
            if request.method == method and path.fullmatch(request.path):
                answer = spoil(request, answer)
        return answer


def make_answer_rule(status: int, text: str = '{"message": "spoilt"}') -> Spoil:
    """Returns a rule that passes the call on and replaces the answer."""
    return lambda _request, _answer: Response(text, status, content_type="application/json")


def make_delay_rule(seconds: float) -> Spoil:
    """Returns a rule that passes the call on and delays the answer."""

    def spoil(_request: Request, answer: Response) -> Response:
        time.sleep(seconds)
        return answer

    return spoil


def make_change_rule(change: Callable[[Any], None]) -> Spoil:
    """Returns a rule that changes the JSON of an answer."""

    def spoil(_request: Request, answer: Response) -> Response:
        value = json.loads(answer.get_data())
        change(value)
        return Response(json.dumps(value), answer.status_code, content_type="application/json")

    return spoil
