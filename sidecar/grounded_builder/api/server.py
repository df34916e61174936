"""Run the server."""

from __future__ import annotations

import socket
import sys

import uvicorn

from grounded_builder.api.app import create_app, open_domains_store
from grounded_builder.api.workers import listen, run_workers
from grounded_builder.settings import Settings
from grounded_builder.storage.installation import TOKEN_FILE

_KEEP_ALIVE_S = 75
_GRACE_S = 10


def serve(settings: Settings) -> None:
    """Serve until interrupted; StorageError without a database, ListenError without a port."""
    # Opened once before listening: what is wrong is said here, not in a log.
    store = open_domains_store(settings)
    store.first_token()
    store.secrets()
    store.close()

    def work(listener: socket.socket) -> None:
        server(settings).run(sockets=[listener])

    with listen(settings.host, settings.port) as listener:
        sys.stderr.write(f"grounded serve: {_told(settings, listener)}\n")
        sys.stderr.flush()
        if settings.workers == 1:
            work(listener)
            return
        code = run_workers(settings.workers, listener, work)
    sys.exit(code)


def _told(settings: Settings, listener: socket.socket) -> str:
    """Where it listens, and where the first token is, for whoever started it."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    token = settings.state / TOKEN_FILE
    known = f", token in {token}" if token.exists() else ""
    return f"http://{host}:{listener.getsockname()[1]}{known}; Ctrl-C ends it"


def server(settings: Settings) -> uvicorn.Server:
    """One server process, not yet running."""
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        # Who asks is told by the token alone, never by a header.
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=_GRACE_S,
        ws="none",
    )
    return uvicorn.Server(config)
