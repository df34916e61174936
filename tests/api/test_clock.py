"""The clock of the sidecar jumps while a job is out: nothing is lost, nothing counts twice."""

from __future__ import annotations

import re
import time
from datetime import timedelta
from typing import Any

import pytest

from grounded_builder.domains.n8n.deploy.instance_status import Condition
from grounded_builder.interfaces.cli.doctor.clock import check_clock
from grounded_builder.storage import timestamps
from grounded_builder.storage.inspect import look_at
from tests.api.conftest import Served
from tests.support.clock import Clock
from tests.support.databases import is_on_postgresql
from tests.support.jobs import WHOLE, ask, job_of, lease_job, submit_job

HOUR = timedelta(hours=1)


def result(served: Served, taken: dict[str, Any]) -> tuple[int, str]:
    """The answer to a whole report under a lease: its status, and the state or what is wrong."""
    body = {"lease": taken["lease"], "report": WHOLE}
    answer = served.client.post(f"/v1/simulink/jobs/{taken['id']}/result", json=body)
    if answer.status_code == 200:
        return 200, answer.json()["jobs"][0]["state"]
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("off", [HOUR, -HOUR])
def test_report_is_accepted_after_clock_change(
    off: timedelta, empty: Served, clock: type[Clock]
) -> None:
    """A report is accepted with the clock an hour ahead or back if no other worker took the job."""
    job = submit_job(empty)
    taken = lease_job(empty, seconds=600)
    assert taken is not None
    clock.off = off
    assert result(empty, taken) == (200, "built")
    assert result(empty, taken) == (200, "built")
    assert len(job_of(empty, job["id"])["attempts"]) == 1


def test_a_clock_that_is_set_ahead_ends_leases(empty: Served, clock: type[Clock]) -> None:
    """The next worker takes the job, the first one's report is refused, one of them counts."""
    job = submit_job(empty)
    first = lease_job(empty, seconds=600)
    assert first is not None
    clock.off = HOUR
    second = lease_job(empty, seconds=600)
    assert second is not None
    assert second["id"] == job["id"]
    assert result(empty, first) == (409, "lease-lost")
    clock.off = timedelta()
    assert lease_job(empty) is None
    assert result(empty, second) == (200, "built")
    attempts = job_of(empty, job["id"])["attempts"]
    assert [(attempt["silent"], attempt["ok"]) for attempt in attempts] == [
        (True, False),
        (False, True),
    ]


def test_a_clock_that_is_set_back_holds_leases(empty: Served, clock: type[Clock]) -> None:
    """No other worker gets the job, and its worker may renew, return or report it."""
    job = submit_job(empty)
    taken = lease_job(empty, seconds=600)
    assert taken is not None
    clock.off = -HOUR
    assert lease_job(empty) is None
    ask(empty, f"/{job['id']}/result", lease=taken["lease"], seconds=1)
    clock.off = timedelta()
    again = lease_job(empty)
    assert again is not None
    assert again["id"] == job["id"]
    assert result(empty, again) == (200, "built")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> type[Clock]:
    """The clock of the machine alone: that of a shared database continues as it does."""
    Clock.off = timedelta()
    monkeypatch.setattr(timestamps, "datetime", Clock)
    monkeypatch.setattr(timestamps._Reference, "ahead", timedelta())
    return Clock


def test_machines_an_hour_apart_go_by_the_clock_of_their_database(
    empty: Served, machine: type[Clock], caplog: pytest.LogCaptureFixture
) -> None:
    """A shared database's clock ends leases, whichever machine gave them; a file has no clock."""
    job = submit_job(empty)
    first = lease_job(empty, seconds=600)
    assert first is not None
    machine.off = HOUR
    second = lease_job(empty, seconds=1)
    assert (second is None) == is_on_postgresql()
    records = [record.getMessage() for record in caplog.records]
    about = re.compile(r"3[56]\d\d s ahead of the clock of the database")
    assert any(map(about.search, records)) == is_on_postgresql()
    mine = first if is_on_postgresql() else second
    assert mine is not None
    ask(empty, f"/{job['id']}/result", lease=mine["lease"], seconds=1)
    machine.off = timedelta()
    time.sleep(1.1)
    third = lease_job(empty)
    assert (third is not None) == is_on_postgresql()


def test_the_doctor_compares_the_clock_with_that_of_the_database(empty: Served) -> None:
    """An hour off is in doubt where a server tells the time, and said to be what leases go by."""
    condition = look_at(empty.settings.database_url)
    for off, side in ((3_600, "ahead of"), (-3_600, "behind")):
        seen = check_clock(time.time() + off, condition, Condition(None))
        if is_on_postgresql():
            assert (seen.state, f"s {side} the clock of the database" in seen.message) == (
                "doubtful",
                True,
            )
        assert check_clock(time.time(), condition, Condition(None)).state == "ok"
