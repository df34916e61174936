"""Measures how the time of an operation grows with the length of its input."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MOST_PER_DOUBLING = 2.5
"""The allowed growth of time when the input doubles: twice the work, and some noise."""
_LEAST_S = 0.01
"""Shorter times are too noisy to measure growth."""
_LONGEST = 256_000
_SHORTEST = 1_000
_TRIES = 6
_STEP = 4
_CONFIRMATIONS = 3
_PAUSE_S = 0.5


def find_growth_fault(
    work: Callable[[T], object],
    make: Callable[[int], T],
    *,
    shortest: int = _SHORTEST,
    longest: int = _LONGEST,
) -> str:
    """Returns a description of a time that grows too fast, else an empty text.

    ``make`` returns a text of about the given number of characters, or another input of that size.
    The size grows until the time can be measured or ``longest`` is reached. Then this time is
    compared with that of a quarter of the size, with the least of several tries for each, in
    seconds of this thread: it may be at most ``MOST_PER_DOUBLING`` squared times as long.
    """
    size = shortest
    long = make(size)
    whole = _seconds(work, long)
    while size < longest and whole < _LEAST_S:
        size *= _STEP
        long = make(size)
        whole = _seconds(work, long)
    if whole < _LEAST_S:
        return ""
    short = make(size // 4)
    most = MOST_PER_DOUBLING**2
    quarter = float("inf")
    for _ in range(_TRIES):
        quarter = min(quarter, _seconds(work, short))
        if whole <= quarter * most:
            return ""
        whole = min(whole, _seconds(work, long))
        if whole < _LEAST_S:
            return ""
    return f"length {size // 4:,} takes {quarter:.4f} s, length {size:,} {whole:.4f} s"


def confirm_fault(measure: Callable[[], str]) -> str:
    """Returns the last description if every measurement finds a fault, else an empty text.

    A busy machine slows down single measurements; excessive growth is slow every time.
    """
    fault = measure()
    for _ in range(_CONFIRMATIONS if fault else 0):
        time.sleep(_PAUSE_S)
        fault = measure()
        if not fault:
            break
    return fault


def _seconds(work: Callable[[T], object], thing: T) -> float:
    """Returns the seconds of this thread that the work takes, without garbage collection."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work(thing)
        return time.thread_time() - began
    finally:
        if was_on:
            gc.enable()
