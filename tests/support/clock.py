"""Shifts the clock of a sidecar that runs in the process of the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo


class Clock:
    """The time of the sidecar, shifted by ``off``."""

    off = timedelta()

    @classmethod
    def now(cls, zone: tzinfo = UTC) -> datetime:
        """Returns the shifted time."""
        return datetime.now(zone) + cls.off
