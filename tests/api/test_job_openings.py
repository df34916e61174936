"""Reports of clients on opening a job's native file, and leases of single jobs, over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support.jobs import WHOLE, ask, lease_job, submit_job

BLOCKS = [{"path": "Sine Wave", "type": "Sin"}, {"path": "Scope", "type": "Scope"}]


def report_opening(served: Served, job: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The job after a client said what it found."""
    entries = {"opened": True, "release": "MATLAB 2030a", "run": job["run"], "blocks": BLOCKS}
    after: dict[str, Any] = ask(served, f"/{job['id']}/opened", **(entries | more))["jobs"][0]
    return after


def test_a_file_is_verified_by_a_client_that_opened_it(empty: Served) -> None:
    """Every block was there; who opened it stays with the job, whatever others say later."""
    job = submit_job(empty)
    assert (job["verified"], job["openings"]) == (False, [])
    whole = empty.client.get(f"/v1/simulink/jobs/{job['id']}?slx=true").json()["jobs"][0]
    assert base64.b64decode(whole["slx"]).startswith(b"PK")
    after = report_opening(empty, job)
    assert after["verified"]
    assert [(opening["release"], opening["verified"]) for opening in after["openings"]] == [
        ("MATLAB 2030a", True)
    ]
    failing = report_opening(
        empty, job, opened=False, release="MATLAB 2019b", blocks=[], message="old"
    )
    assert failing["verified"]
    assert failing["openings"][1]["message"] == "old"
    assert failing["state"] == "ready"


@pytest.mark.parametrize(
    ("stored", "reported"),
    [
        (BLOCKS[:1], 'opened, but block "Scope" is absent'),
        ([BLOCKS[0], {"path": "Scope", "type": "Reference"}], "is a Reference, not a Scope"),
        (BLOCKS[0], "is absent"),
        ([], "is absent"),
    ],
)
def test_a_model_that_is_not_whole_is_not_verified(
    stored: Any, reported: str, empty: Served
) -> None:
    """Opening is not enough: each block is there, and as what it is."""
    after = report_opening(empty, submit_job(empty), blocks=stored)
    assert not after["verified"]
    assert reported in after["openings"][0]["message"]


def test_a_file_of_another_draft_is_not_that_of_the_job(empty: Served) -> None:
    """The file of a later draft is another file."""
    job = submit_job(empty)
    body = {"opened": True, "release": "x", "run": "01ARZ3NDEKTSV4RRFFQ69G5FAV", "blocks": BLOCKS}
    answer = empty.client.post(f"/v1/simulink/jobs/{job['id']}/opened", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "other-draft")
    plan = {"goal": "x", "steps": [{"id": "a", "tool": "Universal Servo Block"}]}
    failed = ask(empty, "?wait=20", plan=plan)["jobs"][0]
    answer = empty.client.post(
        f"/v1/simulink/jobs/{failed['id']}/opened", json={**body, "run": failed["run"]}
    )
    assert answer.status_code == 409


def test_a_job_that_is_given_back_is_as_before(empty: Served) -> None:
    """It counts as no attempt, and the one who gave it back cannot report it."""
    job = submit_job(empty, attempts=1)
    first = lease_job(empty, worker="interrupted")
    assert first is not None
    back = ask(empty, f"/{job['id']}/result", lease=first["lease"], back=True)["jobs"][0]
    assert (back["state"], back["attempts"]) == ("ready", [])
    late = {"lease": first["lease"], "report": WHOLE}
    answer = empty.client.post(f"/v1/simulink/jobs/{job['id']}/result", json=late)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "lease-lost")
    again = lease_job(empty)
    assert again is not None
    assert again["id"] == job["id"]


def test_one_job_may_be_leased_alone(empty: Served) -> None:
    """A client that waits for its own job does not lease other jobs."""
    first, second = submit_job(empty), submit_job(empty)
    taken = lease_job(empty, job=second["id"])
    assert taken is not None
    assert taken["id"] == second["id"]
    assert lease_job(empty, job=second["id"]) is None
    other = lease_job(empty)
    assert other is not None
    assert other["id"] == first["id"]
