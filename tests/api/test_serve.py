from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from runtime.ports import free_port
from tests.support import catalogs

_SERVE = (
    "from grounded_builder.api.server import serve;"
    "from grounded_builder.settings import from_environment;"
    "serve(from_environment())"
)


@contextmanager
def _running(state: Path, **variables: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    port = str(free_port())
    facts = {"GROUNDED_STATE": str(state), "GROUNDED_PORT": port, **variables}
    started = subprocess.Popen([sys.executable, "-c", _SERVE], env={**os.environ, **facts})
    url = f"http://127.0.0.1:{port}"
    try:
        _wait(url)
        yield started, url
    finally:
        started.terminate()
        started.wait(20)


def _wait(url: str) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{url}/healthz", timeout=5)
        except httpx.TransportError:
            time.sleep(0.02)
        else:
            return
    pytest.fail("the server did not start")


def _headers(state: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {(state / 'token').read_text().strip()}"}


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_ends_when_asked(tmp_path: Path, workers: str) -> None:
    """SIGTERM ends the server soon, with its workers, and the port is free again."""
    with _running(tmp_path, GROUNDED_WORKERS=workers) as (started, url):
        started.send_signal(signal.SIGTERM)
        assert started.wait(15) in (0, -signal.SIGTERM)
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{url}/healthz", timeout=2)


def test_workers_share_what_one_has_loaded(tmp_path: Path) -> None:
    """A catalog pushed to one worker is used by all of them a second later."""
    with _running(tmp_path, GROUNDED_WORKERS="2") as (_, url):
        headers = _headers(tmp_path)
        body = catalogs.acme_bytes()
        loaded = httpx.put(f"{url}/v1/n8n/catalog", content=body, headers=headers, timeout=30)
        assert loaded.status_code == 200
        time.sleep(1.2)
        for _ in range(20):
            # A new connection each time: whichever worker is free takes it.
            answer = httpx.post(
                f"{url}/v1/n8n/validate", json={"workflow": catalogs.workflow()}, headers=headers
            )
            assert answer.json()["catalog"] == loaded.json()["fingerprint"]


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    """Killing a worker costs its requests in flight; another takes its place."""
    with _running(tmp_path, GROUNDED_WORKERS="2") as (started, url):
        children = Path(f"/proc/{started.pid}/task/{started.pid}/children")
        before = set(children.read_text().split())
        assert len(before) == 2
        victim = before.pop()
        os.kill(int(victim), signal.SIGKILL)
        deadline = time.monotonic() + 10
        while len(now := set(children.read_text().split()) - {victim}) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert now > before
        _wait(url)


def test_state_outlives_a_kill(tmp_path: Path) -> None:
    """After kill -9 the catalog, the token and the receipts of before are good."""
    with _running(tmp_path) as (started, url):
        headers = _headers(tmp_path)
        body = catalogs.acme_bytes()
        before = httpx.put(f"{url}/v1/n8n/catalog", content=body, headers=headers).json()
        started.kill()
        started.wait()
    with _running(tmp_path) as (_, url):
        active = httpx.get(f"{url}/readyz").json()["catalogs"]["n8n"]
        assert active == before["fingerprint"]
        assert httpx.get(f"{url}/v1/n8n/catalog", headers=headers).status_code == 200
