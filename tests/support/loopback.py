"""Sends requests to servers on loopback, and serves malformed answers."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import httpx

from tests.support.time_bounds import PATIENCE_S

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""An empty context: reading the certificates of the system takes 24 ms of processor time."""


def ask(method: str, url: str, **options: Any) -> httpx.Response:
    """Returns the complete answer to a request over a new connection.

    Raises httpx.TransportError if the connection is cut.
    """
    with httpx.Client(verify=NO_CERTIFICATES, trust_env=False) as client:
        return client.request(method, url, **options)


@contextmanager
def serve_bytes(answer: bytes) -> Iterator[str]:
    """Yields the address of a server that sends these bytes to each request, and closes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=_answer, args=(server, answer), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def _answer(server: socket.socket, answer: bytes) -> None:
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            connection.recv(1_000_000)
            connection.sendall(answer)
            # Closing before the whole request is read would reset the connection.
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(PATIENCE_S)
            with suppress(OSError):
                while connection.recv(1_000_000):
                    pass
