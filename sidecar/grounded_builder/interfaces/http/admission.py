"""Limits concurrent requests per token and in total, and queues their work for groups of threads.

A refused client receives the time after which to retry.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, TypeVar

from grounded_builder.interfaces.http.errors import ApiError

_SHARE = 0.2
_LEAST_S, _MOST_S = 1, 120
_WINDOW_S = 1.0

_ADMITTED = "grounded.admitted"

Result = TypeVar("Result")


class Admission:
    """Counts the requests in progress in this process, for each token and in total.

    A request beyond a bound is refused with 429 and the seconds after which, at the recent pace,
    the requests ahead of it have been answered.
    """

    def __init__(self, per_token: int, in_all: int) -> None:
        self._per_token = per_token
        self._in_all = in_all
        self._active: Counter[str] = Counter()
        self._count = 0
        self._pace = Pace()

    @property
    def count(self) -> int:
        """The number of requests in progress."""
        return self._count

    def enter(self, token: str) -> None:
        """Starts a request of a token; raises ApiError where there are too many."""
        mine = self._active[token]
        if self._count >= self._in_all:
            message = f"{self._count:,} requests are being worked on"
            raise too_many(message, self._pace.seconds_for(self._count))
        if mine >= self._per_token:
            message = f"{mine:,} requests of this token are being worked on"
            raise too_many(message, self._pace.seconds_for(mine))
        self._active[token] = mine + 1
        self._count += 1

    def leave(self, token: str) -> None:
        """Ends a request."""
        self._count -= 1
        self._active[token] -= 1
        if self._active[token] == 0:
            del self._active[token]
        self._pace.note()


def admit(scope: MutableMapping[str, Any], admission: Admission, token: str) -> None:
    """Starts the request of an ASGI scope, unless it was started before."""
    if _ADMITTED not in scope:
        admission.enter(token)
        scope[_ADMITTED] = (admission, token)


def dismiss(scope: MutableMapping[str, Any]) -> None:
    """Ends the request of an ASGI scope, if it was started."""
    entered = scope.pop(_ADMITTED, None)
    if entered is not None:
        admission, token = entered
        admission.leave(token)


class Pace:
    """The number of requests answered per second, recently."""

    def __init__(self) -> None:
        self._per_second = 0.0
        self._count = 0
        self._since = time.monotonic()

    def note(self) -> None:
        """Counts one answer."""
        self._count += 1
        self._settle(time.monotonic())

    def seconds_for(self, count: int) -> float:
        """Returns the seconds in which so many requests are answered at this pace."""
        self._settle(time.monotonic())
        return count / self._per_second if self._per_second > 0 else float(_LEAST_S)

    def _settle(self, now: float) -> None:
        passed = now - self._since
        if passed < _WINDOW_S:
            return
        # Older answers weigh less.
        value = (1 - _SHARE) ** passed
        self._per_second = value * self._per_second + (1 - value) * self._count / passed
        self._count, self._since = 0, now


class Lane:
    """Threads for one kind of work, and a bounded queue for them."""

    def __init__(self, name: str, threads: int, waiting: int = 0) -> None:
        self._name = name
        self._threads = threads
        self._most = threads + waiting
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._count = 0
        self._mean_s = 1.0

    async def run(self, work: Callable[[], Result]) -> Result:
        """Returns the result of work in a thread; raises ApiError where too many requests wait."""
        if self._count >= self._most:
            ahead = self._count - self._threads + 1
            message = f"{self._count:,} requests of this kind ({self._name}) are being worked on"
            raise too_many(message, max(1, ahead) * self._mean_s / self._threads, "busy")
        self._count += 1
        began = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._executor, work)
        finally:
            self._count -= 1
            self._mean_s += _SHARE * (time.monotonic() - began - self._mean_s)


def too_many(message: str, seconds: float, code: str = "too-many-requests") -> ApiError:
    """Returns the refusal of a request beyond a bound, with the time after which to retry."""
    after = min(_MOST_S, max(_LEAST_S, math.ceil(seconds)))
    status = HTTPStatus.TOO_MANY_REQUESTS
    return ApiError(status, code, message, f"try again in {after} s", retry_after=after)
