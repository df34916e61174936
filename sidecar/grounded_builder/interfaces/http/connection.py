"""Limits the header size, the slowness and the number of uvicorn connections of a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any, cast

import httptools
import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

_HEAD_BYTES = 65_536
# The bytes a client must read within a stall's time: a trickle does not keep a connection alive.
_PROGRESS_BYTES = 16_384
_LINGER_S = 5.0


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The limits of the connections of one process; times are in seconds.

    ``head_s`` bounds the first line and the headers of a request, ``rest_s`` what a client still
    sends after its answer, ``stall_s`` the reading of 16 KB of an answer, ``answer_s`` the reading
    of all of it.
    """

    connections: int = 2_000
    head_s: float = 10.0
    rest_s: float = 60.0
    stall_s: float = 20.0
    answer_s: float = 600.0


class BoundedConnection(HttpToolsProtocol):
    """A connection of the server library with limits.

    A connection that exceeds a time limit is closed by ``cut_if_slow``, which the server calls
    about once a second: a timer per request would cost more.
    """

    def __init__(self, *, limits: ConnectionLimits, **facts: Any) -> None:
        super().__init__(**facts)
        self._limits = limits
        self._head_since: float | None = None
        self._head_bytes = 0
        self._sends_body = False
        self._answered_at: float | None = None
        self._unread: tuple[int, float] | None = None
        self._unread_since = 0.0
        self._closing_since: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Starts to wait for a request, unless there are too many connections."""
        super().connection_made(cast("asyncio.Transport", transport))
        self._head_since = self.loop.time()
        if len(self.connections) > self._limits.connections:
            message = f"the server has {self._limits.connections:,} connections"
            hint = "keep fewer connections open, or try again in a second"
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "too-many-connections", message, hint)

    def data_received(self, data: bytes) -> None:
        """Receives bytes from the client."""
        if self._closing_since is not None:
            return  # refused: further bytes are dropped
        if self._head_since is None and not self._sends_body:
            self._begin_head()
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_since is not None and self._head_bytes > _HEAD_BYTES:
            status = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            message = f"the headers are larger than {_HEAD_BYTES:,} bytes"
            self._refuse(status, "too-large", message, "send shorter headers")

    def on_message_begin(self) -> None:
        """Starts a request."""
        self._begin_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Starts the answer of a request whose headers are complete."""
        self._head_since = None
        self._sends_body = True
        self._answered_at = None
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() == "1.1"):
            raise httptools.HttpParserInvalidURLError("not exactly one host")
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Notes that the request was read to its end."""
        self._sends_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Notes the time at which a request was answered."""
        self._answered_at = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the name of the library
        """Refuses malformed HTTP, after the answers to earlier requests."""
        is_answering = not self._is_idle()
        if is_answering and (self.pipeline or not self._sends_body):
            self.cycle.keep_alive = False
            self._closing_since = self.loop.time() + self._limits.answer_s
            return
        message = "the request is malformed or ambiguous HTTP"
        hint = "send one Host, and either Content-Length or Transfer-Encoding: chunked"
        self._refuse(HTTPStatus.BAD_REQUEST, "not-http", message, hint)

    def cut_if_slow(self, now: float) -> None:
        """Closes the connection where it exceeds a time limit; ``now`` is the loop's time."""
        limits = self._limits
        if self._closing_since is not None:
            if now - self._closing_since > _LINGER_S:
                self.transport.abort()
        elif self._head_since is not None and now - self._head_since > limits.head_s:
            message = f"no whole request head arrived within {limits.head_s:g} s"
            self._refuse(
                HTTPStatus.REQUEST_TIMEOUT,
                "too-slow",
                message,
                "send the whole request head at once",
            )
        elif self._is_body_too_late(now) or self._is_read_too_slowly(now):
            self.transport.abort()

    def leave(self) -> None:
        """Lets the client reconnect elsewhere: closes an idle connection, or after the current
        answer.
        """
        if not self._is_idle():
            self.cycle.keep_alive = False
        elif self._head_since is None and not self._sends_body and not self.pipeline:
            self.transport.close()

    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle  # no request yet
        return cycle is None or cycle.response_complete

    def _begin_head(self) -> None:
        self._head_since = self.loop.time()
        self._head_bytes = 0

    def _is_body_too_late(self, now: float) -> bool:
        """Returns whether a client still sends a request that was answered long ago."""
        since = self._answered_at
        return self._sends_body and since is not None and now - since > self._limits.rest_s

    def _is_read_too_slowly(self, now: float) -> bool:
        size = self.transport.get_write_buffer_size()
        if size == 0:
            self._unread = None
            return False
        if self._unread is None:
            self._unread_since = now
            self._unread = (size, now)
            return False
        if abs(size - self._unread[0]) >= min(_PROGRESS_BYTES, self._unread[0]):
            self._unread = (size, now)
        stalled = now - self._unread[1] > self._limits.stall_s
        return stalled or now - self._unread_since > self._limits.answer_s

    def _refuse(self, status: HTTPStatus, code: str, message: str, hint: str) -> None:
        """Sends an error and closes the connection."""
        if self.transport.is_closing():
            return
        self._closing_since = self.loop.time()
        content = orjson.dumps({"error": {"code": code, "message": message, "help": hint}})
        again = "Retry-After: 1\r\n" if status is HTTPStatus.SERVICE_UNAVAILABLE else ""
        head = (
            f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n{again}Connection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + content)
        self.transport.close()


def connection_factory(limits: ConnectionLimits) -> Callable[..., BoundedConnection]:
    """Returns the factory of the server's connections."""
    return partial(BoundedConnection, limits=limits)
