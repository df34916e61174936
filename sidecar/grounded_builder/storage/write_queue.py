"""Lets the threads of a process write to one SQLite file in the order in which they ask.

SQLite lets a writer that waits try again after pauses of up to 100 ms, and any other that asks in
between is first (https://www.sqlite.org/c3ref/busy_timeout.html). Among many threads some would
wait until the timeout, however short each transaction is.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from sqlalchemy import Engine

from grounded_builder.storage.errors import DatabaseLockedError

_LONGEST_WAIT_S = 30.0


class WriteQueue:
    """The writers of one engine: one has its turn, the others wait in line."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._line: deque[threading.Event] = deque()
        self._is_taken = False
        self._moved = 0.0

    @property
    def waiting_count(self) -> int:
        """How many writers wait for their turn."""
        return len(self._line)

    @contextmanager
    def turn(self, seconds: float) -> Iterator[Callable[[], None]]:
        """Waits for a turn and passes it on at the end; what it gives is called once writing began.

        DatabaseLockedError where no writer of the line began to write for so many seconds, or
        after ``_LONGEST_WAIT_S``.
        """
        self._wait(seconds)
        try:
            yield self._note_move
        finally:
            self._pass_on()

    def _note_move(self) -> None:
        self._moved = time.monotonic()

    def _wait(self, seconds: float) -> None:
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return
            turn = threading.Event()
            self._line.append(turn)
        try:
            self._await(turn, seconds)
        except BaseException:  # an interrupt too: the line goes on without this writer
            self._leave(turn)
            raise

    def _await(self, turn: threading.Event, seconds: float) -> None:
        began = time.monotonic()
        while not turn.wait(left := self._seconds_left(began, seconds)):
            if not left:
                waited_s = time.monotonic() - began
                message = f"another transaction holds the database (waited {waited_s:.1f} s)"
                raise DatabaseLockedError(message)

    def _leave(self, turn: threading.Event) -> None:
        with self._lock:
            if turn in self._line:
                self._line.remove(turn)
                return
        self._pass_on()  # the turn came meanwhile

    def _seconds_left(self, began: float, seconds: float) -> float:
        """Returns for how many seconds a writer that waits since ``began`` goes on waiting."""
        until = min(began + _LONGEST_WAIT_S, max(began, self._moved) + seconds)
        return max(0.0, until - time.monotonic())

    def _pass_on(self) -> None:
        with self._lock:
            if self._line:
                self._line.popleft().set()
            else:
                self._is_taken = False


_QUEUES: WeakKeyDictionary[Engine, WriteQueue] = WeakKeyDictionary()
# A forked process has none of the threads that wait.
os.register_at_fork(after_in_child=_QUEUES.clear)


def write_queue_of(engine: Engine) -> WriteQueue:
    """Returns the line in which the writers of an engine wait."""
    return _QUEUES.setdefault(engine, WriteQueue())
