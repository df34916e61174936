"""The clocks of workers, which count for nothing: a wrong one is said, once."""

from __future__ import annotations

import logging
from functools import lru_cache

from grounded_builder.storage import timestamps

_LOG = logging.getLogger("grounded_builder.interfaces.http")
_SLACK_S = 30
_TOLD = 1_000


def warn_clock_skew(worker: str, number: float) -> None:
    """Says in the log that a worker's clock, at so many seconds since 1970, is not ours."""
    ahead = number - timestamps.now().timestamp()
    if abs(ahead) > _SLACK_S:
        _tell(worker, round(ahead / _SLACK_S) * _SLACK_S)


@lru_cache(_TOLD)
def _tell(worker: str, ahead: int) -> None:
    side = "ahead of" if ahead > 0 else "behind"
    message = "the clock of worker %r is about %d s %s the sidecar's, by which leases go"
    _LOG.warning(message, worker, abs(ahead), side)
