"""Jobs outlive the sidecar that serves them, wherever it is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from runtime.paths import ROOT
from runtime.ports import free_port
from tests.api.conftest import Served
from tests.support.jobs import PLAN, WHOLE, make_missing_block_report
from tests.support.killed_jobs import POINTS
from tests.support.loopback import NO_CERTIFICATES, ask
from tests.support.time_bounds import PATIENCE_S, until

_LEASE_S = 1.5
SINE = "simulink/Sources/Sine Wave"


class Client:
    """Asks one server, and for good another one when that falls silent."""

    def __init__(self, first: str, second: str, token: str) -> None:
        self._urls = [first, second]
        headers = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(verify=NO_CERTIFICATES, headers=headers, timeout=PATIENCE_S)

    def ask(self, method: str, path: str, **body: Any) -> dict[str, Any]:
        """The job in the answer; empty without one. A question that was cut off is asked again."""
        sent = body if method == "POST" else None
        while True:
            url = f"{self._urls[0]}/v1/simulink/jobs{path}"
            try:
                answer = self._http.request(method, url, json=sent)
            except httpx.TransportError:
                self._urls.pop(0)
                continue
            assert answer.status_code in (200, 409), answer.text
            jobs: list[dict[str, Any]] = answer.json().get("jobs") or []
            return jobs[0] if jobs else {}


def _work(client: Client, key: str) -> dict[str, Any]:
    """Submit a job and be its worker, until it has ended."""
    job = client.ask("POST", "", plan=PLAN, key=key, attempts=5)

    def work_once() -> dict[str, Any] | None:
        taken = client.ask("POST", "/lease", worker="w", seconds=_LEASE_S)
        if taken:
            report = make_missing_block_report(SINE) if f"'{SINE}'" in taken["script"] else WHOLE
            client.ask("POST", f"/{job['id']}/result", lease=taken["lease"], report=report)
        now = client.ask("GET", f"/{job['id']}")
        return now if now["state"] in ("built", "failed") else None

    return until(work_once, f"job {job['id']} does not end")


def _list_jobs(survivor: Served) -> list[dict[str, Any]]:
    jobs: list[dict[str, Any]] = survivor.client.get("/v1/simulink/jobs").json()["jobs"]
    return jobs


@pytest.fixture(scope="module")
def fork_parent(shared_server: Served) -> Iterator[subprocess.Popen[bytes]]:
    """Forks sidecars over the state of the one that survives."""
    state = str(shared_server.settings.state)
    facts = {"GROUNDED_STATE": state, "GROUNDED_DATABASE_URL": shared_server.settings.database_url}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.killed_jobs"],
        cwd=ROOT,
        env={**os.environ, **facts},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def _fork_at(doomed: subprocess.Popen[bytes], point: str) -> str:
    """The address of a sidecar that will kill itself, once it answers."""
    port = free_port()
    assert doomed.stdin is not None
    doomed.stdin.write(json.dumps({"point": point, "port": port}).encode() + b"\n")
    doomed.stdin.flush()
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            ask("GET", f"{url}/healthz", timeout=PATIENCE_S)
        except httpx.TransportError:
            return False
        return True

    until(answers, "the server did not start")
    return url


@pytest.mark.parametrize("point", POINTS)
def test_a_job_outlives_its_sidecar(
    point: str, shared_server: Served, fork_parent: subprocess.Popen[bytes]
) -> None:
    """Killed at any point, with another server in its place: one job, one result, none twice."""
    survivor = shared_server
    before = {item["id"] for item in _list_jobs(survivor)}
    done = _work(Client(_fork_at(fork_parent, point), survivor.url, survivor.token), key=point)
    assert fork_parent.stdout is not None
    assert int(fork_parent.stdout.readline()) == signal.SIGKILL
    assert done["state"] == "built"
    assert {item["id"] for item in _list_jobs(survivor)} - before == {done["id"]}
    silent = [item for item in done["attempts"] if item["silent"]]
    failed, built = [item for item in done["attempts"] if not item["silent"]]
    # Nobody had heard of a lease that was not answered: it ran out.
    assert len(silent) == point.startswith("leased")
    assert (failed["ok"], built["ok"]) == (False, True)
    assert failed["lease"] != built["lease"]
    assert f"'{SINE}'" not in done["script"]
    for attempt in (failed, built):
        run = survivor.client.get(f"/v1/runs/{attempt['run']}").json()
        assert run["outcome"] in ("built", "incomplete")
    assert survivor.client.post("/v1/simulink/jobs/lease", json={}).json()["jobs"] == []
