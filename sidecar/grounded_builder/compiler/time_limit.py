"""Runs a function with a time limit, and raises an error when the limit is exceeded."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

_GRACE_S = 5.0


class TimeLimitExceededError(Exception):
    """The work did not end within its time limit and was interrupted."""


def run_with_timeout(seconds: float, work: Callable[[], Any]) -> Any:
    """Returns the result of the work, or raises its exception.

    Raises TimeLimitExceededError after ``seconds``. The work runs in a thread of its own and is
    interrupted between two steps of the interpreter: it must be plain Python that never waits.
    """
    answers: list[Any] = []
    faults: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again in the caller's thread
            faults.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        _interrupt(thread)
        thread.join(_GRACE_S)
        raise TimeLimitExceededError(f"no result within {seconds:g} s")
    if faults:
        raise faults[0]
    return answers[0]


def _interrupt(thread: threading.Thread) -> None:
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(TimeLimitExceededError)
        )
