"""Measures the time and memory of sync, start and compilation, for ``make bench``.

Prints one figure per line. Uses the 2,000 workflows of the shared data if they are present,
otherwise the examples of this repository. Each workflow is compiled once, without a result cache.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import Any

import requests

from evals.bench.load import proportional_memory, tree_of
from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.ir.options import CompileOptions
from runtime import catalog_sync, paths

_SHARED = paths.ROOT.parent / "shared" / "data" / "n8n" / "workflows.jsonl.gz"
_REPEATED = 2_000
_GROUNDED = Path(sys.executable).with_name("grounded")


def main() -> None:
    """Measures everything, in an order in which no measurement disturbs the next."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        catalog = home / "catalog.jsonl"
        _show(
            "sync, installed n8n, warm disk", _time_seconds(lambda: catalog_sync.to_file(catalog))
        )
        _show("catalog file", f"{catalog.stat().st_size / 1e6:.1f} MB")
        loaded = _time_seconds(
            lambda: _run_grounded("catalog", "load", str(catalog), state=home / "state")
        )
        _show("load into an empty state, with program start", loaded)
        _bench_server(home / "state")
        _bench_validate(catalog)


def _bench_server(state: Path) -> None:
    with _serve_requests(state) as (url, pid, ready_s):
        _show("start to ready, full catalog", ready_s)
        _show("resident, just started", _format_memory(pid))
        token = (state / "token").read_text().strip()
        session = requests.Session()
        session.headers["Authorization"] = f"Bearer {token}"
        workflows = list(_read_workflows())
        body = [json.dumps({"workflow": workflow}).encode() for workflow in workflows[:_REPEATED]]
        started, begun = perf_counter(), _processor_seconds(pid)
        for item in body:
            answer = session.post(
                f"{url}/v1/n8n/validate",
                data=item,
                headers={"Content-Type": "application/json"},
                timeout=60,
            )
            answer.raise_for_status()
        taken = perf_counter() - started
        busy = (_processor_seconds(pid) - begun) / len(body) * 1000
        pace = f"{len(body) / taken:.0f} /s, processor {busy:.2f} ms each"
        _show("validate over HTTP, one worker, one after another", pace)
        _show(f"resident after {len(body)} validations", _format_memory(pid))


def _bench_validate(catalog: Path) -> None:
    registry = _open_registry(catalog)
    # As in the server before its first request; specs, plans and V8 are created on first use.
    registry.search.has_stem("")
    freeze_gc()
    times: list[float] = []
    spent: list[float] = []
    verdicts: dict[str, int] = {}
    for workflow in _read_workflows():
        started, begun = perf_counter(), process_time()
        compilation = compile_draft(workflow, N8N, registry, CompileOptions())
        times.append((perf_counter() - started) * 1000)
        spent.append((process_time() - begun) * 1000)
        verdicts[compilation.verdict] = verdicts.get(compilation.verdict, 0) + 1
    text = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    _show(f"validate, {len(times)} workflows ({text})", "")
    for share, name in ((0.5, "p50"), (0.95, "p95"), (0.99, "p99"), (1.0, "worst")):
        _show(
            f"  {name}",
            f"{_percentile(times, share):.2f} ms, processor {_percentile(spent, share):.2f} ms",
        )

    for length in (1_250, 5_000):
        large, misspelt = _make_chain(length), _make_chain(length, "n8n-nodes-base.gmial")
        _show(f"validate, {length:,} nodes of these", _time_check(large, registry))
        _show(f"validate, {length:,} nodes of one misspelt type", _time_check(misspelt, registry))


def _percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(share * len(times)), len(times) - 1)]


def _time_check(workflow: dict[str, Any], registry: Registry) -> float:
    return _time_seconds(lambda: compile_draft(workflow, N8N, registry, CompileOptions()))


def _make_chain(length: int, kind: str | None = None) -> dict[str, Any]:
    """Returns one chain of ``length`` nodes from all workflows, repeated if there are too few."""
    real = [
        node
        for workflow in _read_workflows()
        for node in workflow["nodes"]
        if isinstance(node, dict)
    ]
    nodes = [
        real[place % len(real)] | {"name": f"N{place}", "id": f"id-{place}"}
        for place in range(length)
    ]
    edges = {
        f"N{place}": {"main": [[{"node": f"N{place + 1}", "type": "main", "index": 0}]]}
        for place in range(length - 1)
    }
    if kind is not None:
        nodes = [node | {"type": kind} for node in nodes]
    return {"name": "Joined", "nodes": nodes, "connections": edges, "settings": {}}


def _open_registry(catalog: Path) -> Registry:
    prepared = prepare_catalog(read_catalog(catalog.read_bytes()))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    index = open_index(prepared.index)
    return open_registry(
        index, prepared.fingerprint, bodies.__getitem__, N8N.resolving.compile_tool
    )


def _read_workflows() -> Iterator[dict[str, Any]]:
    if _SHARED.exists():
        with gzip.open(_SHARED, "rt") as stream:
            for line in stream:
                yield json.loads(line)["workflow"]
        return
    for file in sorted((paths.ROOT / "examples").rglob("*.json")):
        yield json.loads(file.read_text("utf-8"))


@contextmanager
def _serve_requests(state: Path) -> Iterator[tuple[str, int, float]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "GROUNDED_STATE": str(state)}
    started = perf_counter()
    server = subprocess.Popen([str(_GROUNDED), "serve", "--port", str(port)], env=env)
    url = f"http://127.0.0.1:{port}"
    try:
        while not _is_ready(url):
            if server.poll() is not None or perf_counter() - started > 60:
                raise SystemExit("the sidecar did not become ready")
            sleep(0.01)
        yield url, server.pid, perf_counter() - started
    finally:
        server.terminate()
        server.wait(20)


def _is_ready(url: str) -> bool:
    try:
        return requests.get(f"{url}/readyz", timeout=2).ok
    except requests.RequestException:
        return False


def _format_memory(pid: int) -> str:
    return f"{proportional_memory(pid):.0f} MB"


def _processor_seconds(pid: int) -> float:
    """Returns the processor seconds of a server's processes, user and system time."""
    ticks = 0
    for process in tree_of(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _run_grounded(*arguments: str, state: Path) -> None:
    env = {**os.environ, "GROUNDED_STATE": str(state)}
    subprocess.run([str(_GROUNDED), *arguments], check=True, env=env, stdout=subprocess.DEVNULL)


def _time_seconds(work: Any) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started


def _show(name: str, value: float | str) -> None:
    shown = f"{value:.2f} s" if isinstance(value, float) else value
    sys.stdout.write(f"{name:<58} {shown}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if shutil.which(str(_GROUNDED)) is None:
        raise SystemExit("grounded is not installed in this environment: run `make setup`")
    main()
