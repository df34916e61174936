"""Workers as real processes: killed in mid-build, and many that race for the same jobs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.jobs import end_lease
from tests.support.live_sidecar import PLAN, SCOPE, SINE, Live
from tests.support.time_bounds import until
from tests.support.workers import Bench, make_stuck_build

_JOBS = 6


@pytest.fixture
def context(live: Live) -> Bench:
    """Where a sine wave and a scope are installed."""
    return Bench(live.url, live.state / "token", live.octave.registry, (SINE, SCOPE))


def await_state(live: Live, job_id: str, state: str) -> dict[str, Any]:
    until(lambda: live.job(job_id)["state"] == state, f"job {job_id} is not {state}")
    return live.job(job_id)


def test_a_worker_killed_in_mid_build(live: Live, context: Bench, tmp_path: Path) -> None:
    """Its lease runs out, the job is built by the next worker, and counts as one silent attempt."""
    job = live.jobs("?wait=20", plan=PLAN)
    ready, marker = make_stuck_build(tmp_path)
    code = "grounded.work('Once', true, 'Name', 'doomed');"
    victim = context.start(tmp_path / "doomed", code, ready)
    until(marker.exists, "it does not build")
    assert live.job(job["id"])["state"] == "leased"
    victim.kill()
    victim.wait()
    end_lease(live.state, job["id"])
    with context.run_worker(tmp_path / "heir", "grounded.work('Name', 'heir', 'Wait', 1);"):
        built = await_state(live, job["id"], "built")
    assert [
        (attempt["worker"], attempt["silent"], attempt["ok"]) for attempt in built["attempts"]
    ] == [
        ("doomed", True, False),
        ("heir", False, True),
    ]
    assert built["script"] == job["script"]


def test_workers_race(live: Live, context: Bench, tmp_path: Path) -> None:
    """Of several workers one builds each job, once."""
    ids = [live.jobs("?wait=20", plan=PLAN)["id"] for _ in range(_JOBS)]
    code = "grounded.work('Name', '{name}', 'Wait', 5);"
    with (
        context.run_worker(tmp_path / "left", code.format(name="left")),
        context.run_worker(tmp_path / "right", code.format(name="right")),
    ):
        done = [await_state(live, id_, "built") for id_ in ids]
    assert [len(item["attempts"]) for item in done] == [1] * _JOBS
    assert len({item["attempts"][0]["lease"] for item in done}) == _JOBS
    shares = Counter(item["attempts"][0]["worker"] for item in done)
    assert set(shares) <= {"left", "right"}
