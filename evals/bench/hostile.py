"""Send generated hostile bodies to a server: ``python -m evals.bench.hostile --count 2000``.

Prints the longest silence of health, the slowest answer, the answers of each status, and the
most memory above rest of all processes together. The catalog is the invented one of the tests.
"""

from __future__ import annotations

import argparse
import base64
import io
import random
import tempfile
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import orjson

from tests.api.test_serve import headers_of, running
from tests.support import catalogs

_SEED = 16
_MOST_BYTES = 8_000_000
_SIZES = (30_000, 100_000, 400_000, 2_000_000, 7_900_000)
_POLL_S = 0.02
_MEMORY_S = 0.05
_TIMEOUT_S = 120.0

_TEXTS: dict[str, Callable[[int], str]] = {
    "unclosed string": lambda size: '{"a":"' + '\\"' * (size // 2),
    "nested": lambda size: "[" * size,
    "fences": lambda size: "```json\n{" * (size // 9),
    "blanks": lambda size: "{" + " " * size,
    "backticks": lambda size: "`" * size,
    "commas": lambda size: '{"nodes": [' + "{}," * (size // 3),
}
_VALUES: dict[str, Callable[[int], Any]] = {
    "lists": lambda size: {"nodes": [[]] * (size // 3)},
    "objects": lambda size: {"nodes": [{"a": 1}] * (size // 8)},
    "keys": lambda size: {f"k{n}": 1 for n in range(size // 10)},
    "nodes": lambda size: {"nodes": [_node(n) for n in range(size // 120)], "connections": {}},
    "expression": lambda size: _workflow("={{ '" + "\\'" * (size // 2)),
    "code": lambda size: _workflow('"' + '\\"' * (size // 2)),
    "paths": lambda size: _workflow("={{ $json" + ".a" * (size // 2) + " }}"),
}


@dataclass(slots=True)
class Figures:
    """What was measured: seconds, megabytes, and how many answers of each status."""

    silence: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    rest: float = 0.0
    peak: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)


def main() -> None:
    """Run as many bodies as asked for and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=_SEED)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder), options.count, options.seed)
    print(f"longest silence of health: {figures.silence * 1000:.0f} ms")
    print(f"slowest answer: {figures.slowest[0]:.1f} s, {figures.slowest[1]}")
    print(f"memory: {figures.rest:.0f} MB at rest, {figures.peak - figures.rest:.0f} MB above it")
    print("answers: " + ", ".join(f"{key}: {n}" for key, n in sorted(figures.statuses.items())))
    print(f"answers of 500: {figures.statuses['500']}")


def measure(state: Path, count: int, seed: int) -> Figures:
    """Returns the figures of so many bodies, sent by one client after another."""
    figures = Figures()
    chance = random.Random(seed)
    with running(state, GROUNDED_WORKERS="1") as (process, url):
        headers = headers_of(state)
        with httpx.Client(base_url=url, headers=headers, timeout=_TIMEOUT_S) as client:
            client.put("/v1/n8n/catalog", content=catalogs.acme_bytes()).raise_for_status()
            # The processes that compile are started by the first large draft.
            client.post("/v1/n8n/validate", json={"draft": "{" + " " * 40_000})
            figures.rest = figures.peak = _memory_below(process.pid)
            with _watched(url, process.pid, figures):
                for _ in range(count):
                    _send(client, chance, figures)
    return figures


def _send(client: httpx.Client, chance: random.Random, figures: Figures) -> None:
    size = chance.choice(_SIZES)
    kind, path, body = _body(client, chance, size)
    raw = orjson.dumps(body)
    if len(raw) > _MOST_BYTES:
        kind, raw = f"{kind}, cut", raw[:_MOST_BYTES]
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    began = monotonic()
    try:
        status = str(client.post(path, content=raw, headers=headers).status_code)
    except httpx.TransportError as error:
        status = type(error).__name__
    figures.statuses[status] += 1
    name = f"{path}: {kind}, {len(raw):,} bytes, {status}"
    figures.slowest = max(figures.slowest, (monotonic() - began, name))


def _body(client: httpx.Client, chance: random.Random, size: int) -> tuple[str, str, Any]:
    """Returns a kind of body, the path it goes to, and the body."""
    way = chance.choice(["text", "value", "file", "tools", "plan", "reply", "edit", "mcp"])
    kind = chance.choice(list(_TEXTS))
    text = _TEXTS[kind](size)
    if way == "text":
        path = chance.choice(["n8n/validate", "n8n/build", "n8n/repair", "n8n/import", "n8n/trial"])
        return kind, f"/v1/{path}", {"draft": text}
    if way == "value":
        kind = chance.choice(list(_VALUES))
        path = chance.choice(["validate", "build", "repair", "trial", "import"])
        key = "draft" if path == "import" else "workflow"
        return kind, f"/v1/n8n/{path}", {key: _VALUES[kind](size)}
    if way == "file":
        kind, raw = _file(chance, size)
        return kind, "/v1/simulink/validate", {"model": base64.b64encode(raw).decode()}
    if way == "tools":
        schema = {"type": "string", "pattern": "(a*)*" * 20 + "$"}
        tool = {"name": "mail", "inputSchema": {"type": "object", "properties": {"to": schema}}}
        return f"tools, {kind}", "/v1/tools/validate", {"tools": [tool], "draft": text}
    if way == "plan":
        steps = [{"id": f"s{n}", "tool": f"tool {n}"} for n in range(size // 40)]
        edges = [{"from": f"s{n}", "to": f"s{n + 1}"} for n in range(len(steps) - 1)]
        return "plan", "/v1/n8n/build", {"plan": {"steps": steps, "edges": edges}}
    if way == "reply":
        session = client.post("/v1/n8n/sessions", json={"request": "send a mail"}).json()
        return kind, f"/v1/sessions/{session.get('session', 'none')}/drafts", {"reply": text}
    if way == "edit":
        document = _VALUES["lists"](size)
        return "lists", "/v1/n8n/edit", {"request": "rename it", "document": document}
    call = {"name": "validate", "arguments": {"domain": "n8n", "draft": text}}
    return f"mcp, {kind}", "/mcp", _call(call)


def _call(parameters: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": parameters}


def _file(chance: random.Random, size: int) -> tuple[str, bytes]:
    """Returns a model file that is much larger once it is read."""
    if chance.random() < 0.5:
        raw = b'Model {\nName "a"\nX ' + b'"x"\n' * (size // 8) + b"System {\n}\n}"
        return "continued text", raw
    element = chance.choice(["<a/>", "<a>", '<P Name="a">1</P>', '<a b="" c="" d=""/>'])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        inside = element * (size * 5 // len(element))
        content = f"<ModelInformation><Model><System>{inside}</System></Model></ModelInformation>"
        archive.writestr("simulink/blockdiagram.xml", content)
    return f"elements {element}", buffer.getvalue()


def _node(number: int) -> dict[str, Any]:
    return {
        "name": f"a{number}",
        "type": f"acme.nope{number}",
        "parameters": {"a": "={{ $json.a }}"},
    }


def _workflow(value: str) -> dict[str, Any]:
    node = {"name": "a", "type": "acme.mail", "typeVersion": 1, "parameters": {"text": value}}
    return {"nodes": [node], "connections": {}}


@contextmanager
def _watched(url: str, pid: int, figures: Figures) -> Iterator[None]:
    """Polls health and memory meanwhile; the longest silence and the peak go into the figures."""
    ended = threading.Event()

    def poll_health() -> None:
        with httpx.Client(base_url=url, timeout=_TIMEOUT_S) as client:
            while not ended.is_set():
                began = monotonic()
                client.get("/healthz")
                figures.silence = max(figures.silence, monotonic() - began)
                sleep(_POLL_S)

    def poll_memory() -> None:
        while not ended.is_set():
            figures.peak = max(figures.peak, _memory_below(pid))
            sleep(_MEMORY_S)

    threads = [threading.Thread(target=work) for work in (poll_health, poll_memory)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _memory_below(pid: int) -> float:
    """Returns the megabytes of a process and all below it, shared ones counted once."""
    total, left = 0, [pid]
    while left:
        process = Path(f"/proc/{left.pop()}")
        # A process may end between being listed and being read.
        with suppress(OSError):
            lines = (process / "smaps_rollup").read_text().splitlines()
            total += next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
            for thread in (process / "task").iterdir():
                with suppress(OSError):
                    left += map(int, (thread / "children").read_text().split())
    return total / 1000


if __name__ == "__main__":
    main()
