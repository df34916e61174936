"""A worker accepts in turns with the others, and at once where it is alone."""

from __future__ import annotations

import asyncio
import socket
import time
from itertools import pairwise
from typing import Any

import pytest

from grounded_builder.interfaces.http.connection_acceptor import Acceptor
from grounded_builder.interfaces.http.worker_table import WorkerTable
from grounded_builder.interfaces.http.workers import listen
from tests.support.time_bounds import PATIENCE_S

pytestmark = pytest.mark.sqlite_suffices

_CLIENTS = 8
_CONNECTIONS_OF_BUSY = 16
# A little below the turn: timers may be early by the resolution of the clock.
_LEAST_GAP_S = 0.0009


class _TimedListener(socket.socket):
    """A listener that records when each connection is accepted, in seconds of a steady clock."""

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(fileno=listener.detach())
        self.times: list[float] = []

    def accept(self) -> tuple[socket.socket, Any]:
        """Accepts a connection as any socket does; its protocol may be made much later."""
        accepted = super().accept()
        self.times.append(time.monotonic())
        return accepted


def test_a_burst_is_left_to_a_busy_worker_too() -> None:
    """Between two of its connections a worker leaves a turn to the one that does not look yet."""
    times = asyncio.run(_accept_burst(with_other=True))
    assert min(after - before for before, after in pairwise(times)) > _LEAST_GAP_S


def test_a_lone_worker_accepts_without_turns() -> None:
    """A worker does not wait for others if no other one serves."""
    times = asyncio.run(_accept_burst(with_other=False))
    assert min(after - before for before, after in pairwise(times)) < _LEAST_GAP_S


async def _accept_burst(*, with_other: bool) -> list[float]:
    """When the connections that waited together were accepted by one worker."""
    table = WorkerTable(2)
    everybody = asyncio.Event()

    def make_protocol() -> asyncio.Protocol:
        if len(listener.times) == _CLIENTS:
            everybody.set()
        return asyncio.Protocol()

    if with_other:
        table.serve(1)
        table.beat(1, _CONNECTIONS_OF_BUSY)
    with _TimedListener(listen("127.0.0.1", 0)) as listener:
        address = listener.getsockname()[:2]
        clients = [socket.create_connection(address) for _ in range(_CLIENTS)]
        acceptor = Acceptor(listener, table, 0, (), make_protocol)
        acceptor.start()
        try:
            await asyncio.wait_for(everybody.wait(), PATIENCE_S)
        finally:
            acceptor.stop()
            for client in clients:
                client.close()
    return listener.times
