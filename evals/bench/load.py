"""Measures the answers and memory of servers under load: ``python -m evals.bench.load``.

8 and then 32 clients with persistent connections validate a workflow of 15 nodes repeatedly,
against servers of 1, 2 and 4 workers with the catalog of the installed n8n. wrk (from Debian) sends
the requests. The server caches nodes, so all requests but the first are answered from the cache;
``--workflows 500`` sends that many workflows in turn, without equal nodes and too many for the
cache. Memory is the proportional share of all processes of a server, including the parent.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from evals.bench.load_workflow import make_workflow
from runtime import catalog_sync
from runtime.ports import free_port

_GROUNDED = Path(sys.executable).with_name("grounded")
_SCRIPT = Path(__file__).with_name("load.lua")
_READY_S = 60.0
_WARM_S = 3


@dataclass(frozen=True, slots=True)
class LoadServer:
    """A running server: its address, its state folder and its process id."""

    url: str
    state: Path
    pid: int

    def token(self) -> str:
        """Returns the first token of the server."""
        return (self.state / "token").read_text().strip()


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counts of wrk; times are in milliseconds, ``lost`` counts connection errors."""

    per_second: float
    p50: float
    p95: float
    refused: int
    lost: int


def main() -> None:
    """Prints the table."""
    asked = _parse_arguments()
    if shutil.which("wrk") is None:
        raise SystemExit("wrk is not installed: run scripts/system.sh load")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        state, catalog = home / "state", asked.catalog or home / "catalog.jsonl"
        if asked.catalog is None:
            catalog_sync.to_file(catalog)
        body = home / "body.json"
        bodies = ({"workflow": make_workflow(number)} for number in range(asked.workflows))
        body.write_text("\n".join(map(json.dumps, bodies)))
        load_catalog(state, catalog)
        _print_row("workers", "clients", "requests/s", "p50 ms", "p95 ms", "refused", "lost")
        memory: list[tuple[int, float, float]] = []
        for workers in asked.workers:
            with run_server(state, workers) as server:
                before = proportional_memory(server.pid)
                send(server, body, 32, _WARM_S)
                for clients in asked.clients:
                    outcome = send(server, body, clients, asked.seconds)
                    figures = (outcome.per_second, outcome.p50, outcome.p95)
                    shown = (f"{figure:.0f}" for figure in figures)
                    _print_row(workers, clients, *shown, outcome.refused, outcome.lost)
                memory.append((workers, before, proportional_memory(server.pid)))
        _print_row()
        _print_row("workers", "MB ready", "MB after")
        for workers, ready, after in memory:
            _print_row(workers, f"{ready:.0f}", f"{after:.0f}")


def load_catalog(state: Path, catalog: Path) -> None:
    """Makes a catalog file the active one of a state folder."""
    env = {**os.environ, "GROUNDED_STATE": str(state)}
    command = [str(_GROUNDED), "catalog", "load", str(catalog)]
    subprocess.run(command, check=True, env=env, capture_output=True)


@contextmanager
def run_server(state: Path, workers: int, **variables: str) -> Iterator[LoadServer]:
    """Yields a server that is ready, and stops it at the end of the block."""
    port = free_port()
    facts = {"GROUNDED_STATE": str(state), "GROUNDED_WORKERS": str(workers), **variables}
    command = [str(_GROUNDED), "serve", "--port", str(port)]
    process = subprocess.Popen(command, env={**os.environ, **facts})
    url = f"http://127.0.0.1:{port}"
    try:
        _await_ready(url, process)
        time.sleep(1)  # gives every worker time to start
        yield LoadServer(url, state, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def send(server: LoadServer, body: Path, clients: int, seconds: int) -> Outcome:
    """Has wrk post the lines of a file in turn to the n8n validation route."""
    env = {**os.environ, "LOAD_TOKEN": server.token(), "LOAD_BODY": str(body)}
    command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s"]
    url = f"{server.url}/v1/n8n/validate"
    done = subprocess.run(
        [*command, "-s", str(_SCRIPT), url], check=True, env=env, capture_output=True, text=True
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOAD "))
    count, duration, p50, p95, refused, lost = map(int, line.split()[1:])
    return Outcome(count / duration * 1e6, p50 / 1000, p95 / 1000, refused, lost)


def proportional_memory(pid: int) -> float:
    """Returns the megabytes of a process and its descendants, with shared pages counted once."""
    return sum(_read_memory(number) for number in tree_of(pid)) / 1000


def tree_of(pid: int) -> list[int]:
    """Returns the ids of a process and its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(below for child in children for below in tree_of(int(child)))]


def _read_memory(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def _await_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _READY_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if requests.get(f"{url}/readyz", timeout=5).ok:
                return
        except requests.RequestException:
            time.sleep(0.05)
    raise SystemExit("the server did not become ready")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure a server under load.")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--clients", type=int, nargs="+", default=[8, 32])
    parser.add_argument("--seconds", type=int, default=12)
    parser.add_argument("--workflows", type=int, default=1, help="number of different workflows")
    parser.add_argument("--catalog", type=Path, help="a catalog file, instead of a fresh one")
    return parser.parse_args()


def _print_row(*cells: object) -> None:
    sys.stdout.write("".join(f"{cell!s:>12}" for cell in cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
