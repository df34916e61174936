"""The MATLAB toolbox under Octave with a live sidecar: from a request to a built model."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.live_sidecar import OTHER_SINE, PLAN, SCOPE, SINE, Live
from tests.support.octave import STAND_INS, TOOLBOX


def test_a_request_becomes_a_model(live: Live) -> None:
    """One call drafts, compiles, builds, reads back; the run is readable in the sidecar."""
    code = (
        "report = grounded.build('connect a sine wave to a scope'); "
        "printf('%d %d', report.ok, numel(report.blocks));"
    )
    assert live.matlab([SINE, SCOPE], code) == "1 2"
    newest = live.client.get("/v1/runs").json()["runs"][0]
    assert newest["request"] == "connect a sine wave to a scope"


LOOP = "a closed loop of a PI controller and the plant 2/(0.5s+1) with a step reference"


def test_a_closed_loop_is_built_run_and_opened(live: Live) -> None:
    """A sentence becomes a closed loop that stands, runs, is kept, and whose own file opens."""
    base = [path for path in live.octave.registry.tools if path.startswith("simulink/")]
    file = live.octave.folder / "loop.slx"
    code = (
        f"r = grounded.build('{LOOP}', 'Simulate', 10, 'File', '{file}'); "
        "o = grounded.open(r); delete(o.file); printf('%s', jsonencode({r, o}));"
    )
    report, opening = json.loads(live.matlab(base, code))
    assert (report["ok"], report["simulation"]["steps"], report["model"]) == (True, 10, "loop")
    assert file.exists()
    assert (opening["opened"], opening["verified"]) == (True, True)
    kinds = [block["ReferenceBlock"] or block["BlockType"] for block in report["blocks"]]
    assert "simulink/Continuous/PID Controller" in kinds
    assert "Step" in kinds
    job = live.job(report["job"])
    assert "'Controller', 'PI'" in job["script"]
    assert not [diagnostic for diagnostic in job["diagnostics"] if diagnostic["class"] == "wrong"]


@pytest.mark.parametrize(
    ("what", "message"),
    [("Sine Wave", 'output 1 of "'), ("error", "Derivative of state '1' is not finite")],
)
def test_a_run_that_goes_wrong_is_reported(what: str, message: str, live: Live) -> None:
    """A value that is no number, or a solver that gives up: with block and port, nothing kept."""
    code = (
        f"setenv('GROUNDED_NAN', '{what}'); try, "
        "grounded.build('connect a sine wave to a scope', 'Simulate', 5, 'Attempts', 1); "
        "catch e, printf('%s|%s', e.identifier, e.message); end; "
        "w = simulink_world('get'); printf('|%d', numel(keys(w.models)));"
    )
    matlab = live.matlab([SINE, SCOPE], code)
    assert matlab.startswith("grounded:notBuilt|not-finite: ")
    assert message in matlab
    assert matlab.endswith("|0")


def test_a_failed_attempt_is_drafted_again(live: Live) -> None:
    """The block of the first attempt is not installed; the second attempt stands."""
    job = live.jobs("?wait=20", plan=PLAN)
    assert f"'{SINE}'" in job["script"]
    once = "r = grounded.work('Once', true); printf('%d', r.ok);"
    assert live.matlab([OTHER_SINE, SCOPE], once) == "0"
    again = live.await_drafted_job(job["id"])
    assert again["state"] == "ready"
    assert "There is no block named" in again["diagnostics"][0]["message"]
    assert live.matlab([OTHER_SINE, SCOPE], once) == "1"
    built = live.job(job["id"])
    assert built["state"] == "built"
    assert {block["BlockType"] for block in built["report"]["blocks"]} >= {"Scope"}


def test_failed_job_is_error_in_matlab(live: Live) -> None:
    """MATLAB raises an error with the reason, and no worker leases the job."""
    code = "try, grounded.build('with the Foo9000 block'); catch e, printf('%s', e.identifier); end"
    assert live.matlab([SINE, SCOPE], code) == "grounded:notBuilt"


def test_the_sidecar_dies_with_a_job_leased(live: Live) -> None:
    """A report that comes after a kill and a restart is taken, once."""
    job = live.jobs("?wait=20", plan=PLAN)
    taken = live.jobs("/lease", worker="w")
    assert taken["id"] == job["id"]
    live.restart()
    report = {"ok": True, "model": "wave", "blocks": [], "differences": [], "errors": []}
    first = live.jobs(f"/{job['id']}/result", lease=taken["lease"], report=report)
    assert first["state"] == "built"
    assert live.jobs(f"/{job['id']}/result", lease=taken["lease"], report=report) == first


def test_a_missing_connection_is_reported(live: Live) -> None:
    """Without a sidecar, with a wrong token or an old environment the error states what to do."""
    quiet = live.octave
    path = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); "
    tell = "catch e, printf('%s|%s', e.identifier, e.message); end"
    evaluate = quiet.evaluate(f"{path} try, grounded.find('x'); {tell}")
    assert evaluate.startswith("grounded:notConnected|")
    connect = f"grounded.connect('{live.url}', 'wrong'"
    work = "grounded.work('Once', true);"
    evaluate = quiet.evaluate(f"{path} try, {connect}); {tell}")
    assert evaluate.startswith(f"grounded:unauthorized|The sidecar at {live.url} does not know")
    evaluate = quiet.evaluate(f"{path} {connect}, 'Check', false); try, {work} {tell}")
    assert evaluate.startswith("grounded:unauthorized|")
    token = live.state / "token"
    old = f"grounded.connect('{live.url}', '@{token}', 'Environment', '{'0' * 64}');"
    evaluate = quiet.evaluate(f"{path} {old} try, {work} {tell}")
    assert evaluate.startswith("grounded:unknown_environment|")
    assert "grounded.sync" in evaluate
    nowhere = "grounded.connect('http://127.0.0.1:1', 'x', 'Patience', 0"
    evaluate = quiet.evaluate(f"{path} try, {nowhere}); {tell}")
    assert evaluate.startswith(
        "grounded:unreachable|The sidecar at http://127.0.0.1:1 did not answer"
    )
    evaluate = quiet.evaluate(f"{path} {nowhere}, 'Check', false); try, {work} {tell}")
    assert evaluate.startswith("grounded:unreachable|")


@pytest.mark.parametrize("status", [200, 404, 0])
def test_another_program_at_the_port_is_reported_at_once(live: Live, status: int) -> None:
    """A page, an error, or an answer that is not HTTP is reported at once, without a retry."""
    with _another(status) as url:
        # Who waits so long does not come back in the time that a test gives Octave.
        evaluate = live.octave.evaluate(
            f"addpath('{TOOLBOX}'); try, grounded.connect('{url}', 'x', 'Patience', 6000); "
            "catch e, printf('%s|%s', e.identifier, e.message); end"
        )
    assert evaluate.startswith(f"grounded:answer|The program at {url} is not the sidecar")


@contextmanager
def _another(status: int) -> Iterator[str]:
    """A program at a port that answers with this status; 0 speaks before it is asked."""

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if not status:
                self.wfile.write(b"SSH-2.0-other\r\n")
                return
            self.rfile.readline()
            self.wfile.write(f"HTTP/1.0 {status} x\r\n\r\n<p>Hello</p>".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
