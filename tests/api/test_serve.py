from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from runtime.ports import free_port
from tests.support import catalogs
from tests.support.loopback import ask
from tests.support.program import run
from tests.support.time_bounds import PATIENCE_S, until

pytestmark = pytest.mark.sqlite_suffices

_SERVE = (
    "from grounded_builder.interfaces.http.server import serve;"
    "from grounded_builder.domains.known import read_settings;"
    "serve(read_settings())"
)


@contextmanager
def run_server(state: Path, **variables: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = str(free_port())
    facts = {"GROUNDED_STATE": str(state), "GROUNDED_PORT": port, **variables}
    started = subprocess.Popen([sys.executable, "-c", _SERVE], env={**os.environ, **facts})
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(started, url)
        yield started, url
    finally:
        started.terminate()
        started.wait(PATIENCE_S)


def _wait(started: subprocess.Popen[bytes], url: str) -> None:
    def answers() -> bool:
        assert started.poll() is None, "the server ended"
        try:
            ask("GET", f"{url}/healthz", timeout=PATIENCE_S)
        except httpx.TransportError:
            return False
        return True

    until(answers, "the server did not start")


def workers_of(pid: int) -> set[int]:
    """Returns the worker processes of a server; other processes of it have other names."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in children if _name_of(child) == "grounded:worker"}


def _name_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""  # it ended meanwhile


def headers_of(state: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {(state / 'token').read_text().strip()}"}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_ends_when_asked(tmp_path: Path, workers: str) -> None:
    """SIGTERM ends the server soon, with its workers, and the port is free again."""
    with run_server(tmp_path, GROUNDED_WORKERS=workers) as (started, url):
        started.send_signal(signal.SIGTERM)
        assert started.wait(PATIENCE_S) in (0, -signal.SIGTERM)
        with pytest.raises(httpx.ConnectError):
            ask("GET", f"{url}/healthz")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_that_is_taken_is_one_line(tmp_path: Path, workers: str) -> None:
    """The program on the port is not disturbed; a server names its address and token file."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        env = {"GROUNDED_WORKERS": workers}
        made = run(tmp_path, "serve", "--port", port, env=env)
    assert (made.returncode, made.stderr.count(b"\n")) == (2, 1)
    assert f"port {port} of 127.0.0.1 cannot be listened on".encode() in made.stderr


def test_a_started_server_prints_its_address(tmp_path: Path) -> None:
    """The address with the port that was chosen, and the file of the first token."""
    facts = {"GROUNDED_STATE": str(tmp_path), "GROUNDED_PORT": "0"}
    started = subprocess.Popen(
        [sys.executable, "-c", _SERVE], env={**os.environ, **facts}, stderr=subprocess.PIPE
    )
    try:
        assert started.stderr is not None
        results = started.stderr.readline().decode().split()
        assert results[:2] == ["grounded", "serve:"]
        assert ask("GET", f"{results[2][:-1]}/healthz", timeout=PATIENCE_S).status_code == 200
        assert results[3:5] == ["token", "in"]
        assert Path(results[5][:-1]).read_text().startswith("grounded_")
    finally:
        started.terminate()
        started.wait(PATIENCE_S)


def test_workers_share_what_one_has_loaded(tmp_path: Path) -> None:
    """A catalog pushed to one worker is used by all of them soon after, and from then on."""
    with run_server(tmp_path, GROUNDED_WORKERS="2") as (_, url):
        headers = headers_of(tmp_path)
        body = catalogs.acme_bytes()
        patient: dict[str, Any] = {"headers": headers, "timeout": PATIENCE_S}
        loaded = ask("PUT", f"{url}/v1/n8n/catalog", content=body, **patient)
        assert loaded.status_code == 200
        draft = {"workflow": catalogs.workflow()}

        def all_know() -> bool:
            # A new connection each time: whichever worker is free takes it.
            answers = [
                ask("POST", f"{url}/v1/n8n/validate", json=draft, **patient) for _ in range(20)
            ]
            known = {answer.json().get("catalog") for answer in answers}
            return known == {loaded.json()["fingerprint"]}

        until(all_know, "a worker does not know the catalog")
        assert all_know()


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    """Killing a worker costs its requests in flight; another takes its place."""
    with run_server(tmp_path, GROUNDED_WORKERS="2") as (started, url):

        def both() -> set[int] | None:
            now = workers_of(started.pid)
            return now if len(now) == 2 else None

        before = until(both, "there are not two workers")
        victim = before.pop()
        os.kill(victim, signal.SIGKILL)

        def count_replaced() -> set[int] | None:
            now = workers_of(started.pid) - {victim}
            return now if len(now) == 2 else None

        assert until(count_replaced, "no worker took its place") > before
        _wait(started, url)


def test_state_outlives_a_kill(tmp_path: Path) -> None:
    """After kill -9 the catalog, the token and the receipts of before are good."""
    with run_server(tmp_path) as (started, url):
        headers = headers_of(tmp_path)
        body = catalogs.acme_bytes()
        patient: dict[str, Any] = {"headers": headers, "timeout": PATIENCE_S}
        before = ask("PUT", f"{url}/v1/n8n/catalog", content=body, **patient).json()
        started.kill()
        started.wait()
    with run_server(tmp_path) as (_, url):
        active = ask("GET", f"{url}/readyz", timeout=PATIENCE_S).json()["catalogs"]["n8n"]
        assert active == before["fingerprint"]
        assert ask("GET", f"{url}/v1/n8n/catalog", **patient).status_code == 200
