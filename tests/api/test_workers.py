"""Worker processes: the memory that they share, and how they are replaced."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from evals.bench.load import proportional_memory
from tests.api.test_serve import headers_of, run_server, workers_of
from tests.support import catalogs
from tests.support.loopback import ask
from tests.support.time_bounds import PATIENCE_S, until

pytestmark = pytest.mark.sqlite_suffices


def _await_workers(pid: int, count: int) -> set[int]:
    """Returns the workers of a server once there are so many."""

    def all_there() -> set[int] | None:
        children = workers_of(pid)
        return children if len(children) == count else None

    return until(all_there, f"there are not {count} workers")


def test_four_workers_cost_at_most_twice_the_memory_of_one(tmp_path: Path) -> None:
    """They share what their parent loaded, which runs no thread that a fork would lose."""
    memory: dict[int, float] = {}
    for workers in (1, 4):
        with run_server(tmp_path, GROUNDED_WORKERS=str(workers)) as (started, url):
            _await_workers(started.pid, workers)
            if workers == 1:
                body = _large_catalog()
                loaded = ask(
                    "PUT",
                    f"{url}/v1/n8n/catalog",
                    content=body,
                    headers=headers_of(tmp_path),
                    timeout=120,
                )
                assert loaded.status_code == 200
                continue
            assert len(list(Path(f"/proc/{started.pid}/task").iterdir())) == 1
            _ask_each(url, tmp_path)
            memory[workers] = proportional_memory(started.pid)
    with run_server(tmp_path, GROUNDED_WORKERS="1") as (started, url):
        _ask_each(url, tmp_path)
        memory[1] = proportional_memory(started.pid)
    assert memory[4] <= 2 * memory[1], memory


def _ask_each(url: str, state: Path) -> None:
    """Have every worker compile, so that all that they need is there."""
    draft = {"workflow": catalogs.workflow()}
    for _ in range(40):
        ask(
            "POST",
            f"{url}/v1/n8n/validate",
            json=draft,
            headers=headers_of(state),
            timeout=PATIENCE_S,
        ).raise_for_status()


def _large_catalog(tools: int = 1_500) -> bytes:
    """Returns the catalog of `acme` with further tools."""
    more = [
        catalogs.mail() | {"id": f"acme-nodes.extra{number}", "name": f"Extra {number}"}
        for number in range(tools)
    ]
    return catalogs.jsonl(catalogs.add_end_line([*catalogs.acme()[:-1], *more]))


def test_a_silent_worker_is_replaced(tmp_path: Path) -> None:
    """A worker whose event loop does not run is killed, and another one answers."""
    variables = {"GROUNDED_WORKERS": "2", "GROUNDED_SILENT_SECONDS": "2"}
    with run_server(tmp_path, **variables) as (started, url):
        before = _await_workers(started.pid, 2)
        victim = min(before)
        os.kill(victim, signal.SIGSTOP)
        until(lambda: victim not in workers_of(started.pid), "the silent worker is kept")
        _await_workers(started.pid, 2)
        for _ in range(10):
            assert ask("GET", f"{url}/healthz", timeout=PATIENCE_S).status_code == 200


def test_a_killed_server_leaves_no_worker(tmp_path: Path) -> None:
    """Workers end with their parent, however that ends."""
    with run_server(tmp_path, GROUNDED_WORKERS="2") as (started, _):
        workers = _await_workers(started.pid, 2)
        started.kill()
        started.wait(PATIENCE_S)
        until(lambda: not any(_is_running(pid) for pid in workers), "a worker is left")


def _is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_workers_are_renewed_without_a_refusal(tmp_path: Path) -> None:
    """After a large catalog was loaded all workers are forked again, while clients are served."""
    with run_server(tmp_path, GROUNDED_WORKERS="2") as (started, url):
        before = _await_workers(started.pid, 2)
        faults: list[Any] = []
        ended = threading.Event()

        def ask_on() -> None:
            while not ended.is_set():
                try:
                    ask("GET", f"{url}/healthz", timeout=PATIENCE_S).raise_for_status()
                except httpx.HTTPError as error:
                    faults.append(error)
                time.sleep(0.01)

        asking = threading.Thread(target=ask_on)
        asking.start()
        try:
            loaded = ask(
                "PUT",
                f"{url}/v1/n8n/catalog",
                content=_large_catalog(300),
                headers=headers_of(tmp_path),
                timeout=PATIENCE_S,
            )
            assert loaded.status_code == 200

            def is_renewed() -> bool:
                now = workers_of(started.pid)
                return len(now) == 2 and not now & before

            until(is_renewed, "the workers are not renewed")
        finally:
            ended.set()
            asking.join()
        assert faults == []
        active = ask("GET", f"{url}/readyz", timeout=PATIENCE_S).json()["catalogs"]["n8n"]
        assert active == loaded.json()["fingerprint"]
