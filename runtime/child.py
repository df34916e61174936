"""Starts, recognises and ends a program that outlives the command that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

_POLL_S = 0.05
_SHARED_PYTHON_ENV = ("VIRTUAL_ENV", "PYTHONPATH")


@dataclass(frozen=True, slots=True)
class Child:
    """A program in its own process group; `born` distinguishes it from a later one with its pid."""

    pid: int
    born: int

    def alive(self) -> bool:
        """Returns whether this program still runs."""
        return _born(self.pid) == self.born

    def stop(self, grace_s: float = 15.0) -> None:
        """Terminates the whole group, and kills it after `grace_s` seconds."""
        if not self.alive():
            return
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        while self.alive() and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        # A program that has ended may leave children: the group is killed in any case.
        self._signal(signal.SIGKILL)
        while self.alive():
            time.sleep(_POLL_S)

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return


def spawn(command: list[str], env: dict[str, str], log: Path) -> Child:
    """Starts `command` detached and writes its output to `log`; the previous log becomes `.1`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    if log.exists():
        log.replace(log.with_suffix(".log.1"))
    with log.open("ab") as out:
        started = subprocess.Popen(
            command,
            env={k: v for k, v in env.items() if k not in _SHARED_PYTHON_ENV},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    born = _born(started.pid)
    if born is None:
        raise SystemExit(f"{command[0]} ended at once; {log} ends:\n{tail(log)}")
    return Child(started.pid, born)


def tail(log: Path, lines: int = 25) -> str:
    """Returns the last lines of a log, for an error message."""
    if not log.exists():
        return "(no log)"
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def _born(pid: int) -> int | None:
    """Returns a process's start time in clock ticks since boot; None if it has ended."""
    _reap(pid)
    try:
        # The command name in parentheses may contain spaces: fields are counted after it.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])


def _reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return
