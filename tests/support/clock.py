"""The clock of a sidecar that runs in the process of the test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo


class Clock:
    """The time of the sidecar, off by as much as a test says."""

    off = timedelta()

    @classmethod
    def now(cls, zone: tzinfo = UTC) -> datetime:
        """The time, off."""
        return datetime.now(zone) + cls.off
