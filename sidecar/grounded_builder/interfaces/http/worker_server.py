"""Defines the uvicorn server of one worker: closes slow connections, drains before it ends.

It reports to its parent that it is alive.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import time

import uvicorn
from fastapi import FastAPI

from grounded_builder.interfaces.http.connection import BoundedConnection
from grounded_builder.interfaces.http.connection_acceptor import Acceptor
from grounded_builder.interfaces.http.state import State
from grounded_builder.interfaces.http.worker_table import WorkerTable

_TICKS_A_SWEEP = 5
# The event loop asks a thread for the interpreter lock after waiting for it this long. Each time
# that the thread releases the lock by itself the wait starts again, so with the default of 0.005
# a thread that runs many short statements of SQLite delays all answers for half a second.
_SWITCH_S = 0.001
# A request may be on its way to an idle connection; it must be idle for a while before closing.
_LEAVE_S = 2.0
_LEAVE_AT_MOST_S = 900.0


class WorkerServer(uvicorn.Server):
    """A server that listens itself, or shares a listening socket with other workers."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app
        self._place: tuple[socket.socket, WorkerTable, int] | None = None
        self._acceptor: Acceptor | None = None
        self._leaving_since: float | None = None

    def share(self, listener: socket.socket, table: WorkerTable, row: int) -> None:
        """Accepts from a shared socket, as the worker of a row of the table."""
        self._place = (listener, table, row)

    def leave(self) -> None:
        """Accepts no further connection, and ends when every client has its answer."""
        self._leaving_since = time.monotonic()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts the app, then listens."""
        sys.setswitchinterval(_SWITCH_S)
        await super().startup(sockets if self._place is None else [])
        state = self._app.state.grounded
        assert isinstance(state, State)  # noqa: S101 - narrows the type for the type checker
        connections = self.server_state.connections
        state.metrics.count_connections(lambda: len(connections))
        if self._place is None:
            return
        listener, table, row = self._place
        self._acceptor = Acceptor(listener, table, row, connections, self._make_connection)
        self._acceptor.start()

    async def on_tick(self, counter: int) -> bool:
        """Runs the periodic work, ten times a second; returns true when the process is to end."""
        if self._acceptor is not None:
            self._acceptor.beat()
        if counter % _TICKS_A_SWEEP == 0:
            self._cut_slow_connections()
            if self._leaving_since is not None:
                self._leave_connections()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Ends in order, within the configured time."""
        if self._acceptor is not None:
            self._acceptor.stop()
        await super().shutdown(sockets)

    def _make_connection(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg] # as the library does
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    def _cut_slow_connections(self) -> None:
        now = asyncio.get_running_loop().time()
        for connection in tuple(self.server_state.connections):
            if isinstance(connection, BoundedConnection):
                connection.cut_if_slow(now)

    def _leave_connections(self) -> None:
        if self._acceptor is not None:
            self._acceptor.stop()
        passed = time.monotonic() - (self._leaving_since or 0.0)
        if passed > _LEAVE_S:
            for connection in tuple(self.server_state.connections):
                if isinstance(connection, BoundedConnection):
                    connection.leave()
        if not self.server_state.connections or passed > _LEAVE_AT_MOST_S:
            self.should_exit = True
