"""Submits, leases and reports build jobs through the HTTP interface."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import httpx

from grounded_builder.settings import sqlite_url
from grounded_builder.storage.database import make_engine
from grounded_builder.storage.jobs import JobStore
from grounded_builder.storage.timestamps import utc_now
from tests.support.time_bounds import until

PLAN = {
    "version": 1,
    "goal": "a sine on a scope",
    "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}],
}
WHOLE = {"ok": True, "model": "x", "blocks": [], "differences": [], "errors": []}


class Reachable(Protocol):
    """A sidecar with a client."""

    @property
    def client(self) -> httpx.Client:
        """Returns a client that sends a token."""


def ask(served: Reachable, path: str, **body: Any) -> dict[str, Any]:
    """Returns the answer to a successful call."""
    answer = served.client.post(f"/v1/simulink/jobs{path}", json=body)
    assert answer.status_code == 200, answer.text
    json: dict[str, Any] = answer.json()
    assert json["ok"] is True
    if "wait=" in path:  # the awaited state is reached, however slow the machine is
        json["jobs"] = [await_drafted_job(served, job["id"], job) for job in json["jobs"]]
    return json


def submit_job(served: Reachable, **more: Any) -> dict[str, Any]:
    """Returns a new job that has been drafted."""
    order = {"plan": PLAN, **more}
    job: dict[str, Any] = ask(served, "?wait=20", **order)["jobs"][0]
    return job


def lease_job(served: Reachable, **more: Any) -> dict[str, Any] | None:
    """Returns the job that a worker leases, or None."""
    jobs = ask(served, "/lease", **more)["jobs"]
    return jobs[0] if jobs else None


def report_job(
    served: Reachable, taken: dict[str, Any] | None, report: dict[str, Any]
) -> dict[str, Any]:
    """Returns a job after its worker has reported."""
    assert taken is not None
    path = f"/{taken['id']}/result"
    job: dict[str, Any] = ask(served, path, lease=taken["lease"], report=report)["jobs"][0]
    return job


def job_of(served: Reachable, job_id: str, **params: Any) -> dict[str, Any]:
    """Returns the current state of a job."""
    answer = served.client.get(f"/v1/simulink/jobs/{job_id}", params=params)
    job: dict[str, Any] = answer.json()["jobs"][0]
    return job


def await_drafted_job(
    served: Reachable, job_id: str, seen: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Returns a job once it is drafted, or ``seen`` if that is drafted already."""
    if seen is not None and seen["state"] != "drafting":
        return seen

    def is_drafted() -> dict[str, Any] | None:
        job = job_of(served, job_id)
        return None if job["state"] == "drafting" else job

    return until(is_drafted, f"job {job_id} is drafted for ever")


def end_lease(state: Path, job_id: str) -> None:
    """Ends the lease of a job as if its time had passed."""
    engine = make_engine(sqlite_url(state))
    JobStore(engine).change(job_id, lambda job: replace(job, held_until=utc_now(-60)))
    engine.dispose()


def make_missing_block_report(path: str) -> dict[str, Any]:
    """Returns a report of MATLAB that a block does not exist."""
    error = {
        "identifier": "Simulink:Commands:AddBlockInvSrcBlock",
        "message": f"There is no block named '{path}'.",
        "block": "x/Sine Wave",
        "about": path,
    }
    return {**WHOLE, "ok": False, "errors": error}
