"""Run the server."""

from __future__ import annotations

import socket
import sys

import uvicorn

from grounded_builder.api.app import create_app, open_domains_store
from grounded_builder.api.workers import listen, run_workers
from grounded_builder.settings import Settings

_KEEP_ALIVE_S = 75
_GRACE_S = 10


def serve(settings: Settings) -> None:
    """Serve until interrupted; StorageError when the database cannot be opened."""
    # Opened once before listening: what is wrong is said here, not in a log.
    store = open_domains_store(settings)
    store.first_token()
    store.secrets()
    store.close()
    if settings.workers == 1:
        server(settings).run()
        return

    def work(listener: socket.socket) -> None:
        server(settings).run(sockets=[listener])

    with listen(settings.host, settings.port) as listener:
        code = run_workers(settings.workers, listener, work)
    sys.exit(code)


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
