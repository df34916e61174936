"""Measures time, memory and writes by tools and by replicas: ``python -m evals.bench.scaling``.

Prints two Markdown tables. The first goes by the number of tools of a synthetic catalog: one
process stores each size and another serves it, both on SQLite. The second goes by the number of
replicas behind Debian's nginx on one PostgreSQL: wrk posts the workflow of ``load_workflow``
repeatedly. Processor time is that of the replicas and of nginx; writes are the rows that the
database changed. ``--part``, ``--tools`` and ``--replicas`` select parts of it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import Any, TypeVar

import httpx
import psycopg

from evals.bench.load import LoadServer, Outcome, proportional_memory, run_server, send, tree_of
from evals.bench.load_workflow import make_workflow
from evals.bench.synthetic_catalog import TRIGGER, make_chain, make_node, write_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.known import read_settings
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.interfaces.gc_tuning import freeze_gc
from grounded_builder.interfaces.http.compile_draft import resolve_body
from grounded_builder.ir.options import CompileOptions
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.storage.store import Store
from runtime import catalog_sync
from runtime.paths import ROOT
from tests.support.nginx import run_nginx
from tests.support.postgres import Postgres

_Value = TypeVar("_Value")

_SEED = 11
_NAMES = 1_000
_WORKFLOWS = 200
_NODES = 15
_WARM_S = 3
_SETTLE_S = 6.0  # more than the 4.8 s between two writes of the counts of a replica
_MB = 1_000_000
_A_DAY = 100_000_000
_PEAK = 3  # assumed: the ratio of the busiest second to the mean of the day
_BUSY = 0.6  # assumed: the used share of a core at the peak that keeps queues short


@dataclass(frozen=True, slots=True)
class DatabaseWork:
    """The counters of a database: committed transactions and changed rows."""

    commits: int
    rows: int


@dataclass(frozen=True, slots=True)
class ReplicaFigures:
    """Replicas under load: milliseconds per request, ``commits`` and ``rows`` per second."""

    count: int
    outcome: Outcome
    processor_ms: float
    nginx_ms: float
    memory_mb: float
    commits: float
    rows: float

    def cells(self) -> list[str]:
        """Returns the cells of a table row."""
        outcome = self.outcome
        return [
            str(self.count),
            *(f"{figure:.0f}" for figure in (outcome.per_second, outcome.p50, outcome.p95)),
            f"{outcome.refused}",
            f"{outcome.lost}",
            f"{self.processor_ms:.2f}",
            f"{self.nginx_ms:.2f}",
            f"{self.memory_mb:.0f}",
            f"{self.commits:.1f}",
            f"{self.rows:.1f}",
        ]


def main() -> None:
    """Prints the tables, or runs the step for which a child process was started."""
    options = _parse_arguments()
    if options.inside == "store":
        _print_json(_measure_storing(options.folder, options.tools[0]))
        return
    if options.inside == "serve":
        _print_json(_measure_serving())
        return
    # On SIGTERM, exits normally so that child processes are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    load = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    _print(f"{os.cpu_count()} cores; load average before the run: {load}")
    if "tools" in options.part:
        _print_tools_table(options.tools)
    if "replicas" in options.part:
        _print_replicas_table(options.replicas, options.clients, options.seconds, options.catalog)


def _print_tools_table(sizes: Sequence[int]) -> None:
    _print_head(
        "tools",
        "file MB",
        "store s",
        "peak MB while storing",
        "open s",
        "MB served",
        "resolve p50 ms",
        "p95",
        "misspelt p50 ms",
        "p95",
        "validate p50 ms",
        "p95",
    )
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
            stored = _run_inside("store", size, folder)
            served = _run_inside("serve", size, folder)
        _print_row(f"{size:,}", *stored, *served)


def _run_inside(step: str, size: int, folder: str) -> list[str]:
    """Returns the figures of a step that runs in a new process of this program."""
    command = [sys.executable, "-m", "evals.bench.scaling", "--inside", step]
    command += ["--folder", folder, "--tools", str(size)]
    env = {
        **os.environ,
        "GROUNDED_STATE": f"{folder}/state",
        "GROUNDED_CATALOG_BYTES": "1000000000",
    }
    done = subprocess.run(command, check=True, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    figures: list[str] = json.loads(done.stdout)
    return figures


def _measure_storing(folder: Path, size: int) -> list[str]:
    """Returns the size of the catalog file, the seconds to store it and the peak memory."""
    catalog = folder / "catalog.jsonl"
    write_catalog(catalog, size)
    store = _open_store()
    started = time.perf_counter()
    with catalog.open("rb") as stream:
        store.load_catalog(stream, "n8n")
    seconds = time.perf_counter() - started
    store.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return [f"{catalog.stat().st_size / _MB:.1f}", f"{seconds:.1f}", f"{peak / _MB:.0f}"]


def _measure_serving() -> list[str]:
    """Returns the seconds to open the active catalog, the memory and the request times."""
    store = _open_store()
    started = time.perf_counter()
    registry = store.active("n8n")
    if registry is None:
        raise SystemExit("no catalog is active: store one first")
    registry.search.has_stem("")  # the server also builds this index before its first answer
    seconds = time.perf_counter() - started
    freeze_gc()
    memory = proportional_memory(os.getpid())
    draw = random.Random(_SEED)
    tools = [row for row in registry.tools.values() if row.id != TRIGGER]
    rows = draw.sample(tools, min(_NAMES, len(tools)))
    exact = [row.name for row in rows]
    misspelt = [_drop_letter(row.name, draw) for row in rows]
    drafts = [_make_draft(registry, rows, draw) for _ in range(_WORKFLOWS)]
    if compile_draft(drafts[0], N8N, registry, CompileOptions()).verdict != "ok":
        raise SystemExit("the workflows to measure with are not sound")
    figures = [
        *_time_calls(lambda name: _resolve(name, registry, store), exact),
        *_time_calls(lambda name: _resolve(name, registry, store), misspelt),
        *_time_calls(lambda draft: compile_draft(draft, N8N, registry, CompileOptions()), drafts),
    ]
    store.close()
    return [f"{seconds:.1f}", f"{memory:.0f}", *figures]


def _resolve(name: str, registry: Registry, store: Store) -> None:
    resolve_body({"text": name}, N8N, registry, store)


def _make_draft(registry: Registry, rows: list[ToolRow], draw: random.Random) -> dict[str, Any]:
    chosen = draw.sample(rows, _NODES - 1)
    nodes = [make_node(n, dict(registry.tool(row.id)), draw) for n, row in enumerate(chosen)]
    return make_chain(nodes)


def _drop_letter(name: str, draw: random.Random) -> str:
    place = draw.randrange(1, len(name) - 1)
    return name[:place] + name[place + 1 :]


def _time_calls(call: Callable[[_Value], object], values: Sequence[_Value]) -> tuple[str, str]:
    """Returns p50 and p95 of the processor milliseconds of calls, after ten warm-up calls."""
    spent: list[float] = []
    for value in values[:10]:
        call(value)
    for value in values:
        started = time.process_time()
        call(value)
        spent.append((time.process_time() - started) * 1000)
    cuts = quantiles(spent, n=100)
    return f"{cuts[49]:.2f}", f"{cuts[94]:.2f}"


def _open_store() -> Store:
    return open_domains_store(read_settings())


def _print_replicas_table(
    counts: Sequence[int], clients: int, seconds: int, catalog: Path | None
) -> None:
    _print(f"\nOne worker each, {clients} clients, {seconds} s:\n")
    _print_head(
        "replicas",
        "requests/s",
        "p50 ms",
        "p95 ms",
        "refused",
        "lost",
        "processor ms a request",
        "of it nginx",
        "MB of all replicas",
        "commits/s of the database",
        "rows/s written",
    )
    with tempfile.TemporaryDirectory(prefix="scaling-") as folder:
        home = Path(folder)
        if catalog is None:
            catalog = home / "catalog.jsonl"
            catalog_sync.to_file(catalog)
        body = home / "body.json"
        body.write_text(json.dumps({"workflow": make_workflow()}))
        measured: list[ReplicaFigures] = []
        for count in counts:
            with _run_replicas(home / str(count), count, catalog) as running:
                figures = _measure_replicas(*running, body, clients, seconds)
            _print_row(*figures.cells())
            measured.append(figures)
    _print_reckoning(measured)


def _print_reckoning(measured: Sequence[ReplicaFigures]) -> None:
    """Prints the resources for 100 million validations a day, from the worst figures."""
    cost = max(figures.processor_ms for figures in measured)
    memory = max(figures.memory_mb / figures.count for figures in measured)
    commits = max(figures.commits / figures.count for figures in measured)
    rows = max(figures.rows / figures.count for figures in measured)
    mean = _A_DAY / 86_400
    peak = mean * _PEAK
    busy = peak * cost / 1000
    cores = math.ceil(busy / _BUSY)
    _print("")
    _print_head("figure", "calculation", "result")
    _print_row("mean rate", f"{_A_DAY:,} / 86,400 s", f"{mean:,.0f}/s")
    _print_row("peak rate", f"{mean:,.0f}/s x {_PEAK}", f"{peak:,.0f}/s")
    _print_row("cores busy at the peak", f"{peak:,.0f}/s x {cost:.2f} ms", f"{busy:.1f}")
    _print_row("cores, one worker each", f"{busy:.1f} / {_BUSY}", f"{cores}")
    _print_row("memory", f"{cores} x {memory:.0f} MB", f"{cores * memory / 1000:.1f} GB")
    _print_row("commits", f"{cores} x {commits:.1f}/s", f"{cores * commits:.0f}/s")
    _print_row("rows written", f"{cores} x {rows:.2f}/s", f"{cores * rows:.1f}/s")


@contextmanager
def _run_replicas(
    home: Path, count: int, catalog: Path
) -> Iterator[tuple[LoadServer, list[LoadServer], str]]:
    """Runs replicas behind nginx; yields the gateway, the replicas and their database address."""
    postgres = Postgres.start_new()
    try:
        with ExitStack() as stack:
            database = postgres.create("sidecars")
            replicas = [
                stack.enter_context(
                    _run_replica(home / f"state-{number}", database, catalog, number)
                )
                for number in range(count)
            ]
            ports = [int(replica.url.rpartition(":")[2]) for replica in replicas]
            url, _ = stack.enter_context(run_nginx(home / "nginx", ports))
            nginx = int((home / "nginx" / "nginx.pid").read_text())
            yield LoadServer(url, replicas[0].state, nginx), replicas, database
    finally:
        postgres.remove()


@contextmanager
def _run_replica(state: Path, database: str, catalog: Path, number: int) -> Iterator[LoadServer]:
    """Runs one worker on a database that the replicas share; the first loads the catalog."""
    facts = {"GROUNDED_DATABASE_URL": database}
    if number == 0:
        grounded = Path(sys.executable).with_name("grounded")
        env = {**os.environ, **facts, "GROUNDED_STATE": str(state)}
        command = [str(grounded), "catalog", "load", str(catalog)]
        subprocess.run(command, check=True, env=env, capture_output=True)
    with run_server(state, 1, **facts) as server:
        yield server


def _measure_replicas(
    gateway: LoadServer,
    replicas: list[LoadServer],
    database: str,
    body: Path,
    clients: int,
    seconds: int,
) -> ReplicaFigures:
    _check_answer(gateway, body)
    send(gateway, body, clients, _WARM_S)
    time.sleep(_SETTLE_S)
    done, began = _read_database_work(database), time.monotonic()
    spent = sum(_read_processor_seconds(replica.pid) for replica in replicas)
    nginx = _read_processor_seconds(gateway.pid)
    outcome = send(gateway, body, clients, seconds)
    spent = sum(_read_processor_seconds(replica.pid) for replica in replicas) - spent
    nginx = _read_processor_seconds(gateway.pid) - nginx
    time.sleep(_SETTLE_S)
    after, passed = _read_database_work(database), time.monotonic() - began
    requests = outcome.per_second * seconds
    return ReplicaFigures(
        count=len(replicas),
        outcome=outcome,
        processor_ms=(spent + nginx) / requests * 1000,
        nginx_ms=nginx / requests * 1000,
        memory_mb=sum(proportional_memory(replica.pid) for replica in replicas),
        commits=(after.commits - done.commits) / passed,
        rows=(after.rows - done.rows) / passed,
    )


def _check_answer(gateway: LoadServer, body: Path) -> None:
    """Raises SystemExit if the server does not answer with a verdict."""
    headers = {"Authorization": f"Bearer {gateway.token()}", "Content-Type": "application/json"}
    url = f"{gateway.url}/v1/n8n/validate"
    answer = httpx.post(url, content=body.read_bytes(), headers=headers, timeout=60)
    if not answer.is_success or "verdict" not in answer.json():
        raise SystemExit(f"{url} answers {answer.status_code}: {answer.text[:300]}")


def _read_database_work(database: str) -> DatabaseWork:
    """Returns the counters of a database that its processes have reported so far."""
    question = (
        "SELECT xact_commit, tup_inserted + tup_updated + tup_deleted "
        "FROM pg_stat_database WHERE datname = current_database()"
    )
    with psycopg.connect(database) as connection:
        row = connection.execute(question).fetchone()
    assert row is not None
    return DatabaseWork(*row)


def _read_processor_seconds(pid: int) -> float:
    """Returns the processor seconds of a process and its descendants, user and system time."""
    ticks = 0
    for process in tree_of(pid):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="evals.bench.scaling", description="Measure growth.")
    parts = ["tools", "replicas"]
    parser.add_argument("--part", choices=parts, nargs="+", default=parts)
    parser.add_argument("--tools", type=int, nargs="+", default=[1_000, 5_000, 20_000, 100_000])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=int, default=12)
    parser.add_argument("--catalog", type=Path, help="a catalog file of n8n, instead of a new one")
    parser.add_argument("--inside", choices=["store", "serve"], help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _print_head(*cells: str) -> None:
    _print_row(*cells)
    _print_row(*("---:" for _ in cells))


def _print_row(*cells: str) -> None:
    _print(f"| {' | '.join(cells)} |")


def _print_json(value: object) -> None:
    _print(json.dumps(value))


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
