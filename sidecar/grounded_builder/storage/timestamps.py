"""Returns the time by a shared clock, follows a database's clock, and formats times as text."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta

_LOG = logging.getLogger("grounded_builder.storage")
# The difference that the latency of the database may explain.
_SLACK = timedelta(seconds=1)
_WORTH_A_WORD = timedelta(seconds=30)


class _Reference:
    """The difference of the shared clock to that of this machine."""

    ahead = timedelta()


def now(ahead_s: float = 0.0) -> datetime:
    """Returns the time in UTC, or that many seconds from now, by the shared clock."""
    return datetime.now(UTC) + _Reference.ahead + timedelta(seconds=ahead_s)


def utc_now(ahead_s: float = 0.0) -> str:
    """Returns the time in UTC as ISO 8601 text, or that many seconds from now."""
    return as_text(now(ahead_s))


def as_text(at: datetime) -> str:
    """Returns a time in UTC as ISO 8601 text, to the millisecond."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def follow(database_time: datetime) -> None:
    """Follows the clock of a shared database, whose current time is ``database_time``."""
    ahead = database_time - datetime.now(UTC)
    before = _Reference.ahead
    if abs(ahead - before) <= _SLACK:
        return
    _Reference.ahead = timedelta() if abs(ahead) <= _SLACK else ahead
    if abs(ahead - before) > _WORTH_A_WORD and _Reference.ahead:
        side = "behind" if ahead > timedelta() else "ahead of"
        seconds = abs(ahead).total_seconds()
        message = (
            "the local clock is %.0f s %s the clock of the database, which times and leases use"
        )
        _LOG.warning(message, seconds, side)
