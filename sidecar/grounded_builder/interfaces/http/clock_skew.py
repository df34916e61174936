"""Warn once about a worker whose clock is wrong; worker clocks are never used."""

from __future__ import annotations

import logging
from functools import lru_cache

from grounded_builder.storage import timestamps

_LOG = logging.getLogger("grounded_builder.interfaces.http")
_SLACK_S = 30
_TOLD = 1_000


def warn_clock_skew(worker: str, number: float) -> None:
    """Logs a warning when a worker's clock, in seconds since 1970, differs from the sidecar's."""
    ahead = number - timestamps.now().timestamp()
    if abs(ahead) > _SLACK_S:
        _log_skew(worker, round(ahead / _SLACK_S) * _SLACK_S)


@lru_cache(_TOLD)
def _log_skew(worker: str, ahead: int) -> None:
    side = "ahead of" if ahead > 0 else "behind"
    message = "the clock of worker %r is about %d s %s the sidecar's, which leases use"
    _LOG.warning(message, worker, abs(ahead), side)
