"""Workers as real processes: killed in mid-build, and many that race for the same jobs."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.live import PLAN, SCOPE, SINE, Live
from tests.support.workers import Bench

_PATIENCE_S = 60.0
_JOBS = 6
# In the place of the stand-in: says that it was reached, and never returns.
_STUCK = "function add_block(varargin)\nfclose(fopen('{marker}', 'w'));\npause(600);\nend\n"


@pytest.fixture
def bench(live: Live) -> Bench:
    """Where a sine wave and a scope are installed."""
    return Bench(live.url, live.state / "token", live.octave.registry, (SINE, SCOPE))


def awaited(live: Live, job_id: str, state: str) -> dict[str, Any]:
    deadline = time.monotonic() + _PATIENCE_S
    while (job := live.job(job_id))["state"] != state:
        assert time.monotonic() < deadline, job
        time.sleep(0.05)
    return job


def test_a_worker_killed_in_mid_build(live: Live, bench: Bench, tmp_path: Path) -> None:
    """Its lease runs out, the job is built by the next worker, and counts as one silent attempt."""
    job = live.jobs("?wait=20", plan=PLAN)
    marker, stuck = tmp_path / "reached", tmp_path / "stuck"
    stuck.mkdir()
    (stuck / "add_block.m").write_text(_STUCK.format(marker=marker))
    code = "grounded.work('Once', true, 'Name', 'doomed', 'Lease', 2);"
    victim = bench.start(tmp_path / "doomed", code, f"addpath('{stuck}');")
    deadline = time.monotonic() + _PATIENCE_S
    while not marker.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert live.job(job["id"])["state"] == "leased"
    victim.kill()
    victim.wait()
    with bench.working(tmp_path / "heir", "grounded.work('Name', 'heir', 'Wait', 1);"):
        built = awaited(live, job["id"], "built")
    assert [(one["worker"], one["silent"], one["ok"]) for one in built["attempts"]] == [
        ("doomed", True, False),
        ("heir", False, True),
    ]
    assert built["script"] == job["script"]


def test_workers_race(live: Live, bench: Bench, tmp_path: Path) -> None:
    """Of several workers one builds each job, and each job is built once."""
    ids = [live.jobs("?wait=20", plan=PLAN)["id"] for _ in range(_JOBS)]
    code = "grounded.work('Name', '{name}', 'Wait', 5);"
    with (
        bench.working(tmp_path / "left", code.format(name="left")),
        bench.working(tmp_path / "right", code.format(name="right")),
    ):
        done = [awaited(live, one, "built") for one in ids]
    assert [len(one["attempts"]) for one in done] == [1] * _JOBS
    assert len({one["attempts"][0]["lease"] for one in done}) == _JOBS
    shares = Counter(one["attempts"][0]["worker"] for one in done)
    assert set(shares) <= {"left", "right"}
