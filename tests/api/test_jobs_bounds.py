"""Jobs that are wrong, too many, too large, or for an environment that is not there."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import Any

import httpx
import pytest

from grounded_builder.domains.known import read_settings
from grounded_builder.storage import jobs as job_storage
from tests.api.conftest import Serve, Served
from tests.api.test_catalog_upload import facts, pieces, send_piece
from tests.support.clock import Clock
from tests.support.databases import drop_catalog
from tests.support.jobs import (
    PLAN,
    WHOLE,
    ask,
    await_drafted_job,
    job_of,
    lease_job,
    report_job,
    submit_job,
)
from tests.support.time_bounds import until

THING = {
    "goal": "two things",
    "steps": [{"id": "a", "tool": "Thing 1"}, {"id": "b", "tool": "Thing 2"}],
}
NO_JOB = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def environment(served: Served, count: int = 20) -> str:
    """Tell of an invented installation; returns its fingerprint."""
    parts = pieces(facts(count), 100)
    for number in range(1, len(parts) + 1):
        answer = send_piece(served, f"u{count}", parts, number)
    return str(answer["environment"])


def test_jobs_go_only_to_workers_of_their_environment(idle: Served) -> None:
    """Several environments side by side: each worker gets its own jobs, oldest first."""
    text, two = environment(idle, 4), environment(idle, 5)
    first = submit_job(idle, plan=THING, environment=text)
    second = submit_job(idle, plan=THING, environment=two)
    third = submit_job(idle, plan=THING, environment=text)
    assert [job["state"] for job in (first, second, third)] == ["ready"] * 3
    assert lease_job(idle) is None
    got = [lease_job(idle, environment=which) for which in (two, text, text, two)]
    assert [job and job["id"] for job in got] == [second["id"], first["id"], third["id"], None]


def test_an_environment_that_was_removed_is_reported(idle: Served) -> None:
    """Submit, lease and get name a removed environment; a running build may still be reported."""
    text = environment(idle, 4)
    waiting = submit_job(idle, plan=THING, environment=text)
    out = lease_job(idle, environment=text)
    other = submit_job(idle, plan=THING, environment=text)
    assert out is not None
    drop_catalog(idle.state.store, text)
    for path, body in (("", {"plan": THING}), ("/lease", {})):
        response = idle.client.post(f"/v1/simulink/jobs{path}", json={"environment": text, **body})
        error = response.json()["error"]
        assert (response.status_code, error["code"]) == (404, "unknown-environment")
        assert "grounded.sync" in error["help"]
    lost = job_of(idle, other["id"])
    assert lost["state"] == "failed"
    assert lost["problem"].endswith("is no longer kept: run grounded.sync again")
    assert report_job(idle, out, WHOLE)["state"] == "built"
    assert job_of(idle, waiting["id"])["state"] == "built"


def test_a_silent_worker_of_a_removed_environment_ends_its_job(
    idle: Served, clock: type[Clock]
) -> None:
    """No other worker can take the job, so it fails with a reason when its lease ends."""
    text = environment(idle, 5)
    job = submit_job(idle, plan=THING, environment=text)
    out = lease_job(idle, environment=text, seconds=3_600)
    assert out is not None
    drop_catalog(idle.state.store, text)
    assert job_of(idle, job["id"])["state"] == "leased"
    clock.off = timedelta(seconds=3_601)
    lost = job_of(idle, job["id"])
    assert lost["state"] == "failed"
    assert lost["problem"].endswith("is no longer kept: run grounded.sync again")


def test_a_catalog_of_another_domain_is_no_environment(shared_server: Served) -> None:
    """The fingerprint of n8n's catalog is refused as one."""
    n8n = shared_server.state.registry("n8n").fingerprint
    response = shared_server.client.post(
        "/v1/simulink/jobs", json={"plan": PLAN, "environment": n8n}
    )
    assert (response.status_code, response.json()["error"]["code"]) == (404, "unknown-environment")


