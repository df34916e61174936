"""Jobs for MATLAB workers over HTTP: states, leases, reports, and clients that read bodies only."""

from __future__ import annotations

import base64
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import pytest

from grounded_builder.domains.simulink.reading.files import native
from tests.api.conftest import Serve, Served
from tests.support.jobs import (
    PLAN,
    WHOLE,
    absent,
    asked,
    ended,
    job_of,
    leased,
    reported,
    submitted,
)


def test_a_plan_becomes_a_model(empty: Served) -> None:
    """Drafted, leased, built: the worker gets the script, the record has every prompt and reply."""
    job = submitted(empty)
    assert (job["state"], job["file"]) == ("ready", "build_a_sine_on_a_scope.m")
    assert "simulink/Sources/Sine Wave" in job["script"]
    taken = leased(empty, worker="lab")
    assert taken is not None
    assert taken["id"] == job["id"]
    assert leased(empty) is None
    done = asked(empty, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)["jobs"][0]
    assert done["state"] == "built"
    run = empty.client.get(f"/v1/runs/{done['run']}").json()
    assert run["request"] == PLAN["goal"]


def test_a_block_that_is_not_there_is_not_used_again(empty: Served) -> None:
    """What MATLAB says of the first attempt narrows the second draft."""
    job = submitted(empty)
    taken = leased(empty)
    assert taken is not None
    report = absent("simulink/Sources/Sine Wave")
    asked(empty, f"/{job['id']}/result", lease=taken["lease"], report=report)
    after = ended(empty, job["id"])
    assert (after["state"], after["attempt"]) == ("ready", 2)
    assert "'simulink/Sources/Sine Wave'" in job["script"]
    assert "'simulink/Sources/Sine Wave'" not in after["script"]
    assert after["diagnostics"][0]["code"] == "SLX601"
    assert after["diagnostics"][0]["message"].startswith("absent-block: There is no block named")
    (attempt,) = after["attempts"]
    assert (attempt["number"], attempt["worker"], attempt["silent"]) == (1, "worker", False)
    assert (attempt["ok"], attempt["errors"], attempt["differences"]) == (False, 1, 0)
    assert attempt["lease"] == taken["lease"]
    assert job["created"] <= attempt["started"] <= attempt["ended"]
    assert attempt["diagnostics"] == after["diagnostics"]
    # The run of each attempt holds the draft that was built.
    assert attempt["run"] == job["run"] != after["run"]
    first = empty.client.get(f"/v1/runs/{attempt['run']}").json()
    assert first["result"]["artifact"]["script"] == job["script"]
    second = empty.client.get(f"/v1/runs/{after['run']}").json()
    assert attempt["diagnostics"][0]["message"] in second["constraints"]["matlab_said"]


def test_the_same_order_under_the_same_key_is_one_job(empty: Served) -> None:
    """However often and at once it comes, in whatever state it is; another order is another."""
    submitted(empty)
    with ThreadPoolExecutor(6) as pool:
        jobs = list(pool.map(lambda _: submitted(empty, key="k"), range(6)))
    assert len({one["id"] for one in jobs}) == 1
    taken = [leased(empty) for _ in range(3)]
    assert taken[2] is None
    done = reported(empty, taken[1], WHOLE)
    assert submitted(empty, key="k")["id"] == done["id"]
    assert submitted(empty, key="k")["state"] == "built"
    others = [
        submitted(empty, key="other"),
        submitted(empty, key="k", attempts=2),
        submitted(empty, key="k", options={"Simulate": 1}),
        submitted(empty),
    ]
    assert len({done["id"], *(one["id"] for one in others)}) == 5


def test_a_job_has_a_picture_and_a_file(empty: Served) -> None:
    """One that is asked for comes with the SVG, and the .slx if wanted; both are of its model."""
    job = submitted(empty)
    assert (job["picture"], job["slx"]) == ("", "")
    told = job_of(empty, job["id"])
    assert told["picture"].startswith("<svg")
    assert "Sine" in told["picture"]
    assert told["slx"] == ""
    told = job_of(empty, job["id"], picture="false", slx="true")
    assert told["picture"] == ""
    opened = native(base64.b64decode(told["slx"]), "x.slx")
    assert opened is not None
    assert opened.document is not None
    names = {block["name"] for block in opened.document["system"]["blocks"]}
    assert len(names) == 2


def test_jobs_are_listed(empty: Served) -> None:
    """The newest first, page by page, by state; with who has them."""
    ids = [submitted(empty)["id"] for _ in range(3)]
    leased(empty, worker="lab")
    listed = empty.client.get("/v1/simulink/jobs", params={"limit": 2}).json()["jobs"]
    assert [one["id"] for one in listed] == [ids[2], ids[1]]
    rest = empty.client.get("/v1/simulink/jobs", params={"before": ids[1]}).json()["jobs"]
    assert [(one["id"], one["state"], one["holder"]) for one in rest] == [(ids[0], "leased", "lab")]
    assert rest[0]["request"] == PLAN["goal"]
    ready = empty.client.get("/v1/simulink/jobs", params={"state": "ready"}).json()["jobs"]
    assert {one["id"] for one in ready} == {ids[1], ids[2]}
    for params in ({"limit": 0}, {"state": "done"}):
        refused = empty.client.get("/v1/simulink/jobs", params=params)
        assert refused.status_code in (400, 422)


