"""Runs ``grounded`` in forks of a process that has imported it, which saves the start-up time.

Runs share what that process has read of the catalog that ships, which costs more than most of them.

A process imports the program, then forks at each request (``serve``). The child calls the program
and exits without freeing its memory, which it shares with the parent (``call``).
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

_PROGRAM = """
import sys
from grounded_builder.interfaces.cli import main
from tests.support.forked_cli import call, serve
from tests.support.shipped_catalogs import warm_up
warm_up()
serve(int(sys.argv[1]))
call(main)
"""
_ROOT = Path(__file__).resolve().parents[2]
_LARGEST = 1 << 20
_OF_THE_START = ("PYTHON", "LD_", "LC_", "LANG", "TZ", "MALLOC_")
"""Prefixes of the variables that an interpreter only reads at start-up."""


class Forker:
    """A process that has imported the program; ends when this process ends."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = f"{_ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}".rstrip(os.pathsep)
        environ = {key: os.environ[key] for key in os.environ if not key.startswith("GROUNDED_")}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**environ, "PYTHONPATH": path},
                pass_fds=[theirs.fileno()],
            )

    def run(
        self, arguments: tuple[str, ...], given: bytes, cwd: Path | None, env: dict[str, str]
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs the program once, with the arguments, standard input, folder and environment."""
        request = json.dumps([list(arguments), str(cwd or Path.cwd()), env]).encode()
        with (
            tempfile.TemporaryFile() as stdin,
            tempfile.TemporaryFile() as stdout,
            tempfile.TemporaryFile() as stderr,
        ):
            stdin.write(given)
            stdin.seek(0)
            files = [stdin.fileno(), stdout.fileno(), stderr.fileno()]
            socket.send_fds(self._socket, [request], files)
            try:
                answer = self._socket.recv(64)
            except TimeoutError:
                self._process.kill()
                forker.cache_clear()
                raise
            assert answer, "the process that forks the program has ended"
            stdout.seek(0)
            stderr.seek(0)
            return subprocess.CompletedProcess(arguments, int(answer), stdout.read(), stderr.read())


def can_fork(env: dict[str, str]) -> bool:
    """Checks whether a fork suffices: start-up variables must equal those of this process."""
    mine = {key: value for key, value in os.environ.items() if key.startswith(_OF_THE_START)}
    return mine == {key: value for key, value in env.items() if key.startswith(_OF_THE_START)}


@cache
def forker(timeout_s: float) -> Forker:
    """Returns the forking process of this test run, with a time limit for each run."""
    made = Forker()
    made._socket.settimeout(timeout_s)
    return made


def serve(descriptor: int) -> None:
    """Forks for each request and returns in the child; exits after the last request."""
    requests = socket.socket(fileno=descriptor)
    gc.collect()
    gc.freeze()
    while True:
        content, files, _, _ = socket.recv_fds(requests, _LARGEST, 3)
        if not content:
            os._exit(0)
        child = os.fork()
        if not child:
            break
        for file in files:
            os.close(file)
        _, status = os.waitpid(child, 0)
        requests.send(str(os.waitstatus_to_exitcode(status)).encode())
    requests.close()
    arguments, folder, env = json.loads(content)
    for standard, file in enumerate(files):
        os.dup2(file, standard)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv[1:] = arguments


def call(program: Callable[[], Any]) -> NoReturn:
    """Calls the program and exits with its code, as the interpreter does."""
    code: object = 0
    try:
        program()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001 - as an interpreter, prints the traceback and fails
        traceback.print_exc()
        code = 1
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code & 0xFF)
