"""Answers the HTTP requests of a rehearsed workflow, and records what it sends by any protocol."""

from __future__ import annotations

import contextlib
import json
import socketserver
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grounded_builder.domains.n8n.rehearsal.exchange import (
    Answer,
    Answering,
    Exchange,
    Request,
    Turn,
    read_request,
)

_MAX_EXCHANGES = 2_000
_MAX_BYTES = 100_000_000
# Answers are made in turn, since what one creates the next may read; a slow one is not waited for.
_TURN_S = 1.0
# At most as many answers are being made at once, each for a request of up to 20 MB.
_AT_ONCE = 8
_REFUSED = Answer(503, b"", "nothing is being rehearsed")
TOO_MANY = (
    f"more than {_MAX_EXCHANGES:,} requests, or {_MAX_BYTES // 1_000_000} MB in them and in their"
    " answers"
)
_CUT = Answer(503, b"", TOO_MANY, is_cut=True)
_BROKEN = Answer(502, b"", "the answer could not be made")

Prepare = Callable[[str, str], Turn]
"""Returns what a server is told for a protocol and the URL with the name of the client."""


@dataclass(slots=True)
class _Record:
    """The requests of one run with their answers; ``size`` is the number of bytes in them."""

    answering: Answering
    prepare: Prepare | None = None
    exchanges: list[Exchange] = field(default_factory=list)
    size: int = 0
    turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_full(self) -> bool:
        return len(self.exchanges) >= _MAX_EXCHANGES or self.size >= _MAX_BYTES

    def keep(self, exchange: Exchange) -> None:
        """Adds a request with its answer."""
        self.exchanges.append(exchange)
        self.size += len(exchange.request.body) + len(exchange.answer.body)


class AnswerServer:
    """Serves a Unix socket in threads; every request is answered by the current function.

    A request whose answer takes long delays others by a second at most, and the end of the run not
    at all.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._current: _Record | None = None
        self._is_full = False
        self._run = 0
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            """Answers each line of the proxy in a thread of its own."""

            def handle(self) -> None:
                writing, places = threading.Lock(), threading.Semaphore(_AT_ONCE)

                def work(line: bytes) -> None:
                    reply = outer.answer(line)
                    places.release()
                    with writing, contextlib.suppress(OSError, ValueError):
                        self.wfile.write(reply)

                for line in self.rfile:
                    places.acquire()
                    threading.Thread(target=work, args=(line,), daemon=True).start()

        self._server = socketserver.ThreadingUnixStreamServer(str(path), Handler)
        self._server.daemon_threads = True
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()

    def begin(self, answering: Answering, prepare: Prepare | None = None) -> None:
        """Answers by this function from now on, with an empty record.

        ``prepare`` states the content of servers for other protocols; these begin anew.
        """
        with self._lock:
            self._current, self._is_full = _Record(answering, prepare), False
            self._run += 1

    @property
    def is_full(self) -> bool:
        """Whether requests of the present or the last run are cut off."""
        return self._is_full

    def end(self) -> tuple[Exchange, ...]:
        """Returns the record in the order of the requests; further requests are refused."""
        with self._lock:
            record, self._current = self._current, None
            exchanges = [] if record is None else record.exchanges
            return tuple(sorted(exchanges, key=lambda exchange: exchange.request.at_ms))

    def close(self) -> None:
        """Stops serving."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, line: bytes) -> bytes:
        """Returns the line that answers a line of the proxy."""
        content: dict[str, Any] = json.loads(line)
        if "server" in content:
            return self._answer_server(content)
        answer = self._choose(read_request(content, b64decode(content["body"])))
        reply = {
            "id": content["id"],
            "status": answer.status,
            "headers": dict(answer.headers),
            "body": b64encode(answer.body).decode(),
            "delay_ms": answer.delay_ms,
            "cut": answer.is_cut,
        }
        return json.dumps(reply).encode() + b"\n"

    def _answer_server(self, content: Mapping[str, Any]) -> bytes:
        """Records what a server of another protocol carried out, or states the present run."""
        reply: dict[str, Any] = {"id": content["id"], "run": 0, "fault": "", "setup": {}}
        with self._lock:
            record, run = self._current, self._run
            if record is not None and not record.is_full:
                reply["run"] = run
                if "method" in content:
                    record.keep(_read_exchange(content))
                    self._is_full = record.is_full
        if reply["run"] and "method" not in content and record is not None and record.prepare:
            turn = record.prepare(content["server"], content["url"])
            reply |= {"fault": turn.fault, "setup": turn.setup}
        return json.dumps(reply).encode() + b"\n"

    def _choose(self, request: Request) -> Answer:
        with self._lock:
            record = self._current
        if record is None:
            return _REFUSED
        if record.is_full:
            return _CUT
        has_turn = record.turn.acquire(timeout=_TURN_S)
        try:
            answer = record.answering(request)
        except Exception:  # noqa: BLE001 - any request may come, and each one gets an answer
            answer = _BROKEN
        finally:
            if has_turn:
                record.turn.release()
        with self._lock:
            if record.is_full:
                return _CUT
            record.keep(Exchange(request, answer))
            if record is self._current:
                self._is_full = record.is_full
        return answer


def _read_exchange(content: Mapping[str, Any]) -> Exchange:
    """Reads what a server of another protocol carried out; its answer is JSON."""
    headers = {"content-type": "application/json"}
    body = b64decode(content["answer"])
    answer = Answer(int(content["status"]), body, content["source"], headers)
    return Exchange(read_request(content, b64decode(content["body"])), answer)
