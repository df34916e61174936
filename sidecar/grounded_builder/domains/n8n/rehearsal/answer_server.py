"""Answers the HTTP requests that a rehearsed workflow sends through the proxy, and records them."""

from __future__ import annotations

import json
import socketserver
import threading
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.exchange import (
    Answer,
    Answering,
    Exchange,
    read_request,
)

_MAX_EXCHANGES = 2_000
_MAX_BYTES = 100_000_000
_REFUSED = Answer(503, b"", "nothing is being rehearsed")
TOO_MANY = f"more than {_MAX_EXCHANGES:,} requests, or {_MAX_BYTES // 1_000_000} MB in them"
_CUT = Answer(503, b"", TOO_MANY, is_cut=True)
_BROKEN = Answer(502, b"", "the answer could not be made")


class AnswerServer:
    """Serves a Unix socket in threads; every request is answered by the current function."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._answering: Answering | None = None
        self._exchanges: list[Exchange] = []
        self._bytes = 0
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                for line in self.rfile:
                    self.wfile.write(outer.answer(line))

        self._server = socketserver.ThreadingUnixStreamServer(str(path), Handler)
        self._server.daemon_threads = True
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()

    def begin(self, answering: Answering) -> None:
        """Answers by this function from now on, with an empty record."""
        with self._lock:
            self._answering, self._exchanges, self._bytes = answering, [], 0

    @property
    def is_full(self) -> bool:
        """Whether further requests are cut off."""
        return len(self._exchanges) >= _MAX_EXCHANGES or self._bytes >= _MAX_BYTES

    def end(self) -> tuple[Exchange, ...]:
        """Returns the record; further requests are refused."""
        with self._lock:
            self._answering = None
            return tuple(self._exchanges)

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, line: bytes) -> bytes:
        """Returns the line that answers a line of the proxy."""
        content: dict[str, Any] = json.loads(line)
        request = read_request(content, b64decode(content["body"]))
        with self._lock:
            answer = self._choose(request)
        reply = {
            "id": content["id"],
            "status": answer.status,
            "headers": dict(answer.headers),
            "body": b64encode(answer.body).decode(),
            "delay_ms": answer.delay_ms,
            "cut": answer.is_cut,
        }
        return json.dumps(reply).encode() + b"\n"

    def _choose(self, request: Any) -> Answer:
        if self._answering is None:
            return _REFUSED
        if self.is_full:
            return _CUT
        self._bytes += len(request.body)
        try:
            answer = self._answering(request)
        except Exception:  # noqa: BLE001 - any request may come, and each one gets an answer
            answer = _BROKEN
        self._exchanges.append(Exchange(request, answer))
        return answer
