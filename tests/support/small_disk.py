"""Runs ``grounded serve`` with its state folder on a small file system and a settable clock."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from runtime.ports import free_port
from tests.support.loopback import NO_CERTIFICATES, ask
from tests.support.program import PROGRAM
from tests.support.time_bounds import PATIENCE_S, until

_MOUNT = 'mount -t tmpfs -o "size=$0,mode=700" tmpfs "$1" && echo ready && exec sleep infinity'
_PRELOADED = Path(__file__).with_name("preloaded.c")
_CONTROL = struct.Struct("qq")


class Confined:
    """A sidecar in a mount namespace that outlives it; ``client`` sends its first token."""

    def __init__(self, folder: Path, size: str, env: dict[str, str], *, preload: bool) -> None:
        self.state, self._control, self._log = folder / "state", folder / "control", folder / "log"
        self._port = free_port()
        entries = {
            key: value for key, value in os.environ.items() if not key.startswith("GROUNDED_")
        }
        self._env = {**entries, "GROUNDED_STATE": str(self.state), **env}
        self._clock_s, self._is_read_only = 0, False
        self._write_control()
        if preload:
            library = folder / "preloaded.so"
            build = ["gcc", "-O1", "-U_FORTIFY_SOURCE", "-shared", "-fPIC", "-o", str(library)]
            subprocess.run([*build, str(_PRELOADED), "-ldl"], check=True)
            self._env |= {"LD_PRELOAD": str(library), "PRELOADED": str(self._control)}
            self._env |= {"PRELOADED_FOLDER": str(self.state)}
        self.state.mkdir()
        space = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _MOUNT]
        self._space = subprocess.Popen([*space, size, str(self.state)], stdout=subprocess.PIPE)
        assert self._space.stdout is not None
        assert self._space.stdout.readline() == b"ready\n"
        self.process = self._start()
        self.client = httpx.Client(
            verify=NO_CERTIFICATES, base_url=self.url, headers=self._headers(), timeout=PATIENCE_S
        )

    @property
    def url(self) -> str:
        """Returns the address of the sidecar."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def folder(self) -> Path:
        """Returns the state folder as a path outside of the namespace."""
        return Path(f"/proc/{self._space.pid}/root{self.state}")

    @property
    def log(self) -> str:
        """Returns the log of the sidecar."""
        return self._log.read_text()

    def fill(self) -> Path:
        """Fills the free space of the state folder; returns the file that does."""
        file = self.folder / "fill"
        with file.open("wb", buffering=0) as out:
            for size in (1 << 16, 1 << 12):
                try:
                    while True:
                        out.write(b"x" * size)
                except OSError:
                    continue
        return file

    def remount(self, option: str) -> None:
        """Makes the file system read-only, ``ro``, or writable, ``rw``, once no file is open."""
        command = [*self._inside(), "mount", "-o", f"remount,{option}", str(self.state)]
        until(lambda: subprocess.run(command, check=False).returncode == 0)

    def kill(self) -> None:
        """Kills the sidecar."""
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Starts the sidecar again on the same state and port."""
        self.process = self._start()

    def open_files(self) -> int:
        """Returns the number of files in the state folder that the sidecar has open."""
        count = 0
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        for process in (self.process.pid, *map(int, children.split())):
            folder = Path(f"/proc/{process}/fd")
            links = (file.readlink() for file in folder.iterdir() if file.is_symlink())
            count += sum(link.is_relative_to(self.state) for link in links)
        return count

    def set_clock(self, seconds: int) -> None:
        """Shifts the wall clock of a preloaded process by ``seconds`` from the true time."""
        self._clock_s = seconds
        self._write_control()

    def set_read_only(self, *, is_read_only: bool) -> None:
        """Makes writes of a preloaded process fail, even to open files, or succeed again."""
        self._is_read_only = is_read_only
        self._write_control()

    def end(self) -> None:
        """Ends the sidecar and its file system."""
        self.client.close()
        self.kill()
        self._space.send_signal(signal.SIGKILL)
        self._space.wait()

    def _inside(self) -> list[str]:
        return ["nsenter", f"--mount=/proc/{self._space.pid}/ns/mnt", "--"]

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", PROGRAM, "serve", "--port", str(self._port)]
        with self._log.open("ab") as log:
            process = subprocess.Popen(
                [*self._inside(), *command], env=self._env, stdout=log, stderr=log
            )

        def answers() -> bool:
            assert process.poll() is None, self.log
            try:
                return ask("GET", f"{self.url}/healthz", timeout=PATIENCE_S).is_success
            except httpx.TransportError:
                return False

        until(answers, "the sidecar did not start")
        return process

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {(self.folder / 'token').read_text().strip()}"}

    def _write_control(self) -> None:
        """Writes the control file in place, because the process has it mapped."""
        content = _CONTROL.pack(self._clock_s, self._is_read_only)
        descriptor = os.open(self._control, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.pwrite(descriptor, content, 0)
        finally:
            os.close(descriptor)


@contextmanager
def run_confined_sidecar(
    folder: Path, size: str = "64m", *, preload: bool = False, **env: str
) -> Iterator[Confined]:
    """Yields a sidecar whose state has ``size`` of space, and ends it afterwards.

    If preloaded, its clock can be set, and its state can be made read-only.
    """
    served = Confined(folder, size, env, preload=preload)
    try:
        yield served
    finally:
        served.end()
