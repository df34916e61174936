"""Repeats a call of a model that can succeed later, within its time; reads Retry-After headers."""

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

# The status codes of temporary failures: too early, too many requests, overloaded, broken.
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 529})
_BACK_OFF = wait_random_exponential(multiplier=0.5, max=20.0)


def call_with_retries(call: Callable[[], Reply], seconds: float, calls: int) -> Reply:
    """Calls at most ``calls`` times, and waits as long as the endpoint asks.

    No wait begins that would end after ``seconds``. Raises the last failure.
    """
    retrying = Retrying(
        retry=_is_temporary,
        wait=_wait,
        stop=stop_after_attempt(calls) | stop_before_delay(seconds),
        reraise=True,
    )
    return retrying(call)


def parse_retry_after(header: str | None) -> float | None:
    """Returns the seconds in a Retry-After header, a number or a date (RFC 9110)."""
    if not header:
        return None
    text = header.strip()
    try:
        return (
            max(0.0, float(text))
            if text[:1].isdigit()
            else _seconds_until(parsedate_to_datetime(text))
        )
    except (ValueError, OverflowError):
        return None


def _seconds_until(moment: datetime) -> float:
    known = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, (known - datetime.now(UTC)).total_seconds())


def _is_temporary(state: RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome is not None else None
    if not isinstance(error, DrafterError):
        return False
    # An endpoint that is unreachable twice stays unreachable for too long to wait, and a model that
    # answered with nothing twice will do so again.
    is_once = error.kind in ("unreachable", "empty")
    return error.status in PASSING or (is_once and state.attempt_number < 2)


def _wait(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    after = error.after if isinstance(error, DrafterError) else None
    return _BACK_OFF(state) if after is None else after
