"""A real server on a loopback port, over a real SQLite file, with the invented catalog."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from sqlalchemy import Engine, event

from grounded_builder.interfaces.http.server import server as server_of
from grounded_builder.interfaces.http.state import State
from grounded_builder.settings import Settings
from grounded_builder.storage import timestamps
from tests.support import catalogs
from tests.support.answer_schemas import check_answer
from tests.support.clock import Clock
from tests.support.databases import url_of
from tests.support.loopback import NO_CERTIFICATES
from tests.support.shipped_catalogs import read_catalogs_once
from tests.support.time_bounds import PATIENCE_S


@dataclass(frozen=True, slots=True)
class Served:
    """A running server, a client that carries its first token, and the state behind it."""

    url: str
    token: str
    client: httpx.Client
    settings: Settings
    state: State

    def bare(self, **options: Any) -> httpx.Client:
        """A client without a token."""
        return httpx.Client(
            verify=NO_CERTIFICATES, base_url=self.url, timeout=PATIENCE_S, **options
        )

    def load(self, content: bytes | None = None, **params: str) -> httpx.Response:
        """Push a catalog; that of `acme` unless another is given."""
        body = catalogs.acme_bytes() if content is None else content
        return self.client.put("/v1/n8n/catalog", content=body, params=params)


Serve = Callable[..., Served]


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """A catalog is read once by all servers of the run: many begin again, and ship the same one."""
    with pytest.MonkeyPatch.context() as patch:
        read_catalogs_once(patch.setattr)
        yield


@pytest.fixture(scope="session", autouse=True)
def database_off_the_loop() -> Iterator[None]:
    """No statement runs on the event loop: whatever it takes, other requests are answered."""

    def expect_thread(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        with suppress(RuntimeError):
            asyncio.get_running_loop()
            raise AssertionError(f"on the event loop: {statement}")

    event.listen(Engine, "before_cursor_execute", expect_thread)
    yield
    event.remove(Engine, "before_cursor_execute", expect_thread)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Starts servers; keyword arguments are settings. All are ended with the test."""
    with servers(tmp_path) as start:
        yield start


@pytest.fixture
def empty(serve: Serve) -> Served:
    """A server that has no catalog."""
    return serve()


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with the catalog of `acme`; tests of a module share it and leave it so."""
    with servers(tmp_path_factory.mktemp("served")) as start:
        result = start()
        assert result.load().status_code == 200
        yield result


@pytest.fixture
def idle(shared_server: Served) -> Iterator[Served]:
    """The shared server; jobs that a test leaves open are cancelled after it."""
    yield shared_server
    for job in shared_server.client.get("/v1/simulink/jobs", params={"limit": 100}).json()["jobs"]:
        shared_server.client.delete(f"/v1/simulink/jobs/{job['id']}")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    """The clock of every server of the test: leases and sessions end when it is moved on.

    That of a shared database counts before it, and would have to move with it.
    """
    Clock.off = timedelta()
    monkeypatch.setattr(timestamps, "follow", lambda _: None)
    monkeypatch.setattr(timestamps, "datetime", Clock)
    return Clock


@contextmanager
def servers(state: Path) -> Iterator[Serve]:
    running: list[tuple[uvicorn.Server, threading.Thread, httpx.Client]] = []

    def start(**changes: Any) -> Served:
        facts: dict[str, Any] = {
            "state": state,
            "database_url": url_of(state),
            "port": 0,
        } | changes
        settings = Settings(**facts)
        server = server_of(settings)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        deadline = time.monotonic() + PATIENCE_S
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            assert time.monotonic() < deadline, "the server took too long to start"
            time.sleep(0.005)
        port = server.servers[0].sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}"
        token = (settings.state / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        # Whatever a test asks, the answer is of the shape that the server publishes.
        hooks = {"response": [check_answer]}
        client = httpx.Client(
            verify=NO_CERTIFICATES,
            base_url=url,
            headers=headers,
            timeout=PATIENCE_S,
            event_hooks=hooks,
        )
        running.append((server, thread, client))
        app: Any = server.config.app
        return Served(url, token, client, settings, app.state.grounded)

    try:
        yield start
    finally:
        for server, thread, client in running:
            client.close()
            server.should_exit = True
            thread.join(PATIENCE_S)
            assert not thread.is_alive(), "the server did not end"
