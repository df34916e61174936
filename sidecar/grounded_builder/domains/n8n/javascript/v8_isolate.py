"""Runs JavaScript in a bounded V8 isolate per process, without access to the host.

A missing answer is unknown, never an error.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import json
import os
import threading
from collections.abc import Callable
from typing import Any

from py_mini_racer import JSEvalException, MiniRacer

from grounded_builder.compiler.memory_limit import outside_data_limit
from grounded_builder.diagnostics.json_texts import dump_json

_MEMORY_BYTES = 96_000_000
# V8 retains compiled code; after so many characters it is asked to free memory.
_MAX_RETAINED_CHARACTERS = 500_000


class UnknownAnswerError(Exception):
    """Raised if V8 gives no answer: the code threw, or exceeded a limit."""


class Isolate:
    """A V8 isolate created on first use, and again after it ran out of memory.

    V8 runs in its own thread. The calling thread runs the event loop that receives the answer, as a
    third thread in between would take most of the time of a call.
    """

    def __init__(self, prelude: str) -> None:
        self._prelude = prelude
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._engine: MiniRacer | None = None
        self._asked = 0
        os.register_at_fork(after_in_child=self._leave_to_parent)
        atexit.register(self._close)

    def ask(self, function: str, argument: Any, seconds: float) -> Any:
        """Calls a function of the prelude with a JSON value."""
        try:
            text = dump_json(dump_json(argument))
            with self._lock:
                answer = _run_outside_loops(self._run, f"grounded.{function}({text})", seconds)
            return json.loads(answer)
        except (JSEvalException, TimeoutError, TypeError, ValueError, RecursionError) as error:
            raise UnknownAnswerError(str(error)[:200]) from error

    def begin(self, function: str, argument: Any) -> Callable[[float], Any]:
        """Starts a call in V8; returns a function that waits for its answer."""

        def retry(seconds: float) -> Any:
            return self.ask(function, argument, seconds)

        if asyncio._get_running_loop() is not None:  # noqa: SLF001 - see _outside_of_loops
            return retry
        try:
            text = dump_json(dump_json(argument))
            with self._lock:
                loop, engine = self._ready(len(text))
                task = loop.create_task(_evaluate(engine, f"grounded.{function}({text})", None))
                loop.run_until_complete(_run_loop_once())
        except (JSEvalException, TypeError, ValueError, RecursionError):
            return retry

        def answer(seconds: float) -> Any:
            try:
                with self._lock:
                    if self._engine is engine and asyncio._get_running_loop() is None:  # noqa: SLF001
                        return json.loads(loop.run_until_complete(_wait_for(task, seconds)))
            except TimeoutError as error:
                raise UnknownAnswerError(str(error)[:200]) from error
            except JSEvalException:
                pass  # possibly the fault of another call that used all memory: try it alone
            return retry(seconds)

        return answer

    def _run(self, code: str, seconds: float) -> Any:
        loop, engine = self._ready(len(code))
        try:
            return loop.run_until_complete(_evaluate(engine, code, seconds))
        except JSEvalException:
            if engine.was_hard_memory_limit_reached():
                self._engine = None
            raise

    def _ready(self, characters: int) -> tuple[asyncio.AbstractEventLoop, MiniRacer]:
        """Returns the loop and the engine; asks V8 to free memory from time to time."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        if self._engine is None:
            self._engine = self._loop.run_until_complete(_start_engine(self._prelude))
        self._asked += characters
        if self._asked > _MAX_RETAINED_CHARACTERS:
            self._asked = 0
            self._engine.low_memory_notification()
        return self._loop, self._engine

    def _leave_to_parent(self) -> None:
        """Resets the isolate in a forked process, in which the thread of the old one does not run.

        The old objects are never collected: closing V8 would wait for that thread forever, and
        closing the loop would disturb the one of the parent.
        """
        self._lock = threading.Lock()
        for left in (self._engine, self._loop):
            if left is not None:
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))
        self._engine = self._loop = None

    def _close(self) -> None:
        """Closes the isolate while its thread still runs; later it would wait forever."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            if self._loop is not None:
                self._loop.close()
            self._engine = self._loop = None


async def _start_engine(prelude: str) -> MiniRacer:
    """Returns an engine that answers to the running loop.

    V8 reserves half a gigabyte of writable addresses for compiled code and ends the process where
    the kernel refuses them (``CodeRange::InitReservation`` in its source). Few of them are used:
    the memory of scripts is bounded by ``_MEMORY_BYTES``.
    """
    with outside_data_limit():
        engine = MiniRacer()
    engine.set_hard_memory_limit(_MEMORY_BYTES)
    engine.eval(prelude)
    return engine


async def _evaluate(engine: MiniRacer, code: str, seconds: float | None) -> Any:
    async with asyncio.timeout(seconds):
        return await engine.eval_cancelable(code)


async def _run_loop_once() -> None:
    """Runs the loop once so that a new task starts."""
    await asyncio.sleep(0)


async def _wait_for(task: asyncio.Task[Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        return await task


def _run_outside_loops(run: Callable[[str, float], Any], code: str, seconds: float) -> Any:
    """Runs the call, in another thread if this one already runs an event loop."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - the documented way raises instead
        return run(code, seconds)
    answers: list[Any] = []
    faults: list[BaseException] = []

    def run_in_thread() -> None:
        try:
            answers.append(run(code, seconds))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            faults.append(error)

    thread = threading.Thread(target=run_in_thread, daemon=True)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return answers[0]
