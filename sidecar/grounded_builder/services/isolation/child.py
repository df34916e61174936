"""Runs a piece of work in a forked child process and returns its result."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from grounded_builder.services.isolation.bounds import (
    CompileLimitError,
    ProcessBounds,
    apply_bounds,
    deadline_error,
    ended_error,
    memory_error,
    release_memory_bound,
)
from grounded_builder.services.isolation.exchange import pack, unpack

_CHUNK = 1 << 20
_RESULT, _ERROR, _MEMORY = b"R", b"E", b"M"
# The kernel ends the child at the deadline; the parent waits a little longer.
_SLACK_S = 2.0


def run_forked(work: Callable[[], Any], bounds: ProcessBounds) -> Any:
    """Returns the result of work in a forked child; raises CompileLimitError beyond the bounds.

    The child inherits the memory of this process, so the work may be any callable; its result must
    be picklable. For programs whose other threads hold no lock, such as the command line.
    """
    ours, theirs = socket.socketpair()
    started = time.monotonic()
    pid = os.fork()
    if pid == 0:
        ours.close()
        answer_and_exit(theirs, work, bounds)
    theirs.close()
    try:
        with ours:
            return result_of(read_answer(ours, bounds), bounds, started)
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def answer_and_exit(
    channel: socket.socket, work: Callable[[], Any], bounds: ProcessBounds
) -> NoReturn:
    """Runs the work within its bounds in this process, sends the answer and exits."""
    try:
        apply_bounds(bounds)
        answer = _run_work(work)
        channel.sendall(answer)
        channel.close()
    finally:
        os._exit(0)


def _run_work(work: Callable[[], Any]) -> bytes:
    try:
        return _RESULT + pack(work())
    except MemoryError:
        release_memory_bound()
        return _MEMORY
    except BaseException as error:  # noqa: BLE001 - raised again in the process that asked
        error.__traceback__ = error.__cause__ = error.__context__ = None
        return _ERROR + _pack_error(error)


def _pack_error(error: BaseException) -> bytes:
    """Returns an error as bytes; an error that cannot be pickled is reduced to its name
    and text.
    """
    try:
        return pack(error)
    except Exception:  # noqa: BLE001 - pickle raises what the parts of an error raise
        return pack(RuntimeError(f"{type(error).__name__}: {error}"))


def read_answer(channel: socket.socket, bounds: ProcessBounds) -> bytes:
    """Returns all bytes that a child sends until it ends or its time is over."""
    until = time.monotonic() + bounds.seconds + _SLACK_S
    parts: list[bytes] = []
    with suppress(TimeoutError, ConnectionError):
        while True:
            channel.settimeout(max(0.01, until - time.monotonic()))
            part = channel.recv(_CHUNK)
            if not part:
                break
            parts.append(part)
    return b"".join(parts)


def result_of(answer: bytes, bounds: ProcessBounds, started: float) -> Any:
    """Returns the result in an answer, or raises its error; ``started`` is the monotonic time."""
    mark, content = answer[:1], answer[1:]
    if mark == _MEMORY:
        raise memory_error(bounds)
    try:
        if mark == _RESULT:
            return unpack(content)
        error = unpack(content) if mark == _ERROR else None
    except (EOFError, IndexError, ValueError) as fault:  # cut off in the middle
        raise _missing_answer_error(bounds, started) from fault
    raise error if isinstance(error, BaseException) else _missing_answer_error(bounds, started)


def _missing_answer_error(bounds: ProcessBounds, started: float) -> CompileLimitError:
    is_late = time.monotonic() - started >= bounds.seconds
    return deadline_error(bounds) if is_late else ended_error()
