"""How the time of a piece of work grows with the length of a text."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

MOST_PER_DOUBLING = 2.5
"""The growth of time that a doubled text may bring: twice as much work, and some for noise."""
_LEAST_S = 0.01
"""Shorter times than this say nothing about growth."""
_LONGEST = 256_000
_SHORTEST = 1_000
_TRIES = 6
_STEP = 4
_CONFIRMATIONS = 3
_PAUSE_S = 0.5


def growth_fault(
    work: Callable[[T], object],
    make: Callable[[int], T],
    *,
    shortest: int = _SHORTEST,
    longest: int = _LONGEST,
) -> str:
    """Returns how a time grows where it grows too fast, else an empty text.

    ``make`` makes a text of about so many characters, or another thing of such a length. It is
    made longer until the work takes a time that can be measured, or it is the longest; then that
    time is held against the time of a quarter of the length, the least of several tries for each,
    in seconds of this thread alone: no more than ``MOST_PER_DOUBLING`` to the power of two
    doublings.
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


def confirmed_fault(measure: Callable[[], str]) -> str:
    """Returns a fault that every measurement finds, in the words of the last one.

    A busy machine makes single measurements slow; work that grows too fast is slow each time.
    """
    fault = measure()
    for _ in range(_CONFIRMATIONS if fault else 0):
        time.sleep(_PAUSE_S)
        fault = measure()
        if not fault:
            break
    return fault


def _seconds(work: Callable[[T], object], thing: T) -> float:
    """Returns the seconds of this thread that the work takes, without those of collections."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work(thing)
        return time.thread_time() - began
    finally:
        if was_on:
            gc.enable()
