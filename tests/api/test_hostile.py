"""Hostile drafts and bodies hold up neither the server nor other callers."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from grounded_builder.compiler.name_stats import NameOccurrence
from grounded_builder.services.isolation import service
from tests.api.conftest import Served, servers
from tests.api.test_serve import headers_of, run_server
from tests.support import catalogs
from tests.support.growth import confirm_fault
from tests.support.loopback import ask
from tests.support.time_bounds import PATIENCE_S

pytestmark = pytest.mark.sqlite_suffices

# Two busy cores and a server in the process of the tests: a tenth of it is asked of a real one.
_SILENCE_S = 1.0
# Without the change of threads that the server asks for, it is half a second.
_STATEMENTS_S = 0.1
_UNCLOSED = '{"a":"' + '\\"' * 200_000
_ACCEPTED = {"Accept": "application/json, text/event-stream"}
_TOOLS = [{"name": "mail", "description": "send", "inputSchema": {"type": "object"}}]


@pytest.fixture(scope="module")
def bounded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a short deadline, whose compile processes have been used."""
    with servers(tmp_path_factory.mktemp("bounded")) as start:
        server = start(deadline_s=5.0, inline_bytes=100_000)
        assert server.load().status_code == 200
        server.client.post("/v1/n8n/validate", json={"draft": "{" + " " * 40_000})
        yield server


@contextmanager
def _health_polled(served: Served) -> Iterator[list[float]]:
    """The silences of the server meanwhile, in seconds."""
    silences: list[float] = []
    ended = threading.Event()

    def poll() -> None:
        with served.bare() as client:
            while not silences or not ended.is_set():
                began = time.monotonic()
                assert client.get("/healthz").status_code == 200
                silences.append(time.monotonic() - began)
                time.sleep(0.02)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield silences
    finally:
        ended.set()
        thread.join(PATIENCE_S)


def _session(served: Served) -> str:
    opened = served.client.post("/v1/n8n/sessions", json={"request": "send a mail"}).json()
    return f"/v1/sessions/{opened['session']}/drafts"


def _route(served: Served) -> str:
    body = {"request": "send", "tools": _TOOLS, "drafter": "external"}
    return f"/v1/route/{served.client.post('/v1/route', json=body).json()['route']}/reply"


_REQUESTS: dict[str, Callable[[Served], tuple[str, Any]]] = {
    "validate": lambda _: ("/v1/n8n/validate", {"draft": _UNCLOSED}),
    "tools": lambda _: ("/v1/tools/validate", {"draft": _UNCLOSED, "tools": _TOOLS}),
    "build": lambda _: ("/v1/n8n/build", {"draft": _UNCLOSED}),
    "trial": lambda _: ("/v1/n8n/trial", {"draft": _UNCLOSED}),
    "import": lambda _: ("/v1/n8n/import", {"draft": _UNCLOSED}),
    "session": lambda served: (_session(served), {"reply": _UNCLOSED}),
    "route": lambda served: (_route(served), {"reply": _UNCLOSED}),
    "wide": lambda _: ("/v1/n8n/validate", {"workflow": {"nodes": [[]] * 1_000_000}}),
    "findings": lambda _: ("/v1/n8n/validate", {"workflow": {"nodes": [[]] * 150_000}}),
    "faults": lambda _: ("/v1/n8n/trial", {"workflow": {}, "samples": {"a": [1] * 140_000}}),
    "keys": lambda _: ("/v1/n8n/sessions", {f"k{n}": 1 for n in range(140_000)}),
    "mcp": lambda _: ("/mcp", _call({"domain": "n8n", "draft": "[[]" + ",[]" * 1_000_000 + "]"})),
}


def test_many_short_statements_do_not_hold_the_server(bounded_server: Served) -> None:
    """A thread that gives up the interpreter lock often leaves it to the event loop in between."""

    async def longest_wait() -> float:
        waits, flush = [0.0], asyncio.create_task(asyncio.to_thread(bounded_server.state.flush))
        while not flush.done():
            began = time.monotonic()
            await asyncio.sleep(0.002)
            waits.append(time.monotonic() - began)
        return max(waits)

    def measure() -> str:
        for number in range(1_000):
            name = NameOccurrence("unknown", f"tool {time.monotonic()} {number}")
            bounded_server.state.names["n8n", name] += 1
        waited = asyncio.run(longest_wait())
        return f"{waited:.2f} s" if waited > _STATEMENTS_S else ""

    assert not confirm_fault(measure)


def _call(arguments: dict[str, Any]) -> dict[str, Any]:
    parameters = {"name": "validate", "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


@pytest.mark.parametrize("kind", _REQUESTS)
def test_health_is_answered_meanwhile(bounded_server: Served, kind: str) -> None:
    """Every route answers a hostile draft in time, and the health route answers at once."""
    path, body = _REQUESTS[kind](bounded_server)
    with _health_polled(bounded_server) as silences:
        began = time.monotonic()
        answer = bounded_server.client.post(path, json=body, headers=_ACCEPTED)
        taken = time.monotonic() - began
    assert answer.status_code in (200, 400, 413, 503), answer.text
    assert taken < 15.0
    assert max(silences) < _SILENCE_S


def test_full_compile_queue_answers_429(
    bounded_server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If all compile processes work and the queue is full, 429 states the seconds to wait."""
    monkeypatch.setattr(service, "_WAITING", 1)
    compiler = bounded_server.state.compiler
    at_work = [compiler.submit_isolated(partial(time.sleep, 2)) for _ in range(3)]
    until = time.monotonic() + PATIENCE_S
    while compiler.processes.waiting_count == 0 and time.monotonic() < until:
        time.sleep(0.01)
    answer = bounded_server.client.post("/v1/n8n/validate", json={"draft": "{" + " " * 40_000})
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "busy"
    assert 1 <= int(answer.headers["Retry-After"]) <= 120
    futures.wait(at_work, PATIENCE_S)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_ends_in_time_whatever_is_compiled(tmp_path: Path, workers: str) -> None:
    """SIGTERM ends the server within five seconds with a hostile draft under way."""
    body: dict[str, Any] = {"workflow": {"nodes": [[]] * 190_000}}
    with run_server(tmp_path, GROUNDED_WORKERS=workers) as (started, url):
        asked: dict[str, Any] = {"headers": headers_of(tmp_path), "timeout": PATIENCE_S}
        loaded = ask("PUT", f"{url}/v1/n8n/catalog", content=catalogs.acme_bytes(), **asked)
        assert loaded.status_code == 200

        def send() -> None:
            with suppress(httpx.TransportError):
                ask("POST", f"{url}/v1/n8n/validate", json=body, **asked)

        thread = threading.Thread(target=send, daemon=True)
        thread.start()
        time.sleep(0.5)
        assert thread.is_alive()
        began = time.monotonic()
        started.send_signal(signal.SIGTERM)
        started.wait(PATIENCE_S)
        assert time.monotonic() - began < 5.0
