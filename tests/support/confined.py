"""A `grounded serve` process whose state folder is a small file system, with a clock of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from runtime.ports import free_port
from tests.support.patience import PATIENCE_S, until
from tests.support.program import PROGRAM

_MOUNT = 'mount -t tmpfs -o "size=$1,mode=700" tmpfs "$2" && shift 2 && exec "$@"'


@dataclass(slots=True)
class Confined:
    """A sidecar in a mount namespace; ``client`` carries its first token."""

    process: subprocess.Popen[bytes]
    state: Path
    """Where the process sees its state."""
    clock: Path
    client: httpx.Client

    @property
    def folder(self) -> Path:
        """The state folder as it is reached from outside of the namespace."""
        return Path(f"/proc/{self.process.pid}/root{self.state}")

    def fill(self) -> Path:
        """Take all the space of the state folder; returns the file that does."""
        file = self.folder / "fill"
        with file.open("wb", buffering=0) as out:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        out.write(b"x" * size)
                except OSError:
                    continue
        return file

    def set_clock(self, offset: str) -> None:
        """Move the clock of the process: ``+1d``, ``-1h``, ``+0``."""
        replaced = self.clock.with_suffix(".new")
        replaced.write_text(offset)
        replaced.replace(self.clock)


@contextmanager
def confined(folder: Path, size: str = "64m", **env: str) -> Iterator[Confined]:
    """A sidecar whose state has ``size`` of space, ended after."""
    state, clock, port = folder / "state", folder / "clock", free_port()
    state.mkdir()
    clock.write_text("+0")
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")}
    kept |= {"GROUNDED_STATE": str(state), **env}
    if "LD_PRELOAD" in env:
        kept |= {"FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1"}
        kept |= {"FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    mount = ["sh", "-c", _MOUNT, "mount", size, str(state)]
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", *mount, *command],
            env=kept,
            stdout=log,
            stderr=log,
        )
    url = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        assert process.poll() is None, (folder / "log").read_text()
        try:
            return httpx.get(f"{url}/healthz", timeout=PATIENCE_S).is_success
        except httpx.TransportError:
            return False

    try:
        until(answers, "the sidecar did not start")
        token = Path(f"/proc/{process.pid}/root{state}/token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE_S) as client:
            yield Confined(process, state, clock, client)
    finally:
        process.kill()
        process.wait()