def test_a_plan_that_fails_after_an_attempt_says_both(empty: Served) -> None:
    """What MATLAB said of the attempt, and why no further draft was made."""
    submitted(empty, constraints={"allow": ["simulink/Sources/Sine Wave", "simulink/Sinks/Scope"]})
    job = reported(empty, leased(empty), absent("simulink/Sources/Sine Wave"))
    after = ended(empty, job["id"])
    assert after["state"] == "failed"
    codes = [one["code"] for one in after["diagnostics"]]
    assert codes[0] == "SLX601"
    assert len(codes) > 1
    assert after["problem"]


def test_the_same_report_twice_changes_nothing(empty: Served) -> None:
    """A worker that posts again hears the same, and nothing is drafted twice."""
    job = submitted(empty)
    taken = leased(empty)
    assert taken is not None
    first = asked(empty, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)
    second = asked(empty, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)
    assert first == second
    assert len(second["jobs"][0]["attempts"]) == 1


def test_of_many_workers_one_gets_a_job(empty: Served) -> None:
    """Workers that race for one job do not double it."""
    submitted(empty)
    with ThreadPoolExecutor(8) as pool:
        taken = [one for one in pool.map(lambda n: leased(empty, worker=f"w{n}"), range(8)) if one]
    assert len(taken) == 1


def test_a_silent_worker_loses_its_lease(empty: Served) -> None:
    """When the time runs out the job goes to another; the late report is refused; attempts end."""
    job = submitted(empty, attempts=2)
    first = leased(empty, worker="silent", seconds=1)
    assert first is not None
    assert leased(empty) is None
    time.sleep(1.1)
    second = leased(empty, worker="next", seconds=1)
    assert second is not None
    assert second["id"] == job["id"]
    (attempt,) = second["attempts"]
    assert (attempt["worker"], attempt["silent"], attempt["ok"]) == ("silent", True, False)
    late = empty.client.post(
        f"/v1/simulink/jobs/{job['id']}/result", json={"lease": first["lease"], "report": WHOLE}
    )
    assert (late.status_code, late.json()["error"]["code"]) == (409, "lease-lost")
    time.sleep(1.1)
    assert leased(empty) is None
    end = empty.client.get(f"/v1/simulink/jobs/{job['id']}").json()["jobs"][0]
    assert (end["state"], end["problem"]) == ("failed", "no worker reported what became of it")


def test_a_renewed_lease_holds(empty: Served) -> None:
    """A build that takes long keeps its job by saying so."""
    job = submitted(empty)
    taken = leased(empty, seconds=1)
    assert taken is not None
    asked(empty, f"/{job['id']}/result", lease=taken["lease"], seconds=600)
    time.sleep(1.1)
    assert leased(empty) is None


def test_a_cancelled_job_is_over(empty: Served) -> None:
    """Nobody gets it, and what its worker reports later is refused."""
    job = submitted(empty)
    taken = leased(empty)
    assert taken is not None
    gone = empty.client.delete(f"/v1/simulink/jobs/{job['id']}").json()["jobs"][0]
    assert gone["state"] == "cancelled"
    late = empty.client.post(
        f"/v1/simulink/jobs/{job['id']}/result", json={"lease": taken["lease"], "report": WHOLE}
    )
    assert late.status_code == 409


def test_what_cannot_be_drafted_has_failed(empty: Served) -> None:
    """A plan with a block that does not exist never reaches a worker, and says why."""
    plan = {"goal": "x", "steps": [{"id": "a", "tool": "Universal Servo Block"}]}
    job = asked(empty, "?wait=20", plan=plan)["jobs"][0]
    assert job["state"] == "failed"
    assert job["problem"]
    assert leased(empty) is None


def test_jobs_survive_the_server(serve: Serve) -> None:
    """A job that a dead server was drafting is drafted by the next one."""
    from grounded_builder.storage.jobs import JobBook

    one = serve()
    order = {"request": "", "plan": PLAN, "constraints": {}, "attempts": 3, "options": {}}
    registry = one.state.registry("simulink")
    order["drafter"] = "planner"
    lost = JobBook(one.state.store.engine).open(registry.fingerprint, order, "gone", -1)[0]
    assert leased(one) is None
    deadline = time.monotonic() + 20
    while (taken := leased(one)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert taken["id"] == lost.id


@pytest.mark.parametrize(
    ("path", "body", "code"),
    [
        ("/lease", {"environment": "0" * 64}, "unknown-environment"),
        ("/lease", {"seconds": "soon"}, "bad-argument"),
        ("", {}, "bad-argument"),
        ("/01ARZ3NDEKTSV4RRFFQ69G5FAV/result", {"lease": "x", "report": {}}, "unknown-job"),
    ],
)
def test_a_plain_client_reads_every_answer(
    path: str, body: dict[str, Any], code: str, served: Served
) -> None:
    """With the form field every answer is 200 and says what is wrong; else the status does."""
    form = urlencode({"payload": json.dumps(body)})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    plain = served.client.post(f"/v1/simulink/jobs{path}", content=form, headers=headers)
    assert plain.status_code == 200
    said = plain.json()
    assert (said["ok"], said["jobs"], said["error"]["code"]) == (False, [], code)
    strict = served.client.post(f"/v1/simulink/jobs{path}", json=body)
    assert strict.status_code in (400, 404)
    assert strict.json()["error"]["code"] == code


def test_a_plain_client_without_a_token_is_told(served: Served) -> None:
    """Even a refused token is an answer that Octave can read."""
    with served.bare() as client:
        answer = client.get("/v1/simulink/jobs/x", headers={"User-Agent": "grounded-matlab"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "unauthorized")
