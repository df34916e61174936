"""Jobs for MATLAB workers over HTTP: states, leases, reports, and clients that read bodies only."""

from __future__ import annotations

import base64
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

import pytest

from grounded_builder.domains.simulink.read.files import open_native
from grounded_builder.storage.jobs import JobStore
from tests.api.conftest import Served
from tests.support.jobs import (
    PLAN,
    WHOLE,
    ask,
    await_drafted_job,
    job_of,
    lease_job,
    make_missing_block_report,
    report_job,
    submit_job,
)


def test_a_plan_becomes_a_model(idle: Served) -> None:
    """Drafted, leased, built: the worker gets the script, the record has every prompt and reply."""
    job = submit_job(idle)
    assert (job["state"], job["file"]) == ("ready", "build_a_sine_on_a_scope.m")
    assert "simulink/Sources/Sine Wave" in job["script"]
    taken = lease_job(idle, worker="lab")
    assert taken is not None
    assert taken["id"] == job["id"]
    assert lease_job(idle) is None
    done = ask(idle, f"/{job['id']}/result", lease=taken["lease"], report=WHOLE)["jobs"][0]
    assert done["state"] == "built"
    run = idle.client.get(f"/v1/runs/{done['run']}").json()
    assert run["request"] == PLAN["goal"]


def test_missing_block_is_not_drafted_again(idle: Served) -> None:
    """The second draft avoids the blocks that MATLAB reported as missing."""
    job = submit_job(idle)
    taken = lease_job(idle)
    assert taken is not None
    report = make_missing_block_report("simulink/Sources/Sine Wave")
    ask(idle, f"/{job['id']}/result", lease=taken["lease"], report=report)
    after = await_drafted_job(idle, job["id"])
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
    first = idle.client.get(f"/v1/runs/{attempt['run']}").json()
    assert first["result"]["artifact"]["script"] == job["script"]
    second = idle.client.get(f"/v1/runs/{after['run']}").json()
    assert attempt["diagnostics"][0]["message"] in second["constraints"]["matlab_said"]


def test_repeated_request_with_same_key_is_one_job(idle: Served) -> None:
    """The same request with the same key is one job in every state; another one is another job."""
    submit_job(idle)
    with ThreadPoolExecutor(6) as pool:
        jobs = list(pool.map(lambda _: submit_job(idle, key="k"), range(6)))
    assert len({job["id"] for job in jobs}) == 1
    taken = [lease_job(idle) for _ in range(3)]
    assert taken[2] is None
    done = report_job(idle, taken[1], WHOLE)
    assert submit_job(idle, key="k")["id"] == done["id"]
    assert submit_job(idle, key="k")["state"] == "built"
    others = [
        submit_job(idle, key="other"),
        submit_job(idle, key="k", attempts=2),
        submit_job(idle, key="k", options={"Simulate": 1}),
        submit_job(idle),
    ]
    assert len({done["id"], *(other["id"] for other in others)}) == 5


def test_a_job_has_a_picture_and_a_file(idle: Served) -> None:
    """One that is asked for comes with the SVG, and the .slx if wanted; both are of its model."""
    job = submit_job(idle)
    assert (job["picture"], job["slx"]) == ("", "")
    entries = job_of(idle, job["id"])
    assert entries["picture"].startswith("<svg")
    assert "Sine" in entries["picture"]
    assert entries["slx"] == ""
    entries = job_of(idle, job["id"], picture="false", slx="true")
    assert entries["picture"] == ""
    opened = open_native(base64.b64decode(entries["slx"]), "x.slx")
    assert opened is not None
    assert opened.document is not None
    names = {block["name"] for block in opened.document["system"]["blocks"]}
    assert len(names) == 2


def test_jobs_are_listed(idle: Served) -> None:
    """The newest first, page by page, by state; with who has them."""
    ids = [submit_job(idle)["id"] for _ in range(3)]
    lease_job(idle, worker="lab")
    listed = idle.client.get("/v1/simulink/jobs", params={"limit": 2}).json()["jobs"]
    assert [item["id"] for item in listed] == [ids[2], ids[1]]
    rest = idle.client.get("/v1/simulink/jobs", params={"before": ids[1]}).json()["jobs"]
    first = rest[0]
    assert (first["id"], first["state"], first["holder"]) == (ids[0], "leased", "lab")
    assert first["request"] == PLAN["goal"]
    ready = idle.client.get("/v1/simulink/jobs", params={"state": "ready"}).json()["jobs"]
    assert {item["id"] for item in ready} == {ids[1], ids[2]}
    for params in ({"limit": 0}, {"state": "done"}):
        refused = idle.client.get("/v1/simulink/jobs", params=params)
        assert refused.status_code in (400, 422)


