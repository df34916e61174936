"""Runs n8n in queue mode without containers: Redis, main process, worker, webhook processor."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from runtime import n8n_server, paths
from runtime.child import Child, spawn, tail
from runtime.n8n_server import N8nServer
from runtime.ports import free_port
from tests.support.loopback import ask
from tests.support.postgres import Postgres
from tests.support.time_bounds import PATIENCE_S, until


@dataclass(slots=True)
class Queue:
    """The main process, the port of the webhook processor, and the log of the worker.

    ``state`` is the folder of the main process, ``facts`` the settings of all processes.
    """

    main: N8nServer
    webhooks: int
    worker_log: Path
    state: Path
    facts: dict[str, str]


@contextmanager
def redis(folder: Path) -> Iterator[int]:
    """Yields the port of a Redis that stores nothing."""
    program = shutil.which("redis-server")
    if program is None:
        pytest.fail("redis is missing: run `scripts/system.sh scale` as root")
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    started = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        until(lambda: _listens(port), "redis did not start")
        yield port
    finally:
        started.terminate()
        started.wait(PATIENCE_S)


@contextmanager
def run_queue_mode(folder: Path, server: Postgres) -> Iterator[Queue]:
    """Yields all processes of one n8n, over a database of this PostgreSQL."""
    server.create("n8n")
    with ExitStack() as stack:
        port = stack.enter_context(redis(folder))
        facts = {
            "EXECUTIONS_MODE": "queue",
            "QUEUE_BULL_REDIS_HOST": "127.0.0.1",
            "QUEUE_BULL_REDIS_PORT": str(port),
            "DB_TYPE": "postgresdb",
            "DB_POSTGRESDB_HOST": str(server.folder),
            "DB_POSTGRESDB_DATABASE": "n8n",
            "DB_POSTGRESDB_USER": "postgres",
            "N8N_LOG_LEVEL": "info",
        }
        state = folder / "main"
        stack.callback(n8n_server.stop, state)
        main = n8n_server.start(state, extra_env=facts)
        key = (state / "n8n-encryption-key").read_text()
        ports = {"worker": free_port(), "webhook": free_port()}
        logs = {kind: folder / kind / "log" for kind in ports}
        children: dict[str, Child] = {}
        for kind, own in ports.items():
            home = folder / kind / "n8n"
            home.mkdir(parents=True)
            env = {
                **os.environ,
                **n8n_server.environment(home, key),
                **facts,
                "QUEUE_HEALTH_CHECK_ACTIVE": "true",
                "QUEUE_HEALTH_CHECK_PORT": str(own),
                "N8N_PORT": str(own),
                "N8N_RUNNERS_BROKER_PORT": str(free_port()),
                "WEBHOOK_URL": f"{main.url}/",
            }
            children[kind] = spawn([str(paths.node()), str(paths.n8n_bin()), kind], env, logs[kind])
            stack.callback(children[kind].stop)

        def ready(kind: str) -> None:
            path = f"http://127.0.0.1:{ports[kind]}/healthz/readiness"
            until(lambda: _is_ready(children[kind], path, logs[kind]), f"the {kind} did not start")

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(ready, ports))
        yield Queue(main, ports["webhook"], logs["worker"], state, facts)


def _is_ready(child: Child, path: str, log: Path) -> bool:
    assert child.alive(), tail(log)
    try:
        return ask("GET", path, timeout=PATIENCE_S).is_success
    except httpx.TransportError:
        return False


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
