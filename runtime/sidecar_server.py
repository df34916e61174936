"""Starts and stops the sidecar for an n8n."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path

import requests

from runtime import paths
from runtime.child import Child, spawn, tail
from runtime.n8n_server import N8nServer
from runtime.ports import free_port
from runtime.secret_files import write_secret

DEFAULT_PORT = 8377
_DESCRIPTOR = "sidecar.json"
_START_DEADLINE_S = 120.0
_POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Sidecar:
    """A running `grounded serve`; its admin token is in `token_file`, mode 0600."""

    url: str
    pid: int
    born: int
    log: str
    token_file: str
    n8n_url: str

    def alive(self) -> bool:
        """Returns whether this sidecar still runs."""
        return Child(self.pid, self.born).alive()

    def token(self) -> str:
        """Returns the admin token."""
        return Path(self.token_file).read_text().strip()

    def ready(self) -> bool:
        """Returns whether a catalog is loaded."""
        return _status(f"{self.url}/readyz") == HTTPStatus.OK


def start(state: Path, n8n: N8nServer, port: int | None = None) -> Sidecar:
    """Starts the sidecar for `n8n`, or returns the one that runs; waits until /healthz answers."""
    state = state.absolute()
    running = current(state)
    if running is not None:
        if running.n8n_url == n8n.url:
            return running
        stop(state)
    chosen = free_port(port)
    url = f"http://127.0.0.1:{chosen}"
    log = state / "logs" / "sidecar.log"
    command = [grounded(), "serve", "--port", str(chosen)]
    child = spawn(command, {**os.environ, **environment(state, n8n)}, log)
    sidecar = Sidecar(url, child.pid, child.born, str(log), str(state / "token"), n8n.url)
    write_secret(state / _DESCRIPTOR, json.dumps(asdict(sidecar), indent=1))
    try:
        _wait_healthy(sidecar, log)
    except BaseException:
        stop(state)
        raise
    return sidecar


def stop(state: Path) -> bool:
    """Stops the sidecar of this state folder; returns whether one was running."""
    path = state.absolute() / _DESCRIPTOR
    if not path.exists():
        return False
    sidecar = Sidecar(**json.loads(path.read_text()))
    was_alive = sidecar.alive()
    Child(sidecar.pid, sidecar.born).stop()
    path.unlink(missing_ok=True)
    return was_alive


def current(state: Path) -> Sidecar | None:
    """Returns the running sidecar of this state folder, or None."""
    path = state.absolute() / _DESCRIPTOR
    if not path.exists():
        return None
    sidecar = Sidecar(**json.loads(path.read_text()))
    return sidecar if sidecar.alive() else None


def environment(state: Path, n8n: N8nServer) -> dict[str, str]:
    """Returns the environment variables of `grounded` for this n8n."""
    packages = Path(n8n.user_folder) / ".n8n" / "nodes"
    return {
        "GROUNDED_STATE": str(state),
        "GROUNDED_N8N_URL": n8n.url,
        "GROUNDED_N8N_API_KEY": n8n.api_key,
        "GROUNDED_REHEARSAL_NODE": str(paths.node()),
        "GROUNDED_REHEARSAL_N8N": str(paths.n8n_bin()),
        "GROUNDED_REHEARSAL_PROXY": str(paths.REHEARSAL_PROXY / "src" / "proxy.js"),
        **({"GROUNDED_REHEARSAL_PACKAGES": str(packages)} if packages.is_dir() else {}),
    }


def grounded() -> str:
    """Returns the `grounded` command beside the running interpreter."""
    return str(Path(sys.executable).parent / "grounded")


def _wait_healthy(sidecar: Sidecar, log: Path) -> None:
    deadline = time.monotonic() + _START_DEADLINE_S
    while time.monotonic() < deadline:
        if not sidecar.alive():
            raise SystemExit(f"the sidecar ended while starting; {log} ends:\n{tail(log)}")
        if _status(f"{sidecar.url}/healthz") == HTTPStatus.OK:
            return
        time.sleep(_POLL_S)
    raise SystemExit(
        f"the sidecar was not up after {_START_DEADLINE_S:.0f} s; {log} ends:\n{tail(log)}"
    )


def _status(url: str) -> int | None:
    try:
        return requests.get(url, timeout=5).status_code
    except requests.RequestException:
        return None
