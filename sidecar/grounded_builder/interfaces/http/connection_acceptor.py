"""Accepts connections of a socket that workers share, about as many in each worker."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Collection

from grounded_builder.interfaces.http.worker_table import WorkerTable

_LOG = logging.getLogger("grounded_builder.interfaces.http")

_TURN_S = 0.001
# A worker with fewer connections may be busy: after so many turns the others stop waiting for it.
_MOST_TURNS = 25
# Without a free descriptor no connection can be accepted, and the socket stays ready.
_EXHAUSTED_S = 1.0


class Acceptor:
    """Accepts connections for one worker, and yields to workers that have fewer.

    Without that, the worker that wakes first takes every waiting connection, and clients that keep
    their connections stay with it. A connection that is not accepted stays with the socket,
    whichever worker ends meanwhile.
    """

    def __init__(
        self,
        listener: socket.socket,
        table: WorkerTable,
        row: int,
        connections: Collection[object],
        make_protocol: Callable[[], asyncio.Protocol],
    ) -> None:
        self._listener = listener
        self._table = table
        self._row = row
        self._connections = connections
        self._make_protocol = make_protocol
        self._loop = asyncio.get_running_loop()
        self._opening: set[asyncio.Task[None]] = set()
        self._turns = 0
        self._later: asyncio.TimerHandle | None = None
        self._is_stopped = False

    def start(self) -> None:
        """Starts accepting connections."""
        self._listener.setblocking(False)
        self._table.serve(self._row)
        self.beat()
        self._loop.add_reader(self._listener, self._on_ready)

    def stop(self) -> None:
        """Stops accepting connections; waiting ones are left to the other workers."""
        if not self._is_stopped:
            self._is_stopped = True
            self._table.leave(self._row)
            self._loop.remove_reader(self._listener)
            if self._later is not None:
                self._later.cancel()

    def beat(self) -> None:
        """Publishes to the other processes that the event loop runs, and its number of
        connections.
        """
        self._table.beat(self._row, len(self._connections) + len(self._opening))

    def _on_ready(self) -> None:
        self.beat()
        if self._is_turn_of_another():
            self._pause(_TURN_S)
            return
        self._turns = 0
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker was faster, or the client went away
        except OSError as error:
            _LOG.warning("no connection can be accepted: %s", error)
            self._pause(_EXHAUSTED_S)
            return
        connection.setblocking(False)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        task = self._loop.create_task(self._open(connection))
        self._opening.add(task)
        task.add_done_callback(self._opening.discard)
        self.beat()
        if self._table.count_serving() > 1:
            # When many arrive at once, a worker that is busy for the moment still gets its share.
            self._pause(_TURN_S)

    def _is_turn_of_another(self) -> bool:
        fewest = self._table.fewest_connections()
        mine = len(self._connections) + len(self._opening)
        self._turns += 1
        return fewest is not None and fewest < mine and self._turns <= _MOST_TURNS

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._listener)
        self._later = self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        if not self._is_stopped:
            self._loop.add_reader(self._listener, self._on_ready)

    async def _open(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make_protocol, connection)
        except OSError:
            connection.close()
