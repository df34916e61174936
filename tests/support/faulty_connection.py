"""Connects a client to a sidecar by a proxy that breaks, loses answers, or is slow on demand."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.support.loopback import ask
from tests.support.time_bounds import PATIENCE_S

Fate = Literal["pass", "break", "lose"]
_KEPT = ("Authorization", "Content-Type", "User-Agent")
_CHUNK = 4_096


@dataclass(slots=True)
class Line:
    """A faulty connection; ``fate`` decides for each request if it passes, breaks or loses its
    answer.

    ``change`` is applied to each request body, ``rate`` limits the bytes per second towards the
    sidecar, and ``asked`` lists the requested paths.
    """

    sidecar: str
    change: Callable[[bytes], bytes] = lambda body: body
    fate: Callable[[str, bytes], Fate] = lambda _path, _body: "pass"
    rate: float = float("inf")
    asked: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def open_line(sidecar: str, **settings: Any) -> Iterator[Line]:
    """Yields a connection to a sidecar, on a new port."""
    line = Line(sidecar, **settings)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(line))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    line.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield line
    finally:
        server.shutdown()
        server.server_close()


def _handler(line: Line) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._carry("GET")

        def do_POST(self) -> None:
            self._carry("POST")

        def do_DELETE(self) -> None:
            self._carry("DELETE")

        def _carry(self, method: str) -> None:
            body = self._read(int(self.headers.get("Content-Length") or 0))
            line.asked.append(self.path)
            fate = line.fate(self.path, body)
            if fate == "break":
                self.close_connection = True
                return
            headers = {name: self.headers[name] for name in _KEPT if name in self.headers}
            url = line.sidecar + self.path
            answer = ask(
                method, url, content=line.change(body), headers=headers, timeout=PATIENCE_S
            )
            if fate == "lose":
                self.close_connection = True
                return
            self.send_response(answer.status_code)
            self.send_header("Content-Length", str(len(answer.content)))
            self.end_headers()
            self.wfile.write(answer.content)

        def _read(self, length: int) -> bytes:
            parts, result, started = [], 0, time.monotonic()
            while length > 0:
                part = self.rfile.read(min(_CHUNK, length))
                if not part:
                    break
                parts.append(part)
                length -= len(part)
                result += len(part)
                time.sleep(max(0.0, result / line.rate - (time.monotonic() - started)))
            return b"".join(parts)

        def log_message(self, *_: Any) -> None:
            """Suppresses the log of requests."""

    return Handler
