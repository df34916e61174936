"""Lines to the sidecar that break, lose answers, forget or are slow, under Octave."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode

from tests.octave.test_sync import block
from tests.support.faulty_connection import Fate, open_line
from tests.support.jobs import end_lease
from tests.support.live_sidecar import PLAN, SCOPE, SINE, Live
from tests.support.octave import STAND_INS, TOOLBOX, describe_blocks
from tests.support.time_bounds import PATIENCE_S, until
from tests.support.workers import make_stuck_build

_TELL = "catch e, printf('%s|%s', e.identifier, e.message); end; "
_FIRST: dict[int, Fate] = {1: "break", 2: "lose"}
_LATER: dict[int, Fate] = {2: "break", 4: "lose"}
_ONCE = "r = grounded.work('Once', true); printf('%d', ~isempty(r) && r.ok);"


def at(live: Live, url: str, code: str, **options: Any) -> str:
    """What Octave prints that speaks to the sidecar over a line."""
    return live.matlab([SINE, SCOPE], live.connect(url, **options) + code)


def payload(body: bytes) -> dict[str, Any]:
    entries: dict[str, Any] = json.loads(parse_qs(body.decode())["payload"][0])
    return entries


def test_client_repeats_interrupted_requests(live: Live) -> None:
    """Although every request and every second answer is lost once, one job is built once."""
    seen: Counter[str] = Counter()

    def fate(path: str, _body: bytes) -> Fate:
        seen[path] += 1
        # A lease whose answer is lost holds the job for a while: that has a test of its own.
        return "pass" if path.endswith("/lease") else _FIRST.get(seen[path], "pass")

    before = {item["id"] for item in live.client.get("/v1/simulink/jobs").json()["jobs"]}
    with open_line(live.url, fate=fate) as line:
        text = at(
            live,
            line.url,
            "r = grounded.build('connect a sine wave to a scope'); printf('%d', r.ok);",
        )
    assert text == "1"
    after = live.client.get("/v1/simulink/jobs").json()["jobs"]
    (job,) = [item for item in after if item["id"] not in before]
    assert (job["state"], job["attempts"]) == ("built", 1)


def test_a_lease_whose_answer_is_lost_runs_out(live: Live) -> None:
    """The job stays leased for that short time, then the next request gets it."""
    job = live.jobs("?wait=20", plan=PLAN)
    asked: list[str] = []

    def fate(path: str, _body: bytes) -> Fate:
        asked.append(path)
        return "lose" if len(asked) == 1 else "pass"

    with open_line(live.url, fate=fate) as line:
        assert at(live, line.url, _ONCE, Check=0) == "0"
        assert live.job(job["id"])["state"] == "leased"
        end_lease(live.state, job["id"])
        assert at(live, line.url, _ONCE, Check=0) == "1"
    built = live.job(job["id"])
    assert [attempt["silent"] for attempt in built["attempts"]] == [True, False]


def test_a_report_waits_for_the_sidecar(live: Live) -> None:
    """A result that could not be sent is kept in a file, and sent when the sidecar is back."""
    job = live.jobs("?wait=20", plan=PLAN)
    down = True

    def fate(path: str, _body: bytes) -> Fate:
        return "break" if down and path.endswith("/result") else "pass"

    with open_line(live.url, fate=fate) as line:
        text = at(live, line.url, _ONCE, Patience=0)
        assert "The report on job" in text
        assert "is kept in" in text
        assert text.endswith("1")
        (result,) = live.reports.glob("*.report")
        assert (live.state / "token").read_text().strip() not in result.read_text()
        assert live.job(job["id"])["state"] == "leased"
        down = False
        assert at(live, line.url, _ONCE) == "0"
    built = live.job(job["id"])
    assert (built["state"], len(built["attempts"])) == ("built", 1)
    assert not list(live.reports.glob("*.report"))


def test_a_report_that_comes_too_late_is_reported_and_forgotten(live: Live) -> None:
    """The job went to another worker: nothing is doubled, and the worker continues."""
    job = live.jobs("?wait=20", plan=PLAN)

    def fate(path: str, _body: bytes) -> Fate:
        return "break" if path.endswith("/result") else "pass"

    with open_line(live.url, fate=fate) as line:
        at(live, line.url, "grounded.work('Once', true);", Patience=0)
        line.fate = lambda _path, _body: "pass"
        end_lease(live.state, job["id"])
        other = live.jobs("/lease", worker="other")
        assert other["id"] == job["id"]
        text = at(live, line.url, _ONCE)
    assert "is not taken: the lease of job" in text
    assert not list(live.reports.glob("*.report"))
    report = {"ok": True, "model": "wave", "blocks": [], "differences": [], "errors": []}
    built = live.jobs(f"/{job['id']}/result", lease=other["lease"], report=report)
    assert (built["state"], len(built["attempts"])) == ("built", 2)


def test_a_long_build_keeps_its_lease(live: Live) -> None:
    """It takes longer than its lease, renews it between blocks, and no one else gets the job.

    For the sidecar a second of the worker is many, so that no load ends a lease; its time is
    over whenever a renewal comes.
    """
    plan = {"goal": "long", "steps": [{"id": f"s{n}", "tool": "Sine Wave"} for n in range(8)]}
    job = live.jobs("?wait=20", plan=plan)
    taken: list[Any] = []

    def fate(path: str, body: bytes) -> Fate:
        if path.endswith("/result"):
            rival = live.client.post("/v1/simulink/jobs/lease", json={"worker": "rival"})
            taken.extend(rival.json()["jobs"])
            if payload(body).get("report") is None:
                end_lease(live.state, job["id"])
        return "pass"

    def longer(body: bytes) -> bytes:
        if b"seconds" not in body:
            return body
        entries = payload(body)
        entries["seconds"] *= 600
        return urlencode({"payload": json.dumps(entries)}).encode()

    slow = "setenv('GROUNDED_SLOW', '0.4'); "
    with open_line(live.url, fate=fate, change=longer) as line:
        work = "r = grounded.work('Once', true, 'Lease', 1); printf('%d', r.ok);"
        assert at(live, line.url, slow + work) == "1"
    assert taken == []
    assert sum(path.endswith("/result") for path in line.asked) >= 4
    built = live.job(job["id"])
    assert (built["state"], len(built["attempts"])) == ("built", 1)


def test_a_slow_line_carries_a_sync(live: Live) -> None:
    """A sync at 100 kB/s with two interruptions sends every piece in one call."""
    text = "x" * 20_000
    large = [
        block(f"acme_slow/Block {n}", f"Slow{n}", {"out": 1}, ("Label", "text", text, []))
        for n in range(20)
    ]
    catalog = live.octave.folder / "slow.json"
    catalog.write_text(json.dumps([*large, *describe_blocks(live.octave.registry, [])]))
    numbers: list[int] = []

    def fate(_path: str, body: bytes) -> Fate:
        numbers.append(payload(body)["number"])
        return _LATER.get(len(numbers), "pass")

    ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
    with open_line(live.url, fate=fate, rate=100_000) as line:
        sync = "grounded.sync('acme_slow'); s = grounded.connect(); printf('|%s', s.environment);"
        evaluate = live.octave.evaluate(ready + live.connect(line.url, Check=0) + sync)
    value, environment = evaluate.split("|")
    assert "blocks of this installation" in value
    assert len(environment) == 64
    # The second was sent again after it broke, the third after its answer was lost.
    assert numbers == [1, 2, 2, 3, 3, *range(4, max(numbers) + 1)]


def test_a_sidecar_that_forgets_is_reported(live: Live) -> None:
    """The sync ends with an error, as if servers of several databases answered."""
    results: list[str] = []

    class Forgetful(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            entries = payload(body)
            others = [n for n in range(1, entries["total"] + 2) if n != entries["number"]]
            content = {"ok": True, "missing": others[:1], "environment": "", "blocks": 0}
            answer = b"<html>" if results else json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Forgetful)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        text = "x" * 120_000
        two = [block(f"acme_two/B{n}", "", {}, ("Label", "text", text, [])) for n in range(2)]
        catalog = live.octave.folder / "two.json"
        catalog.write_text(json.dumps([*two, *describe_blocks(live.octave.registry, [])]))
        ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
        sync = f"try, grounded.sync('acme_two'); {_TELL}"
        evaluate = live.octave.evaluate(ready + live.connect(url, Check=0) + sync)
        assert evaluate.startswith("grounded:sync|The sidecar does not keep piece")
        assert "several databases" in evaluate
        results.append("other")
        evaluate = live.octave.evaluate(ready + live.connect(url, Patience=0, Check=0) + sync)
        assert evaluate == f"grounded:answer|The program at {url} is not the sidecar."
    finally:
        server.shutdown()


def worker(live: Live, home: Path, code: str) -> subprocess.Popen[bytes]:
    """An Octave in a process of its own that builds slowly."""
    catalog = home / "catalog.json"
    catalog.write_text(json.dumps(describe_blocks(live.octave.registry, [SINE, SCOPE])))
    ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
    return subprocess.Popen(
        ["octave-cli", "--no-gui", "--norc", "--quiet", "--eval", ready + live.connect() + code],
        cwd=home,
        stdout=(home / "said").open("wb"),
        stderr=subprocess.STDOUT,
    )


def ended_by(process: subprocess.Popen[bytes], number: int) -> None:
    """End a worker by a signal."""
    process.send_signal(number)
    process.wait(PATIENCE_S)


def test_an_interrupted_worker_gives_its_job_back(live: Live, tmp_path: Path) -> None:
    """The job is returned at once without an attempt, and the next worker builds it."""
    job = live.jobs("?wait=20", plan=PLAN)
    code, marker = make_stuck_build(tmp_path)
    process = worker(live, tmp_path, f"{code} grounded.work();")
    until(marker.exists, "it does not build")
    assert live.job(job["id"])["state"] == "leased"
    ended_by(process, signal.SIGINT)
    back = live.job(job["id"])
    assert (back["state"], back["attempts"]) == ("ready", [])
    assert at(live, live.url, _ONCE) == "1"


def test_an_interrupted_build_cancels_its_job(live: Live, tmp_path: Path) -> None:
    """An interrupted build is cancelled, and no worker builds it."""
    before = {job["id"] for job in live.client.get("/v1/simulink/jobs").json()["jobs"]}
    code, marker = make_stuck_build(tmp_path)
    code = f"{code} grounded.build('connect a sine wave to a scope');"
    process = worker(live, tmp_path, code)
    until(marker.exists, "it does not build")
    jobs = live.client.get("/v1/simulink/jobs").json()["jobs"]
    (mine,) = [job for job in jobs if job["id"] not in before]
    assert mine["state"] == "leased"
    ended_by(process, signal.SIGINT)
    assert live.job(mine["id"])["state"] == "cancelled"


def test_a_job_that_goes_wrong_does_not_end_the_worker(live: Live, tmp_path: Path) -> None:
    """A file that is there already, a folder that is not, then a job that is sound."""
    (tmp_path / "there.slx").write_text("mine")
    bad = [
        live.jobs("?wait=20", plan=PLAN, attempts=1, options={"File": str(tmp_path / where)})
        for where in ("there.slx", "nowhere/x.slx")
    ]
    good = live.jobs("?wait=20", plan=PLAN)
    process = worker(live, tmp_path, "grounded.work('Wait', 1);")
    until(lambda: live.job(good["id"])["state"] == "built", "it is not built")
    assert process.poll() is None
    ended_by(process, signal.SIGINT)
    assert [live.job(item["id"])["state"] for item in bad] == ["failed", "failed"]
    assert "exists" in live.job(bad[0]["id"])["problem"]
    assert (tmp_path / "there.slx").read_text() == "mine"
