"""Workers as real processes: killed in mid-build, and many that race for the same jobs."""

from __future__ import annotations

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.octave.test_circle import PLAN, SCOPE, SINE, Live, living
from tests.support.octave import STAND_INS, TOOLBOX, described

_PATIENCE_S = 60.0
_JOBS = 6
# In the place of the stand-in: says that it was reached, and never returns.
_STUCK = "function add_block(varargin)\nfclose(fopen('{marker}', 'w'));\npause(600);\nend\n"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with living(tmp_path_factory.mktemp("workers")) as found:
        yield found


def worker(live: Live, home: Path, code: str, before: str = "") -> subprocess.Popen[bytes]:
    """An Octave that runs some code of a worker, in a process of its own."""
    home.mkdir()
    catalog = home / "catalog.json"
    catalog.write_text(json.dumps(described(live.octave.registry, [SINE, SCOPE])))
    ready = (
        f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); {before} simulink_catalog('{catalog}'); "
        f"grounded.connect('{live.url}', '@{live.state / 'token'}'); "
    )
    return subprocess.Popen(
        ["octave-cli", "--no-gui", "--norc", "--quiet", "--eval", ready + code],
        cwd=home,
        stdout=(home / "said").open("wb"),
        stderr=subprocess.STDOUT,
    )


def awaited(live: Live, job_id: str, state: str) -> dict[str, Any]:
    deadline = time.monotonic() + _PATIENCE_S
    while (job := live.job(job_id))["state"] != state:
        assert time.monotonic() < deadline, job
        time.sleep(0.05)
    return job


def test_a_worker_killed_in_mid_build(live: Live, tmp_path: Path) -> None:
    """Its lease runs out, the job is built by the next worker, and counts as one silent attempt."""
    job = live.jobs("?wait=20", plan=PLAN)
    marker, stuck = tmp_path / "reached", tmp_path / "stuck"
    stuck.mkdir()
    (stuck / "add_block.m").write_text(_STUCK.format(marker=marker))
    code = "grounded.work('Once', true, 'Name', 'doomed', 'Lease', 2);"
    victim = worker(live, tmp_path / "doomed", code, f"addpath('{stuck}');")
    deadline = time.monotonic() + _PATIENCE_S
    while not marker.exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert live.job(job["id"])["state"] == "leased"
    victim.kill()
    victim.wait()
    heir = worker(live, tmp_path / "heir", "grounded.work('Name', 'heir', 'Wait', 1);")
    try:
        built = awaited(live, job["id"], "built")
    finally:
        heir.kill()
        heir.wait()
    assert [(one["worker"], one["silent"], one["ok"]) for one in built["attempts"]] == [
        ("doomed", True, False),
        ("heir", False, True),
    ]
    assert built["script"] == job["script"]


def test_workers_race(live: Live, tmp_path: Path) -> None:
    """Of several workers one builds each job, and each job is built once."""
    ids = [live.jobs("?wait=20", plan=PLAN)["id"] for _ in range(_JOBS)]
    code = "grounded.work('Name', '{name}', 'Wait', 5);"
    racing = [worker(live, tmp_path / name, code.format(name=name)) for name in ("left", "right")]
    try:
        done = [awaited(live, one, "built") for one in ids]
    finally:
        for one in racing:
            one.kill()
            one.wait()
    assert [len(one["attempts"]) for one in done] == [1] * _JOBS
    assert len({one["attempts"][0]["lease"] for one in done}) == _JOBS
    shares = Counter(one["attempts"][0]["worker"] for one in done)
    assert set(shares) <= {"left", "right"}
