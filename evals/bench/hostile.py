"""Measures the response gaps, memory and answers of a server under generated hostile requests.

``python -m evals.bench.hostile --count 2000`` sends requests to every route of the published API
and to MCP, one at a time, with a token of each scope and with narrower ones. Prints the longest gap
in health responses and the highest memory of all processes above the level before the request, each
with the request in progress, then the slowest answers and the number of answers by status. The
catalog is the synthetic one of the tests.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx

from evals.bench.hostile_requests import HostileRequest, Requests
from tests.api.test_serve import headers_of, run_server
from tests.support import catalogs

_SEED = 16
_POLL_S = 0.02
_MEMORY_S = 0.05
_TIMEOUT_S = 120.0
_SLOWEST = 5
_ASKED_SILENCE_S = 0.1
_NO_N8N = {"GROUNDED_N8N_URL": "http://127.0.0.1:1", "GROUNDED_N8N_API_KEY": "none"}
_SCOPES: tuple[dict[str, Any], ...] = (
    {"scopes": ["admin"]},
    {"scopes": ["validate"]},
    {"scopes": ["draft"]},
    {"scopes": ["import"]},
    {"scopes": ["import"], "policy": {"no_code": True, "allowed_hosts": ["*.acme.com"]}},
    {"scopes": ["draft"], "policy": {"denied": ["acme.shell"], "core_only": True}},
)


# The start of a health check, its duration in seconds, and its error.
_Poll = tuple[float, float, str]


@dataclass(slots=True)
class Figures:
    """Measured values: seconds, megabytes, the number of gaps over the limit, and answers."""

    silence: tuple[float, str] = (0.0, "")
    too_long: int = 0
    polls: int = 0
    rest: float = 0.0
    rest_after: float = 0.0
    before: float = 0.0
    peak: tuple[float, str] = (0.0, "")
    slowest: list[tuple[float, str]] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    under_way: str = ""
    spans: list[tuple[float, float, str]] = field(default_factory=list)


def main() -> None:
    """Sends the requested number of requests and prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=_SEED)
    options = parser.parse_args()
    began = monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options.count, options.seed)
    print(f"requests: {options.count} in {monotonic() - began:.0f} s")
    print(f"longest silence of health: {figures.silence[0] * 1000:.0f} ms, {figures.silence[1]}")
    print(f"silences over 100 ms: {figures.too_long} of {figures.polls:,}")
    print(f"memory: {figures.rest:.0f} MB at rest, {figures.rest_after:.0f} MB after all requests")
    print(f"most memory of a request: {figures.peak[0]:.0f} MB more, {figures.peak[1]}")
    for seconds, name in figures.slowest:
        print(f"slow answer: {seconds:.1f} s, {name}")
    print("answers: " + ", ".join(f"{key}: {n}" for key, n in sorted(figures.statuses.items())))
    print(f"faults of the server: {len(figures.faults)}")
    for fault in figures.faults:
        print(f"fault: {fault}")


def measure(state: Path, count: int, seed: int) -> Figures:
    """Returns the figures of ``count`` requests that one client sends in sequence."""
    figures = Figures()
    chance = random.Random(seed)
    with run_server(state, GROUNDED_WORKERS="1", **_NO_N8N) as (process, url):
        client = httpx.Client(base_url=url, timeout=_TIMEOUT_S)
        with client:
            client.headers.update(headers_of(state))
            client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).raise_for_status()
            # The first large draft starts the processes that compile.
            client.post("/v1/n8n/validate", json={"draft": "{" + " " * 40_000})
            tokens = [_create_token(client, wanted) for wanted in _SCOPES]
            requests = Requests(client.get("/openapi.json").json(), chance, _create_places(client))
            figures.rest = figures.before = _measure_memory(process.pid)
            with _watch_process(url, process.pid, figures):
                for _ in range(count):
                    request, token = requests.next(), chance.choice(tokens)
                    figures.before = _measure_memory(process.pid)
                    _send(client, request, token, figures)
            figures.rest_after = _measure_memory(process.pid)
    return figures


def _create_token(client: httpx.Client, wanted: dict[str, Any]) -> tuple[str, str]:
    """Returns a new token and the name of its scope."""
    made = client.post("/v1/tokens", json={"label": "hostile", **wanted})
    made.raise_for_status()
    is_narrow = ", narrowed" if "policy" in wanted else ""
    return made.json()["token"], f"{wanted['scopes'][0]}{is_narrow}"


