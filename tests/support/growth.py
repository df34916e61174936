"""How the time of a piece of work grows with the length of a text."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

MOST_PER_DOUBLING = 2.5
"""The growth of time that a doubled text may bring: twice as much work, and some for noise."""
_LEAST_S = 0.01
"""Shorter times than this say nothing about growth."""
_LONGEST = 256_000
_SHORTEST = 1_000
_TRIES = 6
_STEP = 4


def growth_fault(
    work: Callable[[str], object],
    text: Callable[[int], str],
    *,
    shortest: int = _SHORTEST,
    longest: int = _LONGEST,
) -> str:
    """Returns how a time grows where it grows too fast, else an empty text.

    ``text`` makes a text of about so many characters. It is made longer until the work takes a time
    that can be measured, or the text is the longest; then that time is held against the time of
    a quarter of the text, the least of several tries for each, in seconds of this thread alone:
    no more than twice ``MOST_PER_DOUBLING``, to the power of two doublings.
    """
    size = shortest
    while size < longest and _seconds(work, text(size)) < _LEAST_S:
        size *= _STEP
    long = text(size)
    if _seconds(work, long) < _LEAST_S:
        return ""
    short = text(size // 4)
    most = MOST_PER_DOUBLING**2
    whole = quarter = float("inf")
    for _ in range(_TRIES):
        whole = min(whole, _seconds(work, long))
        quarter = min(quarter, _seconds(work, short))
        if whole < _LEAST_S or whole <= quarter * most:
            return ""
    return f"{len(short):,} characters take {quarter:.4f} s, {len(long):,} take {whole:.4f} s"


def _seconds(work: Callable[[str], object], text: str) -> float:
    """Returns the seconds of this thread that the work takes, without those of collections."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work(text)
        return time.thread_time() - began
    finally:
        if was_on:
            gc.enable()
