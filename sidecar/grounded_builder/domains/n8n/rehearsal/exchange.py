"""Defines a request that a rehearsed node sent, with its answer; reads it from the proxy.

What a node sends by another protocol than HTTP is a request too: its method names the protocol's
kind of request (SQL, MAIL, REDIS), its URL the protocol, and its body is JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from grounded_builder.domains.n8n.expectations import ExactAnswer, Fault


@dataclass(frozen=True, slots=True)
class Request:
    """A request; the names of ``headers`` are in lower case, ``at_ms`` is the time since 1970."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    at_ms: int

    @property
    def parts(self) -> SplitResult:
        """The parts of the URL."""
        return urlsplit(self.url)

    @property
    def host(self) -> str:
        """The host in lower case, without its port."""
        return self.parts.hostname or ""

    @property
    def query(self) -> Mapping[str, str]:
        """The query's last value of each name."""
        return dict(parse_qsl(self.parts.query, keep_blank_values=True))


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer; ``source`` describes the origin of its content.

    A connection with ``is_cut`` ends without one. ``delay_ms`` is waited before the answer.
    """

    status: int
    body: bytes
    source: str
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_ms: int = 0
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its answer."""

    request: Request
    answer: Answer


@dataclass(frozen=True, slots=True)
class Turn:
    """What a server of another protocol is told: an error to answer with, and its content."""

    fault: str = ""
    setup: Mapping[str, Any] = field(default_factory=dict)


Answering = Callable[[Request], Answer]

# Longer than a run may take: the node's own limit, or that of the run, ends the wait.
_SILENCE_MS = 60_000
_FAULTS = {"404": "not found", "429": "too many requests", "500": "internal error"}


def json_answer(content: Any, source: str, status: int = 200) -> Answer:
    """Returns an answer with JSON."""
    body = json.dumps(content, ensure_ascii=False).encode()
    return Answer(status, body, source, {"content-type": "application/json"})


def fault_answer(fault: Fault) -> Answer:
    """Returns the answer of a service that fails."""
    source = "the fault that is asked for"
    if fault == "cut":
        return Answer(502, b"", source, is_cut=True)
    if fault == "timeout":
        return Answer(504, b"", source, delay_ms=_SILENCE_MS, is_cut=True)
    answer = json_answer({"error": {"message": _FAULTS[fault]}}, source, int(fault))
    return replace(answer, headers={**answer.headers, "retry-after": "1"})


def exact_answer(given: ExactAnswer) -> Answer:
    """Returns the answer that is given for a node: a text as it is, any other value as JSON."""
    source = "the answer that is given"
    if isinstance(given.body, str):
        headers = {"content-type": "text/plain; charset=utf-8"}
        return Answer(given.status, given.body.encode(), source, headers)
    return json_answer(given.body, source, given.status)


def read_request(line: Mapping[str, Any], body: bytes) -> Request:
    """Reads a request as the proxy describes it; of equal headers the last one counts."""
    headers = {str(name).lower(): str(value) for name, value in line["headers"]}
    return Request(line["method"], line["url"], headers, body, int(line["at"]))