def _create_places(client: httpx.Client) -> dict[str, str]:
    """Returns values that exist on the server, keyed by the names of path parameters."""
    session = client.post("/v1/n8n/sessions", json={"request": "send a mail"}).json()
    tools = [{"name": "mail", "description": "send", "inputSchema": {"type": "object"}}]
    body = {"request": "send", "tools": tools, "drafter": "external"}
    route = client.post("/v1/route", json=body).json()
    places = {"session": session.get("session"), "route": route.get("route")}
    return {name: place for name, place in places.items() if place} | {"tool_id": "acme.mail"}


def _send(
    client: httpx.Client, request: HostileRequest, token: tuple[str, str], figures: Figures
) -> None:
    size = len(request.content)
    place = request.path.split("?")[0][:60]
    name = f"{request.method} {place}: {request.kind}, {size:,} bytes, scope {token[1]}"
    figures.under_way = name
    headers = {
        "Authorization": f"Bearer {token[0]}",
        "Accept": "application/json, text/event-stream",
        **({"Content-Type": request.content_type} if request.content_type else {}),
    }
    began = monotonic()
    try:
        sent = client.request(
            request.method, request.path, content=request.content, headers=headers
        )
        status = str(sent.status_code)
    except httpx.TransportError as error:
        status = type(error).__name__
    seconds = monotonic() - began
    figures.spans.append((began, began + seconds, name))
    figures.statuses[status] += 1
    name = f"{name}, {status}"
    # A 503 response with Retry-After means that a limit held.
    if not status.isdecimal() or (status.startswith("5") and status != "503"):
        figures.faults.append(name)
    figures.slowest = sorted([*figures.slowest, (seconds, name)], reverse=True)[:_SLOWEST]


@contextmanager
def _watch_process(url: str, pid: int, figures: Figures) -> Iterator[None]:
    """Polls health and memory during the block, and adds the longest gap and the peak to
    ``figures``.
    """
    ended = threading.Event()
    # Polls from a separate process, because sending the requests would delay them.
    ours, theirs = Pipe()
    poller = Process(target=_poll_health, args=(url, theirs), daemon=True)

    def poll_memory() -> None:
        while not ended.is_set():
            before, under_way = figures.before, figures.under_way
            more = _measure_memory(pid) - before
            if more > figures.peak[0] and before == figures.before:
                figures.peak = (more, under_way)
            sleep(_MEMORY_S)

    thread = threading.Thread(target=poll_memory)
    poller.start()
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        ours.send("end")
        _add_polls(ours.recv(), figures)
        poller.join()


def _poll_health(url: str, pipe: Connection) -> None:
    """Polls health until it receives a message, then sends the polls."""
    polls: list[_Poll] = []
    with httpx.Client(base_url=url, timeout=_TIMEOUT_S) as client:
        while not pipe.poll():
            began = monotonic()
            fault = ""
            try:
                client.get("/healthz").raise_for_status()
            except httpx.HTTPError as error:
                fault = type(error).__name__
            polls.append((began, monotonic() - began, fault))
            sleep(_POLL_S)
    pipe.send(polls)


def _add_polls(polls: list[_Poll], figures: Figures) -> None:
    figures.polls = len(polls)
    for began, silence, fault in polls:
        # All processes share the system clock.
        names = [
            name for start, end, name in figures.spans if start < began + silence and end > began
        ]
        under_way = " then ".join(names) or "nothing"
        if fault:
            figures.faults.append(f"health: {fault}, {under_way}")
        figures.too_long += silence > _ASKED_SILENCE_S
        figures.silence = max(figures.silence, (silence, under_way))


def _measure_memory(pid: int) -> float:
    """Returns the megabytes of a process and its descendants, with shared pages counted once."""
    total, left = 0, [pid]
    while left:
        process = Path(f"/proc/{left.pop()}")
        # A process may end between listing and reading.
        with suppress(OSError):
            lines = (process / "smaps_rollup").read_text().splitlines()
            total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
            for thread in (process / "task").iterdir():
                with suppress(OSError):
                    left += map(int, (thread / "children").read_text().split())
    return total / 1000


if __name__ == "__main__":
    main()
