"""Simulink models from the command line, alone and with a worker at a server beside it."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.simulink.read.files import open_native
from grounded_builder.interfaces.cli import main
from tests.api.conftest import Served
from tests.support.jobs import PLAN, WHOLE, lease_job, make_missing_block_report, report_job
from tests.support.time_bounds import until

pytestmark = pytest.mark.sqlite_suffices

REQUEST = "connect a sine wave to a scope"
SINE = "simulink/Sources/Sine Wave"


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def home(shared_server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in; the state is that of a server that runs."""
    for name in [name for name in os.environ if name.startswith("GROUNDED_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GROUNDED_STATE", str(shared_server.settings.state))
    monkeypatch.setenv("GROUNDED_DATABASE_URL", shared_server.settings.database_url)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def grounded(*arguments: str, given: str = "") -> Done:
    """The command in this very program: a start costs more than the work."""
    streams = [io.TextIOWrapper(io.BytesIO(raw), "utf-8") for raw in (given.encode(), b"", b"")]
    names, results = ("stdin", "stdout", "stderr"), (sys.stdin, sys.stdout, sys.stderr, sys.argv)
    code: Any = 0
    try:
        for name, stream in zip(names, streams, strict=True):
            setattr(sys, name, stream)
        sys.argv = ["grounded", *arguments]
        main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdin, sys.stdout, sys.stderr, sys.argv = results
    for stream in streams:
        stream.seek(0)
    return Done(int(code or 0), streams[1].read(), streams[2].read())


def generate(*arguments: str, given: str = "") -> Done:
    return grounded("generate", "--domain", "simulink", *arguments, given=given)


def test_a_request_becomes_a_script(shared_server: Served, home: Path) -> None:
    """For people, and as a file under its own name: the script that the JSON form holds too."""
    done = generate(REQUEST)
    assert done.returncode == 0, done.stderr
    assert "--output . writes it" in done.stdout
    assert "n8n" not in done.stdout
    result = generate(REQUEST, "--output", ".", "--format", "json")
    answer = json.loads(result.stdout)
    artifact = answer["artifact"]
    assert (home / artifact["file"]).read_text() == artifact["script"]
    assert artifact["file"] in result.stderr
    again = generate(REQUEST, "--output", artifact["file"])
    assert again.returncode == 2
    assert "exists" in again.stderr
    assert grounded("runs", answer["session"]).returncode == 0


def test_the_suffix_selects_the_form_of_an_output_file(shared_server: Served, home: Path) -> None:
    """A model file, a picture, the model; an older file is replaced only when asked to."""
    for name in ("wave.slx", "wave.svg", "wave.json"):
        (home / name).write_text("before")
        refused = generate(REQUEST, "--output", name)
        assert (refused.returncode, (home / name).read_text()) == (2, "before")
        done = generate(REQUEST, "--output", name, "--overwrite")
        assert done.returncode == 0, done.stderr
    model = open_native((home / "wave.slx").read_bytes(), "wave.slx")
    assert model is not None
    assert model.document is not None
    assert (home / "wave.svg").read_text().startswith("<svg")
    assert len(json.loads((home / "wave.json").read_text())["system"]["blocks"]) == 2


def test_every_command_takes_a_stored_model(shared_server: Served, home: Path) -> None:
    """A stored JSON model is checked, drawn, planned and written like a model file."""
    assert generate(REQUEST, "--output", "wave.json").returncode == 0
    for command in (("validate",), ("draw",), ("plan",), ("build", "--format", "json")):
        done = grounded(*command, "--domain", "simulink", "wave.json")
        assert done.returncode == 0, (command, done.stderr, done.stdout)
        assert "GB106" not in done.stdout


def test_lines_in_lines_out(shared_server: Served, home: Path) -> None:
    """Each line is answered with its id, a bad one with what is wrong; the exit code is of all."""
    asked: Sequence[Any] = [
        {"id": "a", "request": REQUEST},
        {"id": 2, "request": "with the Foo9000 block"},
        {"id": None, "request": ""},
        {"id": [4], "request": REQUEST, "constraints": {"forbid": ["simulink/Sinks/Scope"]}},
    ]
    lines = "\n".join(json.dumps(item) for item in asked)
    done = generate("--format", "jsonl", given=lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 1
    assert [answer["id"] for answer in answers] == ["a", 2, None, [4]]
    assert [answer["outcome"] for answer in answers[:2]] == ["built", "refused"]
    assert "there is no request" in str(answers[2]["error"])
    assert answers[0]["artifact"]["script"]
    assert answers[3]["artifact"] is None or "Sinks/Scope" not in answers[3]["artifact"]["script"]


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ((REQUEST, "--import"), "--import requires domain n8n"),
        ((REQUEST, "--trial"), "--trial requires domain n8n"),
        ((REQUEST, "--output", "x.txt"), "simulink is written as .m, .slx, .svg, .json"),
        ((REQUEST, "--output", "1x.m"), "a MATLAB file name"),
        ((REQUEST, "--output", "absent/x.m"), "is not a folder"),
        ((REQUEST, REQUEST, "--output", "x.m"), "the artifact of one request"),
        (("",), "there is no request"),
        ((REQUEST, "--catalog", "0" * 64), "no stored catalog begins"),
        ((REQUEST, "--format", "sarif"), "writes text, json, jsonl"),
    ],
)
def test_impossible_job_command_exits_with_two(
    arguments: tuple[str, ...], given: str, shared_server: Served, home: Path
) -> None:
    """An impossible command writes one line and no file, and exits with 2."""
    done = generate(*arguments)
    assert done.returncode == 2
    assert given in " ".join(done.stderr.replace("│", " ").split())
    assert list(home.iterdir()) == []