def test_a_plan_that_fails_after_an_attempt_reports_both(idle: Served) -> None:
    """The job has the errors of MATLAB and the reason why no further draft was made."""
    submit_job(idle, constraints={"allow": ["simulink/Sources/Sine Wave", "simulink/Sinks/Scope"]})
    job = report_job(idle, lease_job(idle), make_missing_block_report("simulink/Sources/Sine Wave"))
    after = await_drafted_job(idle, job["id"])
    assert after["state"] == "failed"
    codes = [diagnostic["code"] for diagnostic in after["diagnostics"]]
    assert codes[0] == "SLX601"
    assert len(codes) > 1
    assert after["problem"]


def test_a_plan_that_does_not_compile_reports_its_errors(idle: Served) -> None:
    """The job of a wrong plan lists its errors, and no advice to drafters."""
    plan = {"goal": "g", "steps": [{"tool": "Quantum Gain"}, {"tool": "Scope"}]}
    job = submit_job(idle, plan=plan)
    assert job["state"] == "failed"
    assert job["problem"].startswith("the plan does not compile: ")
    assert "Quantum Gain" in job["problem"]


def test_a_request_is_drafted_without_what_is_not_there(idle: Served) -> None:
    """The planner takes another block of the name where MATLAB did not have its first choice."""
    job = submit_job(idle, plan=None, request="connect a sine wave to a scope")
    path = "simulink/Sources/Sine Wave"
    assert f"'{path}'" in job["script"]
    report_job(idle, lease_job(idle), make_missing_block_report(path))
    after = await_drafted_job(idle, job["id"])
    assert after["state"] == "ready", after["problem"]
    assert f"'{path}'" not in after["script"]
    assert "Sine Wave'" in after["script"]


def test_a_secret_in_a_request_is_not_stored(idle: Served) -> None:
    """A recognizable secret is in no record of a job or of its run."""
    text = "a sine on a scope, the password is hunter2secret!9"
    job = submit_job(idle, plan=None, request=text)
    assert job["run"]
    value = JobStore(idle.state.store.engine).get(job["id"])
    assert "hunter2secret" not in repr(value)
    assert "[redacted]" in repr(value)
    assert "hunter2secret" not in idle.client.get(f"/v1/runs/{job['run']}").text


def test_a_cancelled_job_is_over(idle: Served) -> None:
    """No worker gets a cancelled job, and a late report of its worker is refused."""
    job = submit_job(idle)
    taken = lease_job(idle)
    assert taken is not None
    value = idle.client.delete(f"/v1/simulink/jobs/{job['id']}").json()["jobs"][0]
    assert value["state"] == "cancelled"
    late = idle.client.post(
        f"/v1/simulink/jobs/{job['id']}/result", json={"lease": taken["lease"], "report": WHOLE}
    )
    assert late.status_code == 409


def test_job_with_unknown_block_fails(idle: Served) -> None:
    """A plan with a block that does not exist fails with the reason and reaches no worker."""
    plan = {"goal": "x", "steps": [{"id": "a", "tool": "Universal Servo Block"}]}
    job = ask(idle, "?wait=20", plan=plan)["jobs"][0]
    assert job["state"] == "failed"
    assert job["problem"]
    assert lease_job(idle) is None


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
    path: str, body: dict[str, Any], code: str, shared_server: Served
) -> None:
    """With the form field every answer is 200 and states what is wrong; else the status does."""
    form = urlencode({"payload": json.dumps(body)})
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    plain = shared_server.client.post(f"/v1/simulink/jobs{path}", content=form, headers=headers)
    assert plain.status_code == 200
    value = plain.json()
    assert (value["ok"], value["jobs"], value["error"]["code"]) == (False, [], code)
    strict = shared_server.client.post(f"/v1/simulink/jobs{path}", json=body)
    assert strict.status_code in (400, 404)
    assert strict.json()["error"]["code"] == code


def test_a_plain_client_without_a_token_is_reported(shared_server: Served) -> None:
    """Octave can read the answer to a refused token."""
    with shared_server.bare() as client:
        answer = client.get("/v1/simulink/jobs/x", headers={"User-Agent": "grounded-matlab"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "unauthorized")
