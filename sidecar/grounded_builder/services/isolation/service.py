"""Starts the fork server, sends it work, two pieces at once, and returns the results."""

from __future__ import annotations

import logging
import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.isolation.bounds import (
    CompileLimitError,
    ProcessBounds,
    busy_error,
    ended_error,
)
from grounded_builder.services.isolation.child import read_answer, result_of
from grounded_builder.services.isolation.exchange import pack
from grounded_builder.services.isolation.fork_server import (
    ORDER_HEAD,
    LoadedHome,
    serve_forks,
)
from grounded_builder.settings import Settings

_LOG = logging.getLogger("grounded_builder.services.isolation")
_AT_ONCE = 2
_WAITING = 16
_END_S = 2.0
# The share of the newest compile in the mean of their times.
_SHARE = 0.2


class CompileProcesses:
    """Runs work in forked processes, at most two at once; a few more wait.

    The process they are forked from is started on first use, or by ``fork`` before the first
    thread. It ends with the last process that holds this object.
    """

    def __init__(self, settings: Settings, modules: Sequence[str] = ()) -> None:
        self._settings = settings
        self._modules = tuple(modules)
        self.bounds = ProcessBounds(settings.deadline_s, settings.compile_memory)
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._free = threading.Semaphore(_AT_ONCE)
        self._waiting = 0
        self._mean_s = 1.0
        self._is_closed = False

    @classmethod
    def fork(cls, settings: Settings) -> CompileProcesses:
        """Forks the process at once, for a process that has neither threads nor V8 yet."""
        made = cls(settings)
        control = made.connect()
        if os.fork() == 0:
            try:
                made._close_control()
                home = LoadedHome(open_domains_store(settings))
                home.load()
                serve_forks(control, home)
            finally:
                os._exit(1)
        control.close()
        return made

    def connect(self) -> socket.socket:
        """Returns the client end of the control socket for a process that is forked later."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return theirs

    @property
    def waiting_count(self) -> int:
        """The number of callers that wait for a free process."""
        return self._waiting

    def run(self, work: Callable[[], Any]) -> Any:
        """Returns the result of the work; raises CompileLimitError when it takes too much or must
        wait.

        The work is a module-level function, or a ``partial`` of one with picklable values. It must
        have no side effects: where a process ends without an answer, the work is repeated once.
        """
        order = pack(work)
        with self._reserve_place():
            try:
                return self._ask(order)
            except ConnectionError:
                # The process is gone: another one is started for this and later work.
                self._drop()
            except CompileLimitError as error:
                if error.code != "ended":
                    raise
                _LOG.warning("a compile process ended without an answer: the work is repeated once")
            try:
                return self._ask(order)
            except ConnectionError as error:
                raise ended_error() from error

    def close(self) -> None:
        """Ends the process and all its children."""
        self._is_closed = True
        self._drop()

    def _ask(self, order: bytes) -> Any:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                socket.send_fds(self._ensure_process(), [b"w"], [theirs.fileno()])
            started = time.monotonic()
            head = ORDER_HEAD.pack(len(order), self.bounds.seconds, self.bounds.memory)
            ours.settimeout(self.bounds.seconds)
            try:
                ours.sendall(head)
                ours.sendall(order)
            except OSError:
                pass  # the child ended while work was sent: its answer has the reason
            return result_of(read_answer(ours, self.bounds), self.bounds, started)

    @contextmanager
    def _reserve_place(self) -> Iterator[None]:
        with self._lock:
            is_full = self._waiting >= _WAITING
            self._waiting += not is_full
        if is_full:
            message = f"{_WAITING} large drafts are waiting to be compiled"
            raise busy_error(message, (_WAITING + 1) * self._mean_s / _AT_ONCE)
        try:
            if not self._free.acquire(timeout=self.bounds.seconds):
                message = f"no process was free within {self.bounds.seconds:g} s"
                raise busy_error(message, (self._waiting + 1) * self._mean_s / _AT_ONCE)
        finally:
            with self._lock:
                self._waiting -= 1
        began = time.monotonic()
        try:
            yield
        finally:
            self._mean_s += _SHARE * (time.monotonic() - began - self._mean_s)
            self._free.release()

    def _ensure_process(self) -> socket.socket:
        with self._lock:
            if self._is_closed:
                raise ended_error()
            if self._control is None:
                self._control = self._spawn()
            return self._control

    def _spawn(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            number = theirs.fileno()
            command = [
                sys.executable,
                "-m",
                "grounded_builder.services.isolation.fork_server",
                str(number),
            ]
            self._process = subprocess.Popen(command, pass_fds=[number], stdin=subprocess.DEVNULL)
        content = pickle.dumps((self._settings, self._modules))
        ours.sendall(struct.pack("!Q", len(content)))
        ours.sendall(content)
        return ours

    def _close_control(self) -> None:
        with self._lock:
            control, self._control = self._control, None
        if control is not None:
            control.close()

    def _drop(self) -> None:
        self._close_control()
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            try:
                # Without clients it ends its children and itself.
                process.wait(_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
