"""Runs compile work: small drafts in a thread of this process, others in child processes."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

from grounded_builder.compiler.time_limit import TimeLimitExceededError
from grounded_builder.services.isolation.service import CompileProcesses

# Text may need repair, which costs far more than reading.
INLINE_TEXT = 32_000
# Real drafts of this size take well below a tenth of it.
_INLINE_S = 2.0
_POLL_S = 0.25
_CALLERS = 24
# The interpreter looks for interrupts at every turn of a loop.
_MOMENT = 100


class Compiling(Protocol):
    """Runs work that compiles outside text; ``size`` is its length in bytes or characters.

    The work is a module-level function or a ``partial`` of one, because it may run in another
    process. Raises CompileLimitError beyond the limits.
    """

    def __call__(self, work: Callable[[], Any], size: int = 0) -> Any:
        """Returns the result of the work."""


def compile_here(work: Callable[[], Any], size: int = 0) -> Any:
    """Runs the work in the calling thread without a bound, for programs with a single user."""
    del size
    return work()


@dataclass(slots=True)
class _Running:
    """A piece of work in the compile thread, its start time, and whether it was interrupted."""

    thread: int
    since: float
    is_interrupted: bool = False


class Compiler:
    """Compiles for a server: V8 needs a thread of its own, and health checks must be answered
    meanwhile.

    Work on small drafts runs in that thread. Work that takes longer there than real drafts do is
    interrupted and repeated in a child process, where all work on larger drafts runs.
    """

    def __init__(self, processes: CompileProcesses) -> None:
        self.processes = processes
        self._thread = ThreadPoolExecutor(1, "compile")
        self._callers = ThreadPoolExecutor(_CALLERS, "isolated")
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._watch = threading.Thread(target=self._interrupt_long_work, daemon=True)
        self._is_closed = False
        self._watch.start()

    def __call__(self, work: Callable[[], Any], size: int = 0) -> Any:
        """Returns the result of the work; the calling thread waits for it."""
        if size > INLINE_TEXT:
            return self.processes.run(work)
        try:
            return self.submit_inline(work).result()
        except TimeLimitExceededError:
            return self.processes.run(work)

    def submit_inline(self, work: Callable[[], Any]) -> Future[Any]:
        """Runs work in the compile thread; raises TimeLimitExceededError if too slow."""
        return self._thread.submit(self._run_watched, work)

    def prepare(self, work: Callable[[], Any]) -> None:
        """Runs trusted work in the compile thread without a time limit."""
        self._thread.submit(work)

    def submit_isolated(self, work: Callable[[], Any]) -> Future[Any]:
        """Runs work in a child process."""
        return self._callers.submit(self.processes.run, work)

    def close(self) -> None:
        """Ends all running work and accepts no more."""
        self._is_closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._callers.shutdown(wait=False, cancel_futures=True)
        self.processes.close()

    def _run_watched(self, work: Callable[[], Any]) -> Any:
        running = _Running(threading.get_ident(), time.monotonic())
        with self._lock:
            self._running = running
        try:
            return work()
        except Exception as error:
            # A library may catch the interrupt and raise an error of its own.
            if running.is_interrupted:
                raise TimeLimitExceededError from error
            raise
        finally:
            self._forget()

    def _forget(self) -> None:
        """Ends the watch over the running work; an interrupt that was already sent arrives here."""
        while True:
            try:
                with self._lock:
                    self._running = None
                for _ in range(_MOMENT):
                    pass
            except TimeLimitExceededError:
                continue
            return

    def _interrupt_long_work(self) -> None:
        while True:
            time.sleep(_POLL_S)
            with self._lock:
                running = self._running
                if running is None and self._is_closed:
                    return
                if running is None or time.monotonic() - running.since < _INLINE_S:
                    continue
                running.is_interrupted = True
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(running.thread), ctypes.py_object(TimeLimitExceededError)
                )
