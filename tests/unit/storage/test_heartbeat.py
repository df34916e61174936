"""Leases are short and renewed: those of a process that ended run out soon, others hold."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from datetime import timedelta

import pytest

from grounded_builder.storage import heartbeat, timestamps
from grounded_builder.storage.errors import DatabaseUnreachableError
from grounded_builder.storage.heartbeat import LEASE_S, Heartbeat, is_held
from grounded_builder.storage.lock_owner import process_id
from grounded_builder.storage.timestamps import utc_now
from tests.support.clock import Clock
from tests.support.time_bounds import PATIENCE_S

ELSEWHERE = f"other-host/boot/space/{os.getpid()}/1/x"
HERE = f"{process_id()}/x"


def test_a_lease_of_another_machine_holds_while_it_lasts() -> None:
    """The lease of another machine ends by its time, within 15 s of its last renewal."""
    assert LEASE_S <= 15
    assert is_held(ELSEWHERE, utc_now(LEASE_S))
    assert not is_held(ELSEWHERE, utc_now(-0.1))
    assert not is_held(ELSEWHERE, None)
    assert not is_held(None, utc_now(LEASE_S))


def test_a_process_of_this_machine_holds_while_it_runs() -> None:
    """A late renewal takes nothing from a process that is there, its end takes all at once."""
    assert is_held(HERE, utc_now(-3_600))
    assert not is_held(HERE, None)
    code = "from grounded_builder.storage.lock_owner import process_id; print(process_id())"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert not is_held(f"{result.stdout.strip()}/x", utc_now(LEASE_S))


@pytest.mark.parametrize("hours", [-24, -1])
def test_a_clock_that_is_set_back_holds_no_lease_for_hours(
    hours: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lease that ends later than any renewal sets it was written by a clock of before."""
    held_until = utc_now(LEASE_S)
    monkeypatch.setattr(timestamps, "datetime", Clock)
    monkeypatch.setattr(Clock, "off", timedelta(hours=hours))
    assert not is_held(ELSEWHERE, held_until)
    assert is_held(HERE, held_until)


@pytest.fixture
def fast_heartbeat(monkeypatch: pytest.MonkeyPatch) -> Heartbeat:
    monkeypatch.setattr(heartbeat, "_BEAT_S", 0.01)
    return Heartbeat()


def test_held_lease_is_renewed_until_stopped(fast_heartbeat: Heartbeat) -> None:
    """A lease is renewed again and again, also after the database was away, until it is stopped."""
    renewed = threading.Semaphore(0)

    def renew(held_until: str | None) -> bool:
        assert held_until is not None
        renewed.release()
        raise DatabaseUnreachableError("away")

    fast_heartbeat.hold("k", renew, PATIENCE_S)
    for _ in range(3):
        assert renewed.acquire(timeout=PATIENCE_S)
    fast_heartbeat.stop("k")
    thread = fast_heartbeat._thread
    if thread is not None:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_lease_ends_at_maximum_time(fast_heartbeat: Heartbeat) -> None:
    """A lease that has reached its maximum time is ended by its holder and not renewed."""
    marks: list[str | None] = []
    done = threading.Event()

    def renew(held_until: str | None) -> bool:
        marks.append(held_until)
        if held_until is None:
            done.set()
        return True

    fast_heartbeat.hold("k", renew, 0.05)
    assert done.wait(PATIENCE_S)
    assert marks[-1] is None
    assert None not in marks[:-1]


def test_lost_lease_is_not_renewed(fast_heartbeat: Heartbeat) -> None:
    """A renewal that finds another holder is the last one."""
    calls = []

    def renew(held_until: str | None) -> bool:
        calls.append(held_until)
        return False

    fast_heartbeat.hold("k", renew, PATIENCE_S)
    thread = fast_heartbeat._thread
    assert thread is not None
    thread.join(PATIENCE_S)
    assert len(calls) == 1
