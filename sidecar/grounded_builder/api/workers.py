"""Several server processes on one socket: each takes the next connection when it is free."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType

_BACKLOG = 2_048
_LIVED_S = 5.0
_DEATHS_IN_A_ROW = 3
_GRACE_S = 15.0
_POLL_S = 0.1

Work = Callable[[socket.socket], None]


class ListenError(Exception):
    """Nothing can be listened on there; the message says why, and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; ListenError where there is none to be had.

    Its protocol is named: asyncio turns off Nagle's delay, 40 ms an answer, only where
    the protocol says TCP.
    """
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    except OSError as error:
        raise ListenError(f"{host} cannot be listened on: {error.strerror}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        message = f"port {port} of {host} cannot be listened on: {error.strerror}"
        raise ListenError(f"{message}; choose another with --port") from error
    return listener


def run_workers(count: int, listener: socket.socket, work: Work) -> int:
    """Keep ``count`` forked workers until told to end; the exit code is 1 when they keep dying."""
    asked: list[int] = []

    def ask(number: int, _frame: FrameType | None) -> None:
        asked.append(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask)
    born = {_fork(listener, work): time.monotonic() for _ in range(count)}
    deaths = 0
    while not asked and deaths < _DEATHS_IN_A_ROW:
        pid, _ = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            time.sleep(_POLL_S)
        elif pid in born:
            deaths = deaths + 1 if time.monotonic() - born.pop(pid) < _LIVED_S else 0
            if not asked and deaths < _DEATHS_IN_A_ROW:
                born[_fork(listener, work)] = time.monotonic()
    _end(set(born))
    return 0 if asked else 1


def _fork(listener: socket.socket, work: Work) -> int:
    pid = os.fork()
    if pid:
        return pid
    # The worker sets handlers of its own when it runs; until then it ends as by default.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    code = 1
    try:
        work(listener)
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it is, a forked process must not run on
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _end(workers: set[int]) -> None:
    for pid in workers:
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_S
    while workers:
        for pid in list(workers):
            if os.waitpid(pid, os.WNOHANG)[0]:
                workers.discard(pid)
        if workers and time.monotonic() > deadline:
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            deadline = float("inf")
        time.sleep(_POLL_S)
