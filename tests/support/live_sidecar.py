"""Runs a sidecar with a client and an Octave that has the toolbox."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from runtime.ports import free_port
from tests.support.jobs import ask, await_drafted_job, job_of
from tests.support.loopback import NO_CERTIFICATES
from tests.support.loopback import ask as ask_address
from tests.support.octave import STAND_INS, TOOLBOX, Octave, describe_blocks
from tests.support.program import PROGRAM
from tests.support.simulink import simulink_registry
from tests.support.time_bounds import PATIENCE_S, until

_LOG = "sidecar.log"
SINE = "simulink/Sources/Sine Wave"
OTHER_SINE = "dspsrcs4/Sine Wave"
SCOPE = "simulink/Sinks/Scope"
PLAN = {"goal": "wave", "steps": [{"id": "s", "tool": "Sine Wave"}, {"id": "v", "tool": "Scope"}]}


@dataclass(slots=True)
class Live:
    """A ``grounded serve`` process, a client for it, and an Octave with the toolbox."""

    state: Path
    url: str
    process: subprocess.Popen[bytes]
    client: httpx.Client
    octave: Octave

    def jobs(self, path: str = "", **body: Any) -> dict[str, Any]:
        """Returns the job in an answer."""
        entries: dict[str, Any] = ask(self, path, **body)["jobs"][0]
        return entries

    def job(self, job_id: str) -> dict[str, Any]:
        """Returns the current state of a job."""
        return job_of(self, job_id)

    def await_drafted_job(self, job_id: str) -> dict[str, Any]:
        """Returns a job once it is drafted."""
        return await_drafted_job(self, job_id)

    def restart(self) -> None:
        """Kills the sidecar and serves the same state at the same port."""
        self.process.kill()
        self.process.wait()
        self.process = _serve(self.state, int(self.url.rsplit(":", 1)[1]))
        _await(self.url)

    def matlab(self, installed: list[str], code: str) -> str:
        """Returns the output of Octave, in which these blocks are installed."""
        catalog = self.octave.folder / "catalog.json"
        entries = describe_blocks(self.octave.registry, installed)
        catalog.write_text(json.dumps(entries))
        ready = f"addpath('{STAND_INS}'); addpath('{TOOLBOX}'); simulink_catalog('{catalog}'); "
        return self.octave.evaluate(ready + self.connect() + code)

    def connect(self, url: str = "", **options: Any) -> str:
        """Returns the call that connects an Octave to the sidecar, or to a proxy in front of it."""
        given = {"Folder": str(self.reports), "Patience": 5} | options
        pairs = "".join(f", '{key}', {_literal(value)}" for key, value in given.items())
        return f"grounded.connect('{url or self.url}', '@{self.state / 'token'}'{pairs}); "

    def log(self) -> str:
        """Returns the standard error of the sidecar."""
        return (self.state.parent / _LOG).read_text()

    @property
    def reports(self) -> Path:
        """Returns the folder of reports that could not be sent."""
        return self.state.parent / "reports"


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def _serve(state: Path, port: int) -> subprocess.Popen[bytes]:
    entries = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    with (state.parent / _LOG).open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)],
            env={**entries, "GROUNDED_STATE": str(state)},
            stdout=subprocess.DEVNULL,
            stderr=log,
        )


def _await(url: str) -> None:
    def answers() -> bool:
        try:
            return ask_address("GET", f"{url}/healthz", timeout=PATIENCE_S).status_code == 200
        except httpx.TransportError:
            return False

    until(answers, "the sidecar did not start")


@contextmanager
def run_sidecar(folder: Path) -> Iterator[Live]:
    """Yields a sidecar with a state in this folder, and ends it afterwards."""
    state, port = folder / "state", free_port()
    process = _serve(state, port)
    try:
        url = f"http://127.0.0.1:{port}"
        _await(url)
        token = (state / "token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(
            verify=NO_CERTIFICATES, base_url=url, headers=headers, timeout=PATIENCE_S
        ) as client:
            live = Live(state, url, process, client, Octave(folder, simulink_registry()))
            yield live
            process = live.process
    finally:
        process.kill()
        process.wait()
