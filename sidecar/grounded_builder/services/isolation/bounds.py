"""Applies the deadline and memory bound of a process, and defines the errors beyond them."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import resource
import signal
import sys
from dataclasses import dataclass
from typing import Literal

from grounded_builder.compiler.memory_limit import lift_data_limit, limit_data

Excess = Literal["deadline-exceeded", "memory-exceeded", "busy", "ended"]

_PR_SET_PDEATHSIG = 1
_MAX_RETRY_S = 120


@dataclass(frozen=True, slots=True)
class ProcessBounds:
    """The limits of one compile: seconds, and bytes above the memory in use at its start."""

    seconds: float = 30.0
    memory: int = 300_000_000


class CompileLimitError(Exception):
    """A compile was ended or not started; ``code`` names the limit.

    ``retry_after`` is the number of seconds after which a compile that was not started may be tried
    again.
    """

    def __init__(
        self, code: Excess, message: str, help_text: str, *, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.help = help_text
        self.retry_after = retry_after


def apply_bounds(bounds: ProcessBounds) -> None:
    """Bounds this process: the kernel ends it at the deadline, whatever code is running.

    RLIMIT_AS is not used: V8 reserves far more addresses than it ever uses.
    """
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.setitimer(signal.ITIMER_REAL, bounds.seconds)
    limit_data(bounds.memory)
    # A core dump of a process that was ended on purpose is of no use.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_with_parent(parent: int) -> None:
    """Asks the kernel to kill this process when its parent ends (prctl(2), on Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def release_memory_bound() -> None:
    """Lifts the memory bound of this process, so that it can report the limit error."""
    gc.collect()
    lift_data_limit()


def deadline_error(bounds: ProcessBounds) -> CompileLimitError:
    """Returns the error of a compile that took too long."""
    message = f"the draft was not compiled within {bounds.seconds:g} s"
    return CompileLimitError("deadline-exceeded", message, "send a smaller draft")


def memory_error(bounds: ProcessBounds) -> CompileLimitError:
    """Returns the error of a compile that took too much memory."""
    message = f"compiling the draft takes more than {bounds.memory // 1_000_000:,} MB of memory"
    return CompileLimitError("memory-exceeded", message, "send a smaller draft")


def busy_error(message: str, seconds: float) -> CompileLimitError:
    """Returns the error of a compile that is not started, with the seconds after which to try
    again.
    """
    after = min(_MAX_RETRY_S, max(1, math.ceil(seconds)))
    return CompileLimitError("busy", message, f"try again in {after} s", retry_after=after)


def ended_error() -> CompileLimitError:
    """Returns the error of a process that ended before its deadline without an answer."""
    message = "the process that compiled the draft ended without an answer"
    return CompileLimitError("ended", message, "send a smaller draft")