@pytest.mark.parametrize(
    ("path", "body", "at"),
    [
        ("", {"request": "x", "attempts": 0}, "/attempts"),
        ("", {"request": "x", "attempts": 11}, "/attempts"),
        ("", {"request": "x", "colour": "red"}, "/colour"),
        ("", {"request": "x", "options": {"Steps": 1}}, "/options/Steps"),
        ("", {"request": "x", "options": {"Simulate": -1}}, "/options/Simulate"),
        ("", {"request": "x", "options": {"File": "../../x.slx"}}, "/options/File"),
        ("", {"request": "x", "options": {"File": "startup.m"}}, "/options/File"),
        ("", {"request": "x", "options": {"File": "a\nb.slx"}}, "/options/File"),
        ("", {"request": "x", "plan": "text"}, "/plan"),
        ("", {"request": "x" * 200_001}, "/request"),
        ("", {"request": "x", "key": "k" * 201}, "/key"),
        ("/lease", {"seconds": 0}, "/seconds"),
        ("/lease", {"seconds": 1e9}, "/seconds"),
        ("/lease", {"wait": 26}, "/wait"),
        ("/lease", {"worker": "w" * 201}, "/worker"),
        (f"/{NO_JOB}/result", {}, "/lease"),
        (f"/{NO_JOB}/result", {"lease": "x", "report": []}, "/report"),
    ],
)
def test_a_bad_argument_is_named(
    path: str, body: dict[str, Any], at: str, shared_server: Served
) -> None:
    """Every route states which part of its body is wrong, and keeps nothing."""
    before = shared_server.client.get("/v1/simulink/jobs").json()
    answer = shared_server.client.post(f"/v1/simulink/jobs{path}", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (400, "bad-argument"), error
    assert error["at"].startswith(at)
    assert not error["message"].startswith("Value error")
    assert shared_server.client.get("/v1/simulink/jobs").json() == before


@pytest.mark.parametrize("file", ["x.slx", "models/x.mdl", "/models/x.slx", r"C:\models\x.slx"])
def test_the_path_of_a_file_is_that_of_the_worker(file: str, shared_server: Served) -> None:
    """A model's path is one of the worker's system, relative or not; a plan comes first."""
    body = {"request": "what it is for", "plan": PLAN, "options": {"File": file}}
    answer = shared_server.client.post("/v1/simulink/jobs?wait=20", json=body)
    job = answer.json()["jobs"][0]
    assert (answer.status_code, job["state"], job["request"]) == (200, "ready", "what it is for")


@pytest.mark.parametrize(
    ("path", "limit"),
    [("", 2_000_000), ("/lease", 20_000), (f"/{NO_JOB}/result", 8_000_000)],
)
def test_a_body_that_is_too_large_is_refused(path: str, limit: int, shared_server: Served) -> None:
    """Each route has a bound of its own, and says it."""
    answer = shared_server.client.post(f"/v1/simulink/jobs{path}", json={"request": "x" * limit})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")
    assert f"{limit:,} bytes" in answer.json()["error"]["message"]


def test_a_plan_nested_too_deep_has_failed(idle: Served) -> None:
    """It is stored, not compiled, and the job states it."""
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    job = submit_job(idle, plan={"goal": "x", "steps": deep}, key="deep")
    assert (job["state"], bool(job["problem"])) == ("failed", True)


def test_a_malformed_report_is_a_failed_attempt(idle: Served) -> None:
    """Every malformed report is a failed attempt, and none ends the sidecar."""
    strange: list[dict[str, Any]] = [
        {},
        {"ok": "yes", "errors": "none"},
        {"errors": [{"identifier": 7, "message": None}], "blocks": 5},
        {"ok": True, "errors": [[]], "differences": {"what": "x"}},
        {"ok": False, "model": "\ud800\0", "errors": [{"message": "\ud800\0"}]},
    ]
    for report in strange:
        job = submit_job(idle, attempts=1)
        lease = (lease_job(idle, worker="w\0") or {})["lease"]
        body = json.dumps({"lease": lease, "report": report})
        path = f"/v1/simulink/jobs/{job['id']}/result"
        done = idle.client.post(path, content=body).json()["jobs"][0]
        assert done["state"] in ("failed", "built"), report
        assert job_of(idle, job["id"])["attempts"][0]["number"] == 1


def test_too_many_open_jobs_are_refused(idle: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The open jobs of an environment are limited, and an ended job makes room."""
    monkeypatch.setattr(job_storage, "MOST_OPEN", 2)
    ids = [submit_job(idle)["id"] for _ in range(2)]
    refused = idle.client.post("/v1/simulink/jobs", json={"plan": PLAN})
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too-many-jobs")
    elsewhere = submit_job(idle, plan=THING, environment=environment(idle, 4))
    assert elsewhere["state"] == "ready"
    idle.client.delete(f"/v1/simulink/jobs/{ids[0]}")
    assert submit_job(idle)["state"] == "ready"


def test_ended_jobs_are_retained_as_long_as_runs(serve: Serve) -> None:
    """The oldest make room; open ones stay."""
    served = serve(max_stored_runs=2)
    waiting = submit_job(served)["id"]
    ids = [submit_job(served)["id"] for _ in range(4)]
    for job_id in ids:
        served.client.delete(f"/v1/simulink/jobs/{job_id}")
    last = submit_job(served)["id"]
    listed = [job["id"] for job in served.client.get("/v1/simulink/jobs").json()["jobs"]]
    assert listed == [last, ids[3], ids[2], waiting]


def test_a_worker_that_went_away_gets_nothing(idle: Served) -> None:
    """A job that comes after its question was cut off is not leased to it."""
    lease = {"wait": 20, "worker": "gone"}
    with pytest.raises(httpx.ReadTimeout):
        idle.client.post("/v1/simulink/jobs/lease", json=lease, timeout=0.5)
    job = submit_job(idle)
    time.sleep(0.6)
    # It may be given back just now.
    until(lambda: job_of(idle, job["id"])["state"] == "ready", "it is leased")


def test_unreachable_drafter_is_reported(serve: Serve) -> None:
    """Without the planner the job fails with a reason, and with it the job is drafted."""
    dead = {"GROUNDED_MODEL_URL": "http://127.0.0.1:1/v1", "GROUNDED_MODEL": "m"}
    for drafters, state in (("", "ready"), ("model", "failed")):
        given = read_settings({**dead, "GROUNDED_DRAFTERS": drafters})
        served = serve(models=given.models, drafters=given.drafters)
        request = {"request": "connect a sine wave to a scope"}
        job = await_drafted_job(served, ask(served, "", **request)["jobs"][0]["id"])
        assert job["state"] == state, job["problem"]
        run = served.client.get(f"/v1/runs/{job['run']}").json()
        assert any(draft["failed"] for draft in run["drafts"])
        if state == "failed":
            assert "no connection to the model endpoint" in job["problem"]
        served.client.delete(f"/v1/simulink/jobs/{job['id']}")
