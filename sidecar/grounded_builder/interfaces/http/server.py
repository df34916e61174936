"""Serves HTTP until interrupted: loads catalogs, listens, and runs forked workers."""

from __future__ import annotations

import signal
import socket
import sys
from types import FrameType

import uvicorn

from grounded_builder.domains.known import DOMAINS
from grounded_builder.interfaces.http.app import create_app
from grounded_builder.interfaces.http.connection import ConnectionLimits, connection_factory
from grounded_builder.interfaces.http.preload import Preloaded, preload
from grounded_builder.interfaces.http.worker_server import WorkerServer
from grounded_builder.interfaces.http.worker_table import WorkerTable
from grounded_builder.interfaces.http.workers import LEAVE, Companion, Supervisor, listen
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.fork_server import LoadedHome, serve_forks
from grounded_builder.services.isolation.service import CompileProcesses
from grounded_builder.settings import Settings
from grounded_builder.storage.installation import TOKEN_FILE

# The process ends within five seconds of SIGTERM, even during a compile.
_GRACE_S = 2
# Below that, reloading the catalog costs less than new workers.
_RENEWED_FROM_TOOLS = 200


def serve(settings: Settings) -> None:
    """Serves until interrupted; raises StorageError without a database, ListenError without a port.

    This process holds the catalogs and serves no requests: its workers are forked from it.
    """
    # Opened once before listening, so that errors are shown here, not in a log.
    preloaded = preload(open_domains_store(settings), DOMAINS)
    processes = CompileProcesses(settings)
    control = processes.connect()

    def work(listener: socket.socket, table: WorkerTable, row: int) -> None:
        worker = server(settings, preloaded, processes)
        worker.share(listener, table, row)

        def leave(_number: int, _frame: FrameType | None) -> None:
            worker.leave()

        signal.signal(LEAVE, leave)
        worker.run()

    def refresh() -> bool:
        changed = preloaded.refresh()
        if changed:
            preloaded.freeze()
        return any(len(preloaded.registries[name].tools) >= _RENEWED_FROM_TOOLS for name in changed)

    with listen(settings.host, settings.port) as listener:
        sys.stderr.write(f"grounded serve: {_describe_address(settings, listener)}\n")
        sys.stderr.flush()
        preloaded.freeze()
        supervisor = Supervisor(
            settings.workers,
            listener,
            work,
            refresh,
            companions=(_compile_companion(preloaded, control),),
            silent_s=settings.silent_seconds,
        )
        code = supervisor.run()
    sys.exit(code)


def _compile_companion(preloaded: Preloaded, control: socket.socket) -> Companion:
    """Returns the process from which compiles are forked; like workers, it shares the preloaded
    data.
    """

    def run() -> None:
        home = LoadedHome(preloaded.store, preloaded.registries, preloaded.seen)
        serve_forks(control, home)

    return Companion("compile", run)


def _describe_address(settings: Settings, listener: socket.socket) -> str:
    """Returns the address of the server, and the file of the first token."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = settings.state / TOKEN_FILE
    known = f", token in {token}" if token.exists() else ""
    return f"http://{host}:{listener.getsockname()[1]}{known}; Ctrl-C ends it"


def server(
    settings: Settings,
    preloaded: Preloaded | None = None,
    processes: CompileProcesses | None = None,
) -> WorkerServer:
    """Returns one server process that is not yet running."""
    limits = ConnectionLimits(
        settings.connections, head_s=settings.head_seconds, stall_s=settings.stall_seconds
    )
    app = create_app(settings, preloaded=preloaded, processes=processes)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        # The library declares a class, and only calls it.
        http=connection_factory(limits),  # type: ignore[arg-type]
        loop="uvloop",
        # The token alone identifies a client, never a header.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_keep_alive=settings.idle_seconds,
        timeout_graceful_shutdown=_GRACE_S,
        ws="none",
    )
    return WorkerServer(config, app)
