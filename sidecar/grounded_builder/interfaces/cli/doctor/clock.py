"""Compares the clock with the latest stored time, the database and n8n."""

from __future__ import annotations

from datetime import UTC, datetime

from grounded_builder.domains.n8n.deploy.instance_status import Condition as Instance
from grounded_builder.interfaces.cli.doctor.finding import Observation
from grounded_builder.storage.inspect import Condition as Kept

_PART = "clock"
_SLACK_S = 30
_HELP = "synchronize the clock with NTP: receipts and leases expire by it"


def check_clock(now: float, condition: Kept, n8n: Instance) -> Observation:
    """Returns whether the clock is after the latest stored time, and agrees with the database and
    n8n.
    """
    here = datetime.fromtimestamp(now, UTC)
    value = f"{here:%Y-%m-%d %H:%M:%S} UTC"
    ahead = 0.0 if condition.server_time is None else (condition.server_time - here).total_seconds()
    if abs(ahead) > _SLACK_S:
        side = "behind" if ahead > 0 else "ahead of"
        text = (
            f"{value}, {abs(ahead):.0f} s {side} the clock of the database, by which leases expire"
        )
        return Observation(_PART, "doubtful", text, _HELP)
    if condition.latest is not None:
        early = (datetime.fromisoformat(condition.latest) - here).total_seconds()
        if early > _SLACK_S:
            text = f"{value}, {early:.0f} s before the latest stored time"
            return Observation(_PART, "failed", text, _HELP)
    if n8n.ahead_s is not None and abs(n8n.ahead_s) > _SLACK_S:
        side = "behind" if n8n.ahead_s > 0 else "ahead of"
        text = f"{value}, {abs(n8n.ahead_s):.0f} s {side} the clock of n8n"
        return Observation(_PART, "doubtful", text, _HELP)
    compared = ", as at n8n" if n8n.ahead_s is not None else ""
    return Observation(_PART, "ok", f"{value}{compared}")
