"""Runs sidecars that are killed and restarted in a fraction of a second.

``python -m tests.support.replicas`` imports all modules once. Each line of its input, ``{"env":
{...}, "machine": NAME}``, forks a sidecar with these settings, and prints its process id as a line.
A ``machine`` gives it a separate host name, so that it counts as a process of another machine.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import httpx

from runtime.paths import ROOT
from runtime.ports import free_port
from tests.support.loopback import ask
from tests.support.time_bounds import until

_NEW_HOST_NAME = 0x04000000  # CLONE_NEWUTS of linux/sched.h
_LOOK_S = 5.0


@dataclass
class Replica:
    """A sidecar on a new port; ``pid`` is None while it does not run."""

    port: int
    env: dict[str, str]
    machine: str = ""
    pid: int | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self) -> str:
        """Returns the first token, if this replica created it."""
        return (Path(self.env["GROUNDED_STATE"]) / "token").read_text().strip()

    def answers(self) -> bool:
        """Checks whether it serves."""
        try:
            return ask("GET", f"{self.url}/healthz", timeout=_LOOK_S).is_success
        except httpx.TransportError:
            return False


@dataclass
class Forks:
    """The program that forks sidecars, with its sidecars."""

    folder: Path
    replicas: list[Replica] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _process: subprocess.Popen[bytes] | None = None

    def replica(self, name: str, machine: str = "", **env: str) -> Replica:
        """Returns a new running sidecar."""
        state = self.folder / name
        facts = {"GROUNDED_STATE": str(state), **env}
        replica = Replica(free_port(), facts, machine)
        self.replicas.append(replica)
        self.start(replica)
        return replica

    def start(self, replica: Replica, **more: str) -> None:
        """Starts a sidecar again; ``more`` settings apply from now on."""
        replica.env.update(more)
        env = {**replica.env, "GROUNDED_PORT": str(replica.port)}
        log = str(self.folder / f"{Path(replica.env['GROUNDED_STATE']).name}.log")
        line = json.dumps({"env": env, "machine": replica.machine, "log": log})
        with self._lock:
            process = self._forker()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
            replica.pid = int(process.stdout.readline())
        until(replica.answers, f"the sidecar did not start: {log}")

    def kill(self, replica: Replica, number: int = signal.SIGKILL) -> None:
        """Ends a sidecar with a signal, by default SIGKILL."""
        pid, replica.pid = replica.pid, None
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, number)
            until(lambda: not Path(f"/proc/{pid}").exists(), "the sidecar did not end")

    def close(self) -> None:
        """Ends all sidecars and the program."""
        for replica in self.replicas:
            self.kill(replica)
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            self._process.wait()

    def _forker(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            command = [sys.executable, "-m", "tests.support.replicas"]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen(command, cwd=ROOT, **pipes)
        return self._process


def main() -> None:
    """Forks a sidecar for each line."""
    from grounded_builder.domains.known import read_settings
    from grounded_builder.interfaces.http.server import serve

    # The system reaps ended children.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if child:
            print(child, flush=True)
            continue
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _redirect(asked["log"])
        if asked["machine"]:
            _name_machine(asked["machine"])
        os.environ.update(asked["env"])
        try:
            serve(read_settings())
        except BaseException:  # noqa: BLE001 - a fork must not continue after any exception
            sys.excepthook(*sys.exc_info())
        os._exit(0)


def _redirect(log: str) -> None:
    """Redirects the standard streams of a fork, which would keep pipes of its parent open."""
    null = os.open(os.devnull, os.O_RDONLY)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, target in enumerate((null, out, out)):
        os.dup2(target, number)


def _name_machine(name: str) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_HOST_NAME) != 0:
        raise OSError(ctypes.get_errno(), "a host name of its own needs root")
    socket.sethostname(name)


if __name__ == "__main__":
    main()
