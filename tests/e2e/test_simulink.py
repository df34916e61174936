"""Simulink models from inside the real n8n: its node, a real sidecar, an Octave that builds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from runtime.n8n_server import N8nServer
from runtime.sidecar_server import Sidecar
from tests.support.n8n_workflows import clean_up_after
from tests.support.node_flows import Flow, Flows
from tests.support.proxy import Between, make_answer_rule
from tests.support.sidecar import ask_sidecar
from tests.support.simulink import simulink_registry
from tests.support.workers import Bench

SINE = "simulink/Sources/Sine Wave"
OTHER_SINE = "dspsrcs4/Sine Wave"
SCOPE = "simulink/Sinks/Scope"
PLAN = {"goal": "wave", "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}]}
ASKED = {"resource": "simulinkModel", "operation": "simulink", "request": "={{ $json.body.say }}"}


@pytest.fixture
def flows(n8n: N8nServer) -> Iterator[Flows]:
    """Workflows with the node; what a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as client:
        yield Flows(n8n, client)


Matlab = Callable[..., AbstractContextManager[object]]


@pytest.fixture
def matlab(sidecar: Sidecar, tmp_path: Path) -> Matlab:
    """A worker that has the blocks of these library paths."""

    def open_worker(*installed: str) -> AbstractContextManager[object]:
        context = Bench(sidecar.url, Path(sidecar.token_file), simulink_registry(), installed)
        return context.run_worker(tmp_path / "matlab", "grounded.work('Name', 'lab', 'Wait', 5);")

    return open_worker


def files(flows: Flows, flow: Flow) -> dict[str, tuple[str, bytes]]:
    """The files of the node's item in the newest execution, as n8n keeps them on its disk."""
    newest = flows.client.executions(flow.workflow)[0]
    run = newest["data"]["resultData"]["runData"]["Grounded Builder"][-1]
    binary: dict[str, Any] = run["data"]["main"][0][0]["binary"]
    home = Path(flows.n8n.user_folder)
    return {key: (item["mimeType"], _read_stored(home, item["id"])) for key, item in binary.items()}


def _read_stored(home: Path, file_id: str) -> bytes:
    (file,) = home.rglob(file_id.rpartition("/")[2])
    return file.read_bytes()


def test_a_model_is_built_from_n8n(flows: Flows, sidecar: Sidecar, matlab: Matlab) -> None:
    """Drafted, failed in MATLAB, drafted again, built: the item has all of it, and the sidecar."""
    credential = flows.credential(sidecar.url, sidecar.token())
    options = {"plan": json.dumps(PLAN), "slx": True, "wait": 60}
    flow = flows.flow(credential, {**ASKED, "options": options})
    with matlab(OTHER_SINE, SCOPE):
        item = flow.item({"say": "a wave on a scope"})
    assert (item["outcome"], item["verdict"]) == ("built", "ok"), item["summary"]
    assert item["report"]["ok"] is True
    assert OTHER_SINE in item["script"]
    first, second = item["attempts"]
    assert (first["worker"], first["ok"], second["ok"]) == ("lab", False, True)
    assert "There is no block named" in first["diagnostics"][0]["message"]
    made = files(flows, flow)
    kind, picture = made["picture"]
    assert (kind, picture[:4]) == ("image/svg+xml", b"<svg")
    assert b"Scope" in picture
    assert made["script"] == ("text/plain", item["script"].encode())
    assert made["slx"][1][:2] == b"PK"
    job = ask_sidecar(sidecar, "GET", f"/v1/simulink/jobs/{item['job']}").json()["jobs"][0]
    assert (job["state"], job["request"]) == ("built", "a wave on a scope")
    runs = {run["id"]: run for run in ask_sidecar(sidecar, "GET", "/v1/runs").json()["runs"]}
    assert {first["run"], item["run"]} <= set(runs)


def test_a_request_is_drafted_and_built(flows: Flows, sidecar: Sidecar, matlab: Matlab) -> None:
    """The planner drafts a request without a model, and MATLAB builds and simulates it."""
    credential = flows.credential(sidecar.url, sidecar.token())
    flow = flows.flow(credential, {**ASKED, "options": {"simulate": 3, "wait": 60}})
    with matlab(SINE, SCOPE):
        item = flow.item({"say": "connect a sine wave to a scope"})
    assert item["outcome"] == "built", item["summary"]
    assert item["report"]["simulation"]


def test_wrong_plan_is_reported_without_matlab(flows: Flows, sidecar: Sidecar) -> None:
    """A wrong plan is reported at once, without MATLAB."""
    credential = flows.credential(sidecar.url, sidecar.token())
    plan = {"goal": "x", "steps": [{"id": "a", "tool": "Universal Servo Block"}]}
    options = {"plan": json.dumps(plan), "wait": 60}
    item = flows.flow(credential, {**ASKED, "options": options}).item({"say": "a servo"})
    assert (item["outcome"], item["verdict"]) == ("failed", "wrong")
    assert [
        diagnostic["code"] for diagnostic in item["diagnostics"] if diagnostic["class"] == "wrong"
    ] == ["GB201"]
    assert item["script"] == ""


def test_a_retried_node_gets_the_same_job(
    flows: Flows, sidecar: Sidecar, matlab: Matlab, httpserver: HTTPServer
) -> None:
    """The line breaks after the job was taken: n8n runs the node again, and there is one job."""
    between = Between(httpserver, sidecar.url).start()
    jobs = "/v1/simulink/jobs"
    between.spoil("POST", jobs, make_answer_rule(503, "{}"), times=1)
    between.spoil("GET", f"{jobs}/.*", make_answer_rule(503, "{}"), times=1)
    before = {job["id"] for job in ask_sidecar(sidecar, "GET", jobs).json()["jobs"]}
    credential = flows.credential(between.url, sidecar.token())
    retrying = {
        "retryOnFail": True,
        "maxTries": 4,
        "waitBetweenTries": 10,
        "onError": "stopWorkflow",
    }
    flow = flows.flow(credential, {**ASKED, "options": {"wait": 60}}, settings=retrying)
    with matlab(SINE, SCOPE):
        item = flow.item({"say": "connect a sine wave to a scope"})
    assert item["outcome"] == "built", item["summary"]
    assert between.calls.count(f"POST {jobs}") == 3
    after = {job["id"] for job in ask_sidecar(sidecar, "GET", jobs).json()["jobs"]}
    assert after - before == {item["job"]}
