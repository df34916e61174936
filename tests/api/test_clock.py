"""The clock of the sidecar jumps while a job is out: nothing is lost, nothing counts twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support.clock import Clock
from tests.support.jobs import WHOLE, asked, job_of, leased, submitted

HOUR = timedelta(hours=1)


def result(served: Served, taken: dict[str, Any]) -> tuple[int, str]:
    """The answer to a whole report under a lease: its status, and the state or what is wrong."""
    body = {"lease": taken["lease"], "report": WHOLE}
    answer = served.client.post(f"/v1/simulink/jobs/{taken['id']}/result", json=body)
    if answer.status_code == 200:
        return 200, answer.json()["jobs"][0]["state"]
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_a_report_counts_whatever_the_clock_does(
    off: timedelta, empty: Served, clock: type[Clock]
) -> None:
    """As long as nobody else took the job: ahead or back by an hour, it is built, once."""
    job = submitted(empty)
    taken = leased(empty, seconds=600)
    assert taken is not None
    clock.off = off
    assert result(empty, taken) == (200, "built")
    assert result(empty, taken) == (200, "built")
    assert len(job_of(empty, job["id"])["attempts"]) == 1


def test_a_clock_that_is_set_ahead_ends_leases(empty: Served, clock: type[Clock]) -> None:
    """The next worker takes the job, the first one's report is refused, one of them counts."""
    job = submitted(empty)
    first = leased(empty, seconds=600)
    assert first is not None
    clock.off = HOUR
    second = leased(empty, seconds=600)
    assert second is not None
    assert second["id"] == job["id"]
    assert result(empty, first) == (409, "lease-lost")
    clock.off = timedelta()
    assert leased(empty) is None
    assert result(empty, second) == (200, "built")
    attempts = job_of(empty, job["id"])["attempts"]
    assert [(one["silent"], one["ok"]) for one in attempts] == [(True, False), (False, True)]


def test_a_clock_that_is_set_back_holds_leases(empty: Served, clock: type[Clock]) -> None:
    """Nobody else gets the job; its worker may renew it, give it back, or report it."""
    job = submitted(empty)
    taken = leased(empty, seconds=600)
    assert taken is not None
    clock.off = -HOUR
    assert leased(empty) is None
    asked(empty, f"/{job['id']}/result", lease=taken["lease"], seconds=1)
    clock.off = timedelta()
    again = leased(empty)
    assert again is not None
    assert again["id"] == job["id"]
    assert result(empty, again) == (200, "built")