def test_a_job_from_the_command_line_is_built_by_a_worker(
    shared_server: Served, home: Path
) -> None:
    """Submitted and waited for while a worker fails and builds; its history can be shown."""
    (home / "plan.json").write_text(json.dumps(PLAN))
    options = ("--plan", "plan.json", "--simulate", "3", "--wait", "240", "--key", "k")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(grounded, "jobs", "submit", *options)
        for report in (make_missing_block_report(SINE), WHOLE):
            taken = until(lambda: lease_job(shared_server, worker="lab"), "there is no job")
            assert json.loads(taken["options"]) == {"Simulate": 3}
            report_job(shared_server, taken, report)
        done = waiting.result()
    assert done.returncode == 0, done.stderr
    stdout = done.stdout
    assert "attempt 1 by lab: failed" in stdout
    assert "SLX601: absent-block: There is no block named" in stdout
    assert "attempt 2 by lab: built" in stdout
    listed = grounded("jobs", "list", "--format", "jsonl").stdout.splitlines()
    line = json.loads(listed[0])  # the newest
    assert (line["state"], line["attempts"], line["request"]) == ("built", 2, PLAN["goal"])
    shown = grounded("jobs", "show", line["id"], "--format", "json", "--output", "kept.m")
    job = json.loads(shown.stdout)
    assert (shown.returncode, job["state"]) == (0, "built")
    assert (home / "kept.m").read_text() == job["script"]
    again = grounded("jobs", "submit", *options)
    assert (again.returncode, line["id"] in again.stdout) == (0, True)


def test_job_without_worker_waits_until_cancelled(shared_server: Served, home: Path) -> None:
    """A job without a worker reports that it waits, until it is cancelled."""
    done = grounded("jobs", "submit", REQUEST, "--wait", "0.1", "--format", "json")
    job = json.loads(done.stdout)
    assert (done.returncode, job["state"]) == (1, "ready")
    assert "run grounded.work" in grounded("jobs", "show", job["id"]).stdout
    assert "is cancelled" in grounded("jobs", "cancel", job["id"]).stdout
    assert lease_job(shared_server) is None
    refused = grounded("jobs", "submit", "with the Foo9000 block")
    assert refused.returncode == 1
    assert "failed: " in refused.stdout
    for wrong in (
        ("show", "nope"),
        ("list", "--state", "nope"),
        ("submit",),
        ("submit", "--plan", "absent.json"),
    ):
        assert grounded("jobs", *wrong).returncode == 2
