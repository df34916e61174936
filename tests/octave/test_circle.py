"""The MATLAB toolbox under Octave against a live sidecar: from a request to a model that stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from runtime.ports import free_port
from tests.support.octave import STAND_INS, TOOLBOX, Octave, described
from tests.support.program import PROGRAM
from tests.support.simulink import simulink_registry

_START_S = 60.0
SINE = "simulink/Sources/Sine Wave"
OTHER_SINE = "dspsrcs4/Sine Wave"
SCOPE = "simulink/Sinks/Scope"
PLAN = {"goal": "wave", "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}]}


@dataclass(slots=True)
class Live:
    """A ``grounded serve`` process, a client of it, and an Octave with the toolbox."""

    state: Path
    url: str
    process: subprocess.Popen[bytes]
    client: httpx.Client
    octave: Octave

    def jobs(self, path: str = "", **body: Any) -> dict[str, Any]:
        """The job in an answer."""
        answer = self.client.post(f"/v1/simulink/jobs{path}", json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["jobs"][0]
        return found

    def job(self, job_id: str) -> dict[str, Any]:
        """A job as it is."""
        found: dict[str, Any] = self.client.get(f"/v1/simulink/jobs/{job_id}").json()["jobs"][0]
        return found

    def drafted(self, job_id: str) -> dict[str, Any]:
        """A job once nobody drafts it any more."""
        deadline = time.monotonic() + _START_S
        while (job := self.job(job_id))["state"] == "drafting":
            assert time.monotonic() < deadline
            time.sleep(0.1)
        return job

    def matlab(self, installed: list[str], code: str) -> str:
        """What Octave prints, where these blocks are installed."""
        catalog = self.octave.folder / "catalog.json"
        entries = described(self.octave.registry, installed)
        catalog.write_text(json.dumps(entries))
        ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
        return self.octave.evaluate(ready + self.connect() + code)

    def connect(self, url: str = "", **options: Any) -> str:
        """The call that connects an Octave to the sidecar, or to what stands before it."""
        given = {"Folder": str(self.reports), "Patience": 5} | options
        pairs = "".join(f", '{key}', {_literal(value)}" for key, value in given.items())
        return f"grounded.connect('{url or self.url}', '@{self.state / 'token'}'{pairs}); "

    @property
    def reports(self) -> Path:
        """Where reports wait that could not be sent."""
        return self.state.parent / "reports"


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _serve(state: Path, port: int) -> subprocess.Popen[bytes]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)],
        env={**kept, "GROUNDED_STATE": str(state)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _await(url: str) -> None:
    deadline = time.monotonic() + _START_S
    while True:
        try:
            if httpx.get(f"{url}/healthz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        assert time.monotonic() < deadline, "the sidecar did not start"
        time.sleep(0.05)


@contextmanager
def living(folder: Path) -> Iterator[Live]:
    """A sidecar with a state in this folder, ended after."""
    state, port = folder / "state", free_port()
    process = _serve(state, port)
    try:
        url = f"http://127.0.0.1:{port}"
        _await(url)
        token = (state / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            live = Live(state, url, process, client, Octave(folder, simulink_registry()))
            yield live
            process = live.process
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    with living(tmp_path_factory.mktemp("live")) as found:
        yield found


def test_a_request_becomes_a_model(live: Live) -> None:
    """One call drafts, compiles, builds, reads back; the run is readable in the sidecar."""
    code = (
        "report = grounded.build('connect a sine wave to a scope'); "
        "printf('%d %d', report.ok, numel(report.blocks));"
    )
    assert live.matlab([SINE, SCOPE], code) == "1 2"
    newest = live.client.get("/v1/runs").json()["runs"][0]
    assert newest["request"] == "connect a sine wave to a scope"


MOTOR = "a PI-controlled DC motor with a step reference"


def test_a_motor_is_built_run_and_opened(live: Live) -> None:
    """A sentence becomes a closed loop that stands, runs, is kept, and whose own file opens."""
    base = [path for path in live.octave.registry.tools if path.startswith("simulink/")]
    file = live.octave.folder / "motor.slx"
    code = (
        f"r = grounded.build('{MOTOR}', 'Simulate', 10, 'File', '{file}'); "
        "o = grounded.open(r); delete(o.file); printf('%s', jsonencode({r, o}));"
    )
    report, opening = json.loads(live.matlab(base, code))
    assert (report["ok"], report["simulation"]["steps"], report["model"]) == (True, 10, "motor")
    assert file.exists()
    assert (opening["opened"], opening["verified"]) == (True, True)
    kinds = [one["ReferenceBlock"] or one["BlockType"] for one in report["blocks"]]
    assert "simulink/Continuous/PID Controller" in kinds
    assert "Step" in kinds
    job = live.job(report["job"])
    assert "'Controller', 'PI'" in job["script"]
    assert not [one for one in job["diagnostics"] if one["class"] == "wrong"]


@pytest.mark.parametrize(
    ("what", "said"),
    [("Sine Wave", 'output 1 of "'), ("error", "Derivative of state '1' is not finite")],
)
def test_a_run_that_goes_wrong_is_told(what: str, said: str, live: Live) -> None:
    """A value that is no number, or a solver that gives up: with block and port, nothing kept."""
    code = (
        f"setenv('GROUNDED_NAN', '{what}'); try, "
        "grounded.build('connect a sine wave to a scope', 'Simulate', 5, 'Attempts', 1); "
        "catch e, printf('%s|%s', e.identifier, e.message); end; "
        "w = simulink_world('get'); printf('|%d', numel(keys(w.models)));"
    )
    told = live.matlab([SINE, SCOPE], code)
    assert told.startswith("grounded:notBuilt|not-finite: ")
    assert said in told
    assert told.endswith("|0")


def test_a_failed_attempt_is_drafted_again(live: Live) -> None:
    """The block of the first attempt is not installed; the second attempt stands."""
    job = live.jobs("?wait=20", plan=PLAN)
    assert f"'{SINE}'" in job["script"]
    once = "r = grounded.work('Once', true); printf('%d', r.ok);"
    assert live.matlab([OTHER_SINE, SCOPE], once) == "0"
    again = live.drafted(job["id"])
    assert again["state"] == "ready"
    assert "There is no block named" in again["diagnostics"][0]["message"]
    assert live.matlab([OTHER_SINE, SCOPE], once) == "1"
    built = live.job(job["id"])
    assert built["state"] == "built"
    assert {one["BlockType"] for one in built["report"]["blocks"]} >= {"Scope"}


def test_what_cannot_be_built_is_an_error_in_matlab(live: Live) -> None:
    """The person is told why, and nothing was leased."""
    code = "try, grounded.build('with the Foo9000 block'); catch e, printf('%s', e.identifier); end"
    assert live.matlab([SINE, SCOPE], code) == "grounded:notBuilt"


def test_the_sidecar_dies_with_a_job_leased(live: Live) -> None:
    """A report that comes after a kill and a restart is taken, once."""
    job = live.jobs("?wait=20", plan=PLAN)
    taken = live.jobs("/lease", worker="w")
    assert taken["id"] == job["id"]
    live.process.kill()
    live.process.wait()
    live.process = _serve(live.state, int(live.url.rsplit(":", 1)[1]))
    _await(live.url)
    report = {"ok": True, "model": "wave", "blocks": [], "differences": [], "errors": []}
    first = live.jobs(f"/{job['id']}/result", lease=taken["lease"], report=report)
    assert first["state"] == "built"
    assert live.jobs(f"/{job['id']}/result", lease=taken["lease"], report=report) == first


def test_who_is_not_connected_is_told(live: Live) -> None:
    """Without a sidecar, with a wrong token, with an old environment: the error says what to do."""
    quiet = live.octave
    path = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); "
    tell = "catch e, printf('%s|%s', e.identifier, e.message); end"
    said = quiet.evaluate(f"{path} try, grounded.find('x'); {tell}")
    assert said.startswith("grounded:notConnected|")
    connect = f"grounded.connect('{live.url}', 'wrong');"
    work = "grounded.work('Once', true);"
    said = quiet.evaluate(f"{path} {connect} try, {work} {tell}")
    assert said.startswith("grounded:unauthorized|")
    token = live.state / "token"
    old = f"grounded.connect('{live.url}', '@{token}', 'Environment', '{'0' * 64}');"
    said = quiet.evaluate(f"{path} {old} try, {work} {tell}")
    assert said.startswith("grounded:unknown_environment|")
    assert "grounded.sync" in said
    nowhere = "grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0);"
    said = quiet.evaluate(f"{path} {nowhere} try, {work} {tell}")
    assert said.startswith("grounded:unreachable|")
