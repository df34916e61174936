"""Requests on the wire: ambiguous ones, pieces of requests, slow clients."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.api.conftest import Serve, Served
from tests.support.time_bounds import PATIENCE_S, until

pytestmark = pytest.mark.sqlite_suffices

_GET = b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
_POST = b"POST /v1/n8n/validate HTTP/1.1\r\nHost: a\r\n"


@contextmanager
def _connection(served: Served) -> Iterator[socket.socket]:
    url = httpx.URL(served.url)
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_S) as connection:
        yield connection


def _read_to_end(connection: socket.socket) -> bytes:
    """Returns all that comes until the server closes; what it cut ends too."""
    parts: list[bytes] = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def _exchange(served: Served, sent: bytes) -> bytes:
    with _connection(served) as connection:
        connection.sendall(sent)
        return _read_to_end(connection)


_TWO_MEANINGS = {
    "both lengths": _POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "both, reversed": _POST + b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    "two lengths": _POST + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    "a list of lengths": _POST + b"Content-Length: 4, 4\r\n\r\nabcd",
    "a signed length": _POST + b"Content-Length: +4\r\n\r\nabcd",
    "a length in hex": _POST + b"Content-Length: 0x4\r\n\r\nabcd",
    "an unknown encoding": _POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunked not last": _POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "a space in the name": _POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "a folded header": _POST + b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "a bad chunk size": _POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "a zero byte": _POST + b"X: a\0b\r\nContent-Length: 0\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
}


@pytest.mark.parametrize("sent", _TWO_MEANINGS.values(), ids=_TWO_MEANINGS)
def test_a_request_with_two_meanings_is_refused(shared_server: Served, sent: bytes) -> None:
    """It is answered 400 once, the connection is closed, and what follows it is not read."""
    got = _exchange(shared_server, sent + _GET)
    head, _, content = got.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 "), got[:300]
    assert got.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in head.lower()
    if b"not-http" in content:
        assert set(json.loads(content)["error"]) == {"code", "message", "help"}


def test_requests_sent_together_are_answered_in_order(shared_server: Served) -> None:
    """The answers come in the order of the requests, over one connection."""
    unknown = _GET.replace(b"/healthz", b"/nowhere")
    last = _GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    got = _exchange(shared_server, _GET + unknown + last)
    assert [part[:3] for part in got.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"]


def test_valid_request_before_malformed_one_is_answered(shared_server: Served) -> None:
    """The valid request is answered, and the connection is closed after the malformed one."""
    got = _exchange(shared_server, _GET + b"nonsense\r\n\r\n" + _GET)
    statuses = [part[:3] for part in got.split(b"HTTP/1.1 ")[1:]]
    assert statuses in ([b"200"], [b"200", b"400"]), got


def test_a_path_with_a_slash_more_is_another_path(shared_server: Served) -> None:
    """It is not redirected to."""
    assert shared_server.client.get("/healthz/").status_code == 404


def test_an_endless_head_is_refused(shared_server: Served) -> None:
    """Headers are read up to a bound, however fast they come."""
    with _connection(shared_server) as connection:
        connection.sendall(_GET[:-2])
        answer = b""
        try:
            for number in range(20_000):
                connection.sendall(b"X-%d: %s\r\n" % (number, b"a" * 200))
            answer = _read_to_end(connection)
        except (BrokenPipeError, ConnectionResetError):
            pass
        assert answer == b"" or answer.startswith(b"HTTP/1.1 431 ")
    assert shared_server.client.get("/healthz").status_code == 200


def test_half_sent_heads_are_cut(serve: Serve) -> None:
    """400 clients that never end a head are informed and cut; health is answered meanwhile."""
    served = serve(head_seconds=2)
    url = httpx.URL(served.url)
    began = time.monotonic()
    slow = [
        socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_S) for _ in range(400)
    ]
    try:
        for number, connection in enumerate(slow):
            connection.sendall(_GET[: number % len(_GET)])
        assert served.client.get("/healthz").status_code == 200
        answers = [_read_to_end(connection) for connection in slow]
        took = time.monotonic() - began
    finally:
        for connection in slow:
            connection.close()
    assert all(b" 408 " in answer and b"too-slow" in answer for answer in answers)
    assert 2 <= took < 30
    until(lambda: not _others(served), "a connection is left")


def _others(served: Served) -> int:
    """Returns how many connections the server has beside that of the test's client."""
    text = served.client.get("/metrics").text
    line = next(line for line in text.splitlines() if line.startswith("grounded_connections "))
    return int(float(line.split()[1])) - 1


def test_trickled_heads_are_cut(serve: Serve) -> None:
    """One byte now and then does not keep a head alive."""
    served = serve(head_seconds=1)
    with _connection(served) as connection:
        connection.settimeout(0.2)
        deadline = time.monotonic() + 30
        answer = b""
        for byte in _GET * 100:
            assert time.monotonic() < deadline
            try:
                connection.sendall(bytes([byte]) if byte not in b"\r\n" else b"a")
                answer = connection.recv(65_536)
                break
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break
    assert answer == b"" or b" 408 " in answer


def test_a_connection_too_many_learns_when_to_retry(serve: Serve) -> None:
    """Beyond the bound a connection is answered 503 with Retry-After, and the others continue."""
    served = serve(connections=5)
    assert served.client.get("/healthz").status_code == 200
    opened = [socket.create_connection(_place(served), timeout=PATIENCE_S) for _ in range(4)]
    try:
        with _connection(served) as connection:
            got = _read_to_end(connection)
        assert got.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: " in got
        assert b"too-many-connections" in got
        assert served.client.get("/healthz").status_code == 200
    finally:
        for connection in opened:
            connection.close()


def _place(served: Served) -> tuple[str, int]:
    url = httpx.URL(served.url)
    return url.host, url.port or 80


def test_slow_reader_is_disconnected(serve: Serve) -> None:
    """A large answer that the client does not read is ended after a time."""
    served = serve(stall_seconds=1)
    assert served.load().status_code == 200
    body: Any = {"id": "x" * 4_000_000, "workflow": {"name": "a", "nodes": [], "connections": {}}}
    content = json.dumps(body).encode()
    head = (
        f"POST /v1/n8n/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {served.token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    connection = socket.socket()
    # Small buffers of the system: the answer must not fit into them.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.settimeout(PATIENCE_S)
    try:
        connection.connect(_place(served))
        connection.sendall(head.encode() + content)
        connection.recv(100)
        until(lambda: not _others(served), "the connection is kept")
    finally:
        connection.close()
