"""Waiting and spending: bounds that hold on a slow machine and beside whatever else runs on it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

PATIENCE_S = 120.0
"""How long tests wait for what has to come: far longer than it takes."""
_PAUSE_S = 0.05

Found = TypeVar("Found")


def until(probe: Callable[[], Found | None], what: str = "") -> Found:
    """What is looked for, once it is neither None nor false; AssertionError where it stays away."""
    deadline = time.monotonic() + PATIENCE_S
    while not (result := probe()):
        assert time.monotonic() < deadline, what or "it did not come"
        time.sleep(_PAUSE_S)
    return result


@contextmanager
def limit_cpu_time(seconds: float) -> Iterator[None]:
    """Work of this process that takes at most so many seconds of a processor."""
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took <= seconds, f"{took:.1f} s of the processor"


def measure_cpu_time(work: Callable[[], object]) -> float:
    """The seconds of a processor that some work of this process takes."""
    began = time.process_time()
    work()
    return time.process_time() - began
