"""Repeat a call that may succeed later, as long as its time allows."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from tenacity import (
    RetryCallState,
    Retrying,
    stop_after_attempt,
    stop_before_delay,
    wait_random_exponential,
)

from grounded_builder.llm.drafter import DrafterError, Reply

# Too early, too many, too busy, or broken for the moment.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_BACK_OFF = wait_random_exponential(multiplier=0.5, max=20.0)


def patiently(call: Callable[[], Reply], seconds: float, calls: int) -> Reply:
    """Call at most ``calls`` times; the endpoint's own word on when to come back counts.

    No wait begins that would end after ``seconds``. The last failure is raised.
    """
    retrying = Retrying(
        retry=_may_pass,
        wait=_wait,
        stop=stop_after_attempt(calls) | stop_before_delay(seconds),
        reraise=True,
    )
    return retrying(call)


def seconds_asked(header: str | None) -> float | None:
    """The seconds that a Retry-After header asks for, which is a number or a date (RFC 9110)."""
    if not header:
        return None
    text = header.strip()
    try:
        return max(0.0, float(text)) if text[:1].isdigit() else _until(parsedate_to_datetime(text))
    except (ValueError, OverflowError):
        return None


def _until(moment: datetime) -> float:
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (known - datetime.now(UTC)).total_seconds())


def _may_pass(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome is not None else None
    if not isinstance(error, DrafterError):
        return False
    # Who cannot be reached twice is away for longer than anybody waits.
    return error.status in PASSING or (error.kind == "unreachable" and state.attempt_number < 2)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    after = error.after if isinstance(error, DrafterError) else None
    return _BACK_OFF(state) if after is None else after
