"""Listens on a socket, and supervises the forked workers that share it: replaces, renews, stops."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from grounded_builder.interfaces.http.worker_table import WorkerTable
from grounded_builder.services.isolation.bounds import end_with_parent

_BACKLOG = 2_048
_LIVED_S = 5.0
_DEATHS_IN_A_ROW = 3
_GRACE_S = 3.0
_POLL_S = 0.1
_REFRESH_S = 1.0
# Before it serves, a worker may be silent for longer.
_START_S = 60.0
# A parent that was delayed itself cannot judge the workers.
_HELD_UP_S = 2.0
_PR_SET_NAME = 15
# The system stores 15 characters.
_NAME = "grounded:{}"
_WATCHED = (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD)

LEAVE = signal.SIGUSR1
"""The signal for a worker to stop accepting, and to end when its clients have their answers."""

Work = Callable[[socket.socket, WorkerTable, int], None]


class ListenError(Exception):
    """The address cannot be listened on; the message has the reason and the remedy."""


@dataclass(frozen=True, slots=True)
class Companion:
    """A process beside the workers, forked from the same parent before them.

    ``run`` ends on SIGTERM, and is forked again when it ended by itself or the active catalogs
    changed. Anything that workers use to reach it must be created before it is forked.
    """

    name: str
    run: Callable[[], None]


@dataclass(slots=True)
class _Worker:
    row: int
    born: float
    is_leaving: bool = False


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket; raises ListenError where none is available.

    Its protocol is named: asyncio turns off Nagle's delay, 40 ms an answer, only where the protocol
    is TCP.
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


class Supervisor:
    """Keeps forked workers running: replaces dead and silent ones, and renews them on demand.

    ``refresh`` is called about once a second in this process; where it returns true, the shared
    data has changed and the workers are renewed one by one while the others serve.
    """

    def __init__(
        self,
        count: int,
        listener: socket.socket,
        work: Work,
        refresh: Callable[[], bool],
        companions: Iterable[Companion] = (),
        silent_s: float = 15.0,
    ) -> None:
        self._count = count
        self._listener = listener
        self._work = work
        self._refresh = refresh
        self._companions = tuple(companions)
        self._silent_s = silent_s
        # A leaving worker may keep its row for as long as a conversation.
        self._table = WorkerTable(4 * count + 8)
        self._workers: dict[int, _Worker] = {}
        self._beside: dict[int, tuple[Companion, float]] = {}
        self._outdated: list[int] = []
        self._deaths = 0
        self._asked_to_end = False

    def run(self) -> int:
        """Serves until asked to end; returns exit status 1 when workers keep dying."""
        signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)
        refreshed = checked = time.monotonic()
        for companion in self._companions:
            self._fork_companion(companion)
        for _ in range(self._count):
            self._fork_worker()
        while not self._asked_to_end and self._deaths < _DEATHS_IN_A_ROW:
            self._wait()
            self._reap()
            now = time.monotonic()
            if now - checked < _HELD_UP_S:
                self._kill_silent(now)
            checked = now
            if now - refreshed > _REFRESH_S and not self._asked_to_end:
                if self._refresh():
                    self._renew()
                refreshed = checked = time.monotonic()
            self._continue_renewal()
        self._end()
        return 0 if self._asked_to_end else 1

    def _wait(self) -> None:
        struct_siginfo = signal.sigtimedwait(_WATCHED, _POLL_S)
        if struct_siginfo is not None and struct_siginfo.si_signo != signal.SIGCHLD:
            self._asked_to_end = True

    def _reap(self) -> None:
        for pid in _ended_children():
            if pid in self._beside:
                companion, born = self._beside.pop(pid)
                self._note_death(born)
                if not self._asked_to_end and self._deaths < _DEATHS_IN_A_ROW:
                    self._fork_companion(companion)
            elif pid in self._workers:
                worker = self._workers.pop(pid)
                self._table.free(worker.row)
                if not worker.is_leaving:
                    self._note_death(worker.born)
        missing = self._count - sum(not worker.is_leaving for worker in self._workers.values())
        for _ in range(missing):
            if not self._asked_to_end and self._deaths < _DEATHS_IN_A_ROW:
                self._fork_worker()

    def _note_death(self, born: float) -> None:
        self._deaths = self._deaths + 1 if time.monotonic() - born < _LIVED_S else 0

    def _kill_silent(self, now: float) -> None:
        for pid, worker in self._workers.items():
            row = self._table.row(worker.row)
            patience = max(_START_S, self._silent_s) if row.is_starting else self._silent_s
            if now - row.beat > patience:
                sys.stderr.write(
                    f"grounded serve: worker {pid} was silent for {now - row.beat:.0f} s"
                    " and is replaced\n"
                )
                sys.stderr.flush()
                _send(pid, signal.SIGKILL)

    def _renew(self) -> None:
        """Replaces every worker with one that shares the current data of this process."""
        for pid, (companion, _) in self._beside.items():
            _send(pid, signal.SIGTERM)  # it is forked again after it ends
            self._beside[pid] = (companion, 0.0)
        self._outdated = [pid for pid, worker in self._workers.items() if not worker.is_leaving]

    def _continue_renewal(self) -> None:
        """Replaces one outdated worker, once all workers forked before it serve."""
        self._outdated = [pid for pid in self._outdated if pid in self._workers]
        rows = [self._table.row(worker.row) for worker in self._workers.values()]
        if not self._outdated or any(row.is_starting for row in rows):
            return
        serving = sum(not worker.is_leaving for worker in self._workers.values())
        if serving == self._count:
            if len(self._workers) < 2 * self._count + 2:
                self._fork_worker()
            return
        pid = self._outdated.pop(0)
        self._workers[pid].is_leaving = True
        _send(pid, LEAVE)

    def _fork_worker(self) -> None:
        row = self._table.take()
        pid = _fork("worker", lambda: self._work(self._listener, self._table, row))
        self._workers[pid] = _Worker(row, time.monotonic())

    def _fork_companion(self, companion: Companion) -> None:
        pid = _fork(companion.name, companion.run)
        self._beside[pid] = (companion, time.monotonic())

    def _end(self) -> None:
        """Ends all processes, killing those that do not end by themselves."""
        self._end_all(self._workers, signal.SIGTERM)
        # Workers may need the companions until they end.
        self._end_all(self._beside, signal.SIGKILL)

    def _end_all(self, processes: Mapping[int, object], number: int) -> None:
        deadline = time.monotonic() + _GRACE_S
        for pid in processes:
            _send(pid, number)
        while processes:
            for pid in _ended_children():
                self._workers.pop(pid, None)
                self._beside.pop(pid, None)
            if processes and time.monotonic() > deadline:
                for pid in processes:
                    _send(pid, signal.SIGKILL)
                deadline = float("inf")
            if processes:
                signal.sigtimedwait(_WATCHED, _POLL_S)


def _ended_children() -> Iterable[int]:
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if pid == 0:
            return
        yield pid


def _send(pid: int, number: int) -> None:
    # A child that was not waited for keeps its number, so no other process has it.
    os.kill(pid, number)


def _fork(name: str, work: Callable[[], None]) -> int:
    parent = os.getpid()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid:
        return pid
    # Workers set handlers of their own when they run; until then they end as by default.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(LEAVE, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED)
    _name_process(name)
    end_with_parent(parent)
    code = 1
    try:
        work()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - a forked process must end on any error
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _name_process(name: str) -> None:
    """Names this process in process lists, where the system supports it (prctl(2))."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_NAME, _NAME.format(name).encode(), 0, 0, 0)
