"""Waits for conditions and limits processor time, with bounds that hold on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

PATIENCE_S = 120.0
"""How long tests wait for an expected event, which normally takes far less."""
_PAUSE_S = 0.05

Found = TypeVar("Found")


def until(probe: Callable[[], Found | None], what: str = "") -> Found:
    """Returns the first true result of the probe; raises AssertionError after ``PATIENCE_S``."""
    deadline = time.monotonic() + PATIENCE_S
    while not (result := probe()):
        assert time.monotonic() < deadline, what or "it did not come"
        time.sleep(_PAUSE_S)
    return result


@contextmanager
def limit_cpu_time(seconds: float) -> Iterator[None]:
    """Fails if the block takes more than ``seconds`` of processor time in this process."""
    began = time.process_time()
    yield
    took = time.process_time() - began
    assert took <= seconds, f"{took:.1f} s of the processor"


def measure_cpu_time(work: Callable[[], object]) -> float:
    """Returns the seconds of processor time that some work of this process takes."""
    began = time.process_time()
    work()
    return time.process_time() - began
