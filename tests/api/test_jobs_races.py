"""Jobs under races: several workers, silent workers, late drafters, a restarted server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from grounded_builder.interfaces.http.routes_jobs import job_service
from grounded_builder.storage import DatabaseLockedError
from grounded_builder.storage.jobs import JobStore
from tests.api.conftest import Serve, Served
from tests.support.clock import Clock
from tests.support.jobs import (
    PLAN,
    WHOLE,
    ask,
    await_drafted_job,
    job_of,
    lease_job,
    submit_job,
)
from tests.support.time_bounds import until


def test_the_same_report_twice_changes_nothing(idle: Served) -> None:
    """A worker that posts again hears the same, and nothing is drafted twice."""
    job = submit_job(idle)
    taken = lease_job(idle)
    assert taken is not None
    first = ask(idle, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)
    second = ask(idle, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)
    assert first == second
    assert len(second["jobs"][0]["attempts"]) == 1


def test_of_many_workers_one_gets_a_job(idle: Served) -> None:
    """Workers that race for one job do not double it."""
    submit_job(idle)
    with ThreadPoolExecutor(8) as pool:
        taken = [
            item for item in pool.map(lambda n: lease_job(idle, worker=f"w{n}"), range(8)) if item
        ]
    assert len(taken) == 1


def test_a_silent_worker_loses_its_lease(idle: Served, clock: type[Clock]) -> None:
    """When the time runs out the job goes to another; the late report is refused; attempts end."""
    job = submit_job(idle, attempts=2)
    first = lease_job(idle, worker="silent", seconds=3_600)
    assert first is not None
    clock.off = timedelta(seconds=3_000)
    assert lease_job(idle) is None
    clock.off = timedelta(seconds=3_601)
    second = lease_job(idle, worker="next", seconds=3_600)
    assert second is not None
    assert second["id"] == job["id"]
    (attempt,) = second["attempts"]
    assert (attempt["worker"], attempt["silent"], attempt["ok"]) == ("silent", True, False)
    late = idle.client.post(
        f"/v1/simulink/jobs/{job['id']}/result", json={"lease": first["lease"], "report": WHOLE}
    )
    assert (late.status_code, late.json()["error"]["code"]) == (409, "lease-lost")
    clock.off *= 2
    assert lease_job(idle) is None
    end = idle.client.get(f"/v1/simulink/jobs/{job['id']}").json()["jobs"][0]
    assert (end["state"], end["problem"]) == ("failed", "no worker reported a result")


def test_a_renewed_lease_holds(idle: Served, clock: type[Clock]) -> None:
    """A build that takes long keeps its job by saying so."""
    job = submit_job(idle)
    taken = lease_job(idle, seconds=1)
    assert taken is not None
    ask(idle, f"/{job['id']}/result", lease=taken["lease"], seconds=3_600)
    clock.off = timedelta(seconds=60)
    assert lease_job(idle) is None


def test_jobs_survive_the_server(serve: Serve) -> None:
    """A job that a dead server was drafting is drafted by the next one."""
    served = serve()
    order = {"request": "", "plan": PLAN, "constraints": {}, "attempts": 3, "options": {}}
    registry = served.state.load_registry("simulink")
    order["drafter"] = "planner"
    lost = JobStore(served.state.store.engine).open(registry.fingerprint, order, "gone", -1)[0]
    assert lease_job(served) is None
    assert until(lambda: lease_job(served), "it is not drafted")["id"] == lost.id


def test_late_draft_does_not_change_job(idle: Served) -> None:
    """A draft that ends after its lease is in the record of its run, not in the job."""
    environment = idle.state.load_registry("simulink").fingerprint
    order = {"request": "", "plan": PLAN, "constraints": {}, "attempts": 3, "options": {}}
    book = JobStore(idle.state.store.engine)
    late, _ = book.open(environment, {**order, "drafter": "planner"}, "elsewhere", -1)
    assert job_of(idle, late.id)["state"] == "drafting"
    ready = await_drafted_job(idle, late.id)
    job_service(idle.state)._draft_held(late)
    assert job_of(idle, late.id) == {**ready, "picture": job_of(idle, late.id)["picture"]}
    runs = idle.client.get("/v1/runs").json()["runs"]
    assert [run["request"] for run in runs[:2]] == [PLAN["goal"]] * 2
    assert runs[0]["id"] > ready["run"]
    job_service(idle.state)._draft(late)
    assert idle.client.get("/v1/runs").json()["runs"] == runs, "it begins what is no longer its own"


def test_a_database_that_is_busy_for_a_moment_costs_no_job(
    idle: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A draft is stored as soon as the database is free."""
    change, refusals = JobStore.change, [0, 0]

    def busy(*arguments: Any) -> Any:
        if refusals:
            refusals.pop()
            raise DatabaseLockedError("busy")
        return change(*arguments)

    monkeypatch.setattr(JobStore, "change", busy)
    assert submit_job(idle)["state"] == "ready"
    assert refusals == []
