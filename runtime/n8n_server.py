"""Starts and stops an n8n with its own folder, owner and API key."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path

import requests

from runtime import n8n_owner, paths
from runtime.child import Child, spawn, tail
from runtime.ports import free_port
from runtime.secret_files import made_once, write_secret

DEFAULT_PORT = 5678
_READY_LINE = "Editor is now accessible"
_START_DEADLINE_S = 240.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class N8nServer:
    """A running n8n with its owner and an API key; paths are absolute."""

    url: str
    email: str
    password: str
    api_key: str
    pid: int
    born: int
    log: str
    user_folder: str
    n8n_dir: str
    node: str

    def alive(self) -> bool:
        """Returns whether this n8n still runs."""
        return Child(self.pid, self.born).alive()

    def write(self, path: Path) -> None:
        """Writes the server, including its secrets, to a file of mode 0600 for another program."""
        write_secret(path, json.dumps(asdict(self), indent=1))

    @staticmethod
    def read(path: Path) -> N8nServer:
        """Reads what `write` wrote."""
        return N8nServer(**json.loads(path.read_text()))


def start(
    state: Path, port: int | None = None, extra_env: dict[str, str] | None = None
) -> N8nServer:
    """Starts an n8n with its files below `state`, or returns the one that runs there.

    `port` None selects any free one. Returns when n8n serves its API; raises SystemExit with the
    end of the log if n8n ends or is not ready in time.
    """
    state = state.absolute()
    running = current(state)
    if running is not None:
        return running
    user_folder = state / "n8n"
    user_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    password = n8n_owner.owner_password(state)
    chosen = free_port(port)
    url = f"http://127.0.0.1:{chosen}"
    env = {
        **os.environ,
        **environment(user_folder, made_once(state / "n8n-encryption-key")),
        **_owner(password),
        "N8N_PORT": str(chosen),
        "N8N_EDITOR_BASE_URL": url,
        "WEBHOOK_URL": f"{url}/",
        "N8N_RUNNERS_BROKER_PORT": str(free_port()),
        **(extra_env or {}),
    }
    log = state / "logs" / "n8n.log"
    child = spawn([str(paths.node()), str(paths.n8n_bin()), "start"], env, log)
    server = N8nServer(
        url=url,
        email=n8n_owner.EMAIL,
        password=password,
        api_key="",
        pid=child.pid,
        born=child.born,
        log=str(log),
        user_folder=str(user_folder),
        n8n_dir=str(paths.n8n_home()),
        node=str(paths.node()),
    )
    # Written before n8n is ready, so that `stop` finds it even if the caller is killed.
    server.write(state / _DESCRIPTOR)
    try:
        _wait_ready(url, child, log)
        key = n8n_owner.api_key(url, server.email, password, state / "n8n-api-key")
    except BaseException:
        stop(state)
        raise
    server = replace(server, api_key=key)
    server.write(state / _DESCRIPTOR)
    return server


def stop(state: Path) -> bool:
    """Stops the n8n of this state folder; returns whether one was running."""
    path = state.absolute() / _DESCRIPTOR
    if not path.exists():
        return False
    server = N8nServer.read(path)
    was_alive = server.alive()
    Child(server.pid, server.born).stop()
    path.unlink(missing_ok=True)
    return was_alive


def current(state: Path) -> N8nServer | None:
    """Returns the n8n of this state folder if it runs and is ready, otherwise None."""
    path = state.absolute() / _DESCRIPTOR
    if not path.exists():
        return None
    server = N8nServer.read(path)
    if not server.alive():
        return None
    if server.api_key == "":
        # An earlier start was interrupted before n8n was ready.
        stop(state)
        return None
    return server


def environment(user_folder: Path, encryption_key: str) -> dict[str, str]:
    """Returns the settings of every n8n: loopback only, no telemetry, no unneeded modules."""
    lines = (paths.N8N_MANIFEST / "n8n.env").read_text().splitlines()
    settings = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {
        **{name: value for name, _, value in settings},
        "N8N_USER_FOLDER": str(user_folder),
        "N8N_ENCRYPTION_KEY": encryption_key,
        "N8N_LISTEN_ADDRESS": "127.0.0.1",
        "N8N_HOST": "127.0.0.1",
    }


_DESCRIPTOR = "n8n.json"


def _owner(password: str) -> dict[str, str]:
    return {
        "N8N_INSTANCE_OWNER_MANAGED_BY_ENV": "true",
        "N8N_INSTANCE_OWNER_EMAIL": n8n_owner.EMAIL,
        "N8N_INSTANCE_OWNER_FIRST_NAME": "Grounded",
        "N8N_INSTANCE_OWNER_LAST_NAME": "Builder",
        "N8N_INSTANCE_OWNER_PASSWORD_HASH": n8n_owner.password_hash(password),
    }


def _wait_ready(url: str, child: Child, log: Path) -> None:
    """Waits for the line that n8n logs when its routes exist; /healthz answers long before."""
    deadline = time.monotonic() + _START_DEADLINE_S
    while time.monotonic() < deadline:
        if not child.alive():
            raise SystemExit(f"n8n ended while starting; {log} ends:\n{tail(log)}")
        if log.exists() and _READY_LINE in log.read_text(errors="replace") and _serves(url):
            return
        time.sleep(_POLL_S)
    raise SystemExit(f"n8n was not ready after {_START_DEADLINE_S:.0f} s; {log} ends:\n{tail(log)}")


def _serves(url: str) -> bool:
    """Returns whether the routes exist: this one answers 401 without a login, and 404 before."""
    try:
        answer = requests.get(f"{url}/rest/login", timeout=5)
    except requests.RequestException:
        return False
    return answer.status_code == HTTPStatus.UNAUTHORIZED
