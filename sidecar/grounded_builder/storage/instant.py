"""Times as they are kept: texts that sort as times do, the same in every database."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def utc_now(ahead_s: float = 0.0) -> str:
    """The time in UTC as ISO 8601 text, or that many seconds from now."""
    return as_text(datetime.now(UTC) + timedelta(seconds=ahead_s))


def as_text(at: datetime) -> str:
    """A time in UTC as ISO 8601 text, to the millisecond."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
