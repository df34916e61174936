"""One bounded V8 isolate a process, from which nothing of the host is reachable.

What it cannot answer in time is unknown, never an error.
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

import orjson
from py_mini_racer import JSEvalException, MiniRacer

from grounded_builder.compiler.memory_limit import outside_data_limit

_MEMORY_BYTES = 96_000_000
# V8 keeps what it compiled; after so many characters of code it is told to let go of it.
_KEPT_CHARACTERS = 500_000


class UnknownAnswerError(Exception):
    """V8 gave no answer: the code threw, or ran into a limit."""


class Isolate:
    """A V8 isolate made on first use, and made anew after it ran out of memory.

    V8 runs in a thread of its own. Whoever asks runs the event loop that hears its
    answer, so that no third thread stands between them: that took most of a call.
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
        """Calls one function of the prelude with a JSON value."""
        try:
            text = _quoted(_quoted(argument))
            with self._lock:
                answer = _outside_of_loops(self._run, f"grounded.{function}({text})", seconds)
            return json.loads(answer)
        except (JSEvalException, TimeoutError, TypeError, ValueError, RecursionError) as error:
            raise UnknownAnswerError(str(error)[:200]) from error

    def begin(self, function: str, argument: Any) -> Callable[[float], Any]:
        """Has V8 work on a call while the caller goes on; gives what waits for the answer."""

        def again(seconds: float) -> Any:
            return self.ask(function, argument, seconds)

        if asyncio._get_running_loop() is not None:  # noqa: SLF001 - see _outside_of_loops
            return again
        try:
            text = _quoted(_quoted(argument))
            with self._lock:
                loop, engine = self._ready(len(text))
                task = loop.create_task(_evaluated(engine, f"grounded.{function}({text})", None))
                loop.run_until_complete(_begun())
        except (JSEvalException, TypeError, ValueError, RecursionError):
            return again

        def answer(seconds: float) -> Any:
            try:
                with self._lock:
                    if self._engine is engine and asyncio._get_running_loop() is None:  # noqa: SLF001
                        return json.loads(loop.run_until_complete(_awaited(task, seconds)))
            except TimeoutError as error:
                raise UnknownAnswerError(str(error)[:200]) from error
            except JSEvalException:
                pass  # maybe of another call, that took all memory: asked alone it is told
            return again(seconds)

        return answer

    def _run(self, code: str, seconds: float) -> Any:
        loop, engine = self._ready(len(code))
        try:
            return loop.run_until_complete(_evaluated(engine, code, seconds))
        except JSEvalException:
            if engine.was_hard_memory_limit_reached():
                self._engine = None
            raise

    def _ready(self, characters: int) -> tuple[asyncio.AbstractEventLoop, MiniRacer]:
        """Returns the loop and the engine, which is told now and then to let go of what it
        compiled.
        """
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        if self._engine is None:
            self._engine = self._loop.run_until_complete(_started(self._prelude))
        self._asked += characters
        if self._asked > _KEPT_CHARACTERS:
            self._asked = 0
            self._engine.low_memory_notification()
        return self._loop, self._engine

    def _leave_to_parent(self) -> None:
        """Starts over in a forked process, where the thread of the old isolate does not run.

        What is left is never collected: taking V8 down would wait for that thread without end, and
        closing the loop would unsettle the one of the parent.
        """
        self._lock = threading.Lock()
        for left in (self._engine, self._loop):
            if left is not None:
                ctypes.pythonapi.Py_IncRef(ctypes.py_object(left))
        self._engine = self._loop = None

    def _close(self) -> None:
        """Takes the isolate down while its thread still runs: later it would wait without end."""
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            if self._loop is not None:
                self._loop.close()
            self._engine = self._loop = None


def _quoted(value: Any) -> str:
    """Returns a value as JSON; the fast writer refuses half an emoji and numbers beyond 64 bits."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return json.dumps(value)


async def _started(prelude: str) -> MiniRacer:
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


async def _evaluated(engine: MiniRacer, code: str, seconds: float | None) -> Any:
    async with asyncio.timeout(seconds):
        return await engine.eval_cancelable(code)


async def _begun() -> None:
    """Lets the loop turn once: what was just made begins."""
    await asyncio.sleep(0)


async def _awaited(task: asyncio.Task[Any], seconds: float) -> Any:
    async with asyncio.timeout(seconds):
        return await task


def _outside_of_loops(run: Callable[[str, float], Any], code: str, seconds: float) -> Any:
    """Asks in a thread that runs no event loop: there is only one to a thread."""
    if asyncio._get_running_loop() is None:  # noqa: SLF001 - the documented way raises instead
        return run(code, seconds)
    answers: list[Any] = []
    faults: list[BaseException] = []

    def apart() -> None:
        try:
            answers.append(run(code, seconds))
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            faults.append(error)

    thread = threading.Thread(target=apart, daemon=True)
    thread.start()
    thread.join()
    if faults:
        raise faults[0]
    return answers[0]
