"""`make run` and `make stop`, as a user has them but for the state folder and the ports."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from runtime import n8n_server, sidecar_server
from runtime.n8n_server import N8nServer
from runtime.paths import ROOT
from scripts.demo import REQUEST
from tests.support.time_bounds import PATIENCE_S


@pytest.fixture
def state(tmp_path: Path, n8n_dir: Path) -> Iterator[Path]:
    yield tmp_path
    sidecar_server.stop(tmp_path)
    n8n_server.stop(tmp_path)


def test_run_stays_until_interrupted_then_comes_back(state: Path) -> None:
    """Ctrl-C ends both; the next start makes and syncs nothing again, and can detach."""
    attached = subprocess.Popen(
        [sys.executable, "-m", "scripts.run"],
        cwd=ROOT,
        env={**os.environ, "GROUNDED_STATE": str(state), "DETACH": ""},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert attached.stdout is not None
    first = ""
    for line in attached.stdout:
        first += line
        if "Ctrl-C ends both" in line:
            break
    assert "Ctrl-C ends both" in first, first
    attached.send_signal(signal.SIGINT)
    rest, _ = attached.communicate(timeout=PATIENCE_S)
    assert attached.returncode == 0, first + rest
    assert n8n_server.current(state) is None
    assert sidecar_server.current(state) is None

    second = _script("run", state, DETACH="1")
    for made in ("generated", "by", "sample workflow"):
        assert _find_made_workflow(first, made)[1] == _find_made_workflow(second, made)[1], (
            "it is made once"
        )
    assert "catalog synced" not in second

    n8n = n8n_server.current(state)
    sidecar = sidecar_server.current(state)
    assert n8n is not None
    assert sidecar is not None
    assert sidecar.ready()
    assert {
        stat.S_IMODE((state / name).stat().st_mode)
        for name in ("n8n-password", "n8n-api-key", "n8n-encryption-key", "token", "demo.json")
    } == {0o600}
    for made, name in (
        ("generated", REQUEST),
        ("by", "Grounded Builder: workflow from a webhook"),
        ("sample workflow", "Hello from a webhook"),
    ):
        url, workflow = _find_made_workflow(second, made)
        assert url == n8n.url
        assert _get_workflow(n8n, workflow)["name"] == name

    # What is printed to try it works after a start too.
    answer = requests.post(
        f"{n8n.url}/webhook/grounded-builder", json={"request": REQUEST}, timeout=PATIENCE_S
    )
    assert answer.json()["import"] == "imported", answer.text

    printed = re.search(r"^  catalog file +(.+)$", second, re.MULTILINE)
    assert printed is not None
    subprocess.run(shlex.split(printed[1]), cwd=state, check=True, timeout=PATIENCE_S)
    assert '"n8n-nodes-grounded-builder.groundedBuilder"' in (state / "catalog.jsonl").read_text()

    # A sidecar that has to move to another port takes the demo along.
    sidecar_server.stop(state)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", int(sidecar.url.rpartition(":")[2])))
        # Bound alone is not taken: another may still bind and listen.
        taken.listen()
        third = _script("run", state, DETACH="1")
    moved = sidecar_server.current(state)
    assert moved is not None
    assert moved.url != sidecar.url
    assert _find_made_workflow(third, "by") == _find_made_workflow(second, "by")
    answer = requests.post(
        f"{n8n.url}/webhook/grounded-builder", json={"request": REQUEST}, timeout=PATIENCE_S
    )
    assert answer.json()["import"] == "imported", answer.text

    assert _script("stop", state) == "stopped sidecar and n8n\n"
    assert not n8n.alive()
    assert not moved.alive()
    assert _script("stop", state) == "nothing was running\n"


def _script(name: str, state: Path, **extra: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{name}"],
        cwd=ROOT,
        env={**os.environ, "GROUNDED_STATE": str(state), **extra},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=2 * PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _find_made_workflow(printed: str, what: str) -> tuple[str, str]:
    """The n8n and the workflow id on the line of this name."""
    match = re.search(
        rf"^  {what} +(http://127\.0\.0\.1:\d+)/workflow/(\w+)$", printed, re.MULTILINE
    )
    assert match is not None, printed
    return match[1], match[2]


def _get_workflow(n8n: N8nServer, workflow: str) -> dict[str, Any]:
    answer = requests.get(
        f"{n8n.url}/api/v1/workflows/{workflow}",
        headers={"X-N8N-API-KEY": n8n.api_key},
        timeout=PATIENCE_S,
    )
    return dict(answer.json())
