"""Renews the leases of this process from a thread, up to a maximum time; checks if one holds."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.lock_owner import has_ended, runs_here
from grounded_builder.storage.timestamps import utc_now

LEASE_S = 12.0
"""Seconds after which a lease that is not renewed expires, and another process may take it."""
_BEAT_S = 3.0
_LOG = logging.getLogger("grounded_builder.storage")

Renew = Callable[[str | None], bool]
"""Sets the end of a lease, None to end it now; returns whether it was still held here."""


def is_held(holder: str | None, held_until: str | None) -> bool:
    """Returns whether a renewed lease still holds.

    A lease of a process of this system holds while that process runs, however late its renewals are
    and whatever happens to the clock; any other lease holds until its time. A time that no renewal
    could have set was written before a clock was set back.
    """
    if holder is None or held_until is None or has_ended(holder):
        return False
    return runs_here(holder) or utc_now() <= held_until <= utc_now(2 * LEASE_S)


@dataclass(slots=True)
class Heartbeat:
    """A thread that renews held leases every few seconds, and ends when there is none.

    It continues while the database is unavailable: a lease counts again afterwards, unless another
    process has taken it over. A lease that was held for its longest time is ended.
    """

    _held: dict[Hashable, tuple[Renew, float]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thread: threading.Thread | None = None

    def hold(self, key: Hashable, renew: Renew, seconds: float) -> None:
        """Renews a lease from now on, for so many seconds at most."""
        with self._lock:
            self._held[key] = (renew, time.monotonic() + seconds)
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="leases", daemon=True)
                self._thread.start()

    def stop(self, key: Hashable) -> None:
        """Stops renewing a lease."""
        with self._lock:
            self._held.pop(key, None)

    def forget(self) -> None:
        """Drops all leases: a child process does not hold those of its parent."""
        self._held, self._lock, self._thread = {}, threading.Lock(), None

    def _beat(self) -> None:
        while True:
            time.sleep(_BEAT_S)
            with self._lock:
                held = dict(self._held)
                if not held:
                    self._thread = None
                    return
            for key, (renew, until) in held.items():
                goes_on = time.monotonic() <= until
                if _is_done(renew, utc_now(LEASE_S) if goes_on else None):
                    self._drop(key, renew)

    def _drop(self, key: Hashable, renew: Renew) -> None:
        """Drops a lease, unless it was taken again meanwhile."""
        with self._lock:
            if self._held.get(key, (None, 0.0))[0] is renew:
                del self._held[key]


def _is_done(renew: Renew, held_until: str | None) -> bool:
    """Returns whether a lease needs no more renewals: it has ended, or is no longer held here."""
    try:
        return not renew(held_until) or held_until is None
    except StorageError as error:
        _LOG.info("a lease could not be renewed: %s", error)
        return False


HEARTBEAT = Heartbeat()
"""The heartbeat of this process."""
os.register_at_fork(after_in_child=HEARTBEAT.forget)
