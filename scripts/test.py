"""Runs all suites in parallel lanes, whatever fails, and compares their times with their budgets.

`python -m scripts.test [SUITE...]` runs only the named ones. A single suite prints as it runs. Of
several, each is printed whole when it ends; until then its output is in `.state/test-SUITE.log`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from runtime import install, n8n_package, n8n_server, paths
from scripts.suites import LANES, N8N_SERVERS, SUITES, Suite

_STATE = paths.ROOT / ".state"
_HANDED_OVER = "GROUNDED_TEST_N8N"
_N8N_STATE = "n8n-"
_LINES_OF_A_FAILURE = 60
# A suite is ended after this multiple of its budget; a busy machine takes four times as long.
_MOST_BUDGETS = 6
_GRACE_S = 20
_SYSTEM = paths.ROOT / "scripts" / "system.sh"
_NO_TESTS = 5  # pytest's exit code when it collected nothing
_SIGNALLED = 130


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one suite, and the seconds it took."""

    suite: Suite
    seconds: float
    outcome: str


@dataclass
class Queue:
    """The waiting suites in order; a suite that needs an n8n waits while all are in use."""

    waiting: list[Suite]
    idle_servers: int = N8N_SERVERS
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self) -> Suite | None:
        """Returns the first suite that may start, or None if no suite is left."""
        with self.changed:
            while self.waiting:
                for suite in self.waiting:
                    if self.idle_servers or not suite.needs_n8n:
                        self.waiting.remove(suite)
                        self.idle_servers -= suite.needs_n8n
                        return suite
                self.changed.wait()
            return None

    def give_back(self, suite: Suite) -> None:
        """Releases the n8n of a suite, so that a waiting one can start."""
        with self.changed:
            self.idle_servers += suite.needs_n8n
            self.changed.notify_all()

    def clear(self) -> None:
        """Discards the waiting suites."""
        with self.changed:
            self.waiting.clear()
            self.changed.notify_all()


class Run:
    """One run of `make test`: the environment of its suites, and its processes."""

    def __init__(self, state: Path, env: dict[str, str], *, streams: bool) -> None:
        self._state, self._env, self._streams = state, env, streams
        self._children: set[subprocess.Popen[bytes]] = set()
        self._printing, self._starting = threading.Lock(), threading.Lock()
        self._ends = False
        self._idle_servers: list[Path] = []

    def run_all(self, chosen: Sequence[Suite]) -> list[Result]:
        """Runs the suites, at most `LANES` at once, and returns their results in order."""
        queue = Queue(list(chosen))
        results: list[Result] = []

        def work() -> None:
            while (suite := queue.take()) is not None:
                try:
                    results.append(self._run(suite))
                except Exception as error:  # noqa: BLE001 - the other suites still run
                    self._print(f"== {suite.name}: {error!r}")
                    results.append(Result(suite, 0.0, "FAILED"))
                finally:
                    queue.give_back(suite)

        lanes = [threading.Thread(target=work, daemon=True) for _ in range(LANES)]
        for lane in lanes:
            lane.start()
        try:
            for lane in lanes:
                lane.join()
        except KeyboardInterrupt:
            queue.clear()
            self._ends = True
            for child in tuple(self._children):
                end_group(child)
            for lane in lanes:
                lane.join()
            raise
        return sorted(results, key=lambda result: SUITES.index(result.suite))

    def _run(self, suite: Suite) -> Result:
        present = [path for path in suite.paths if (paths.ROOT / path).exists()]
        if suite.paths and not present:
            self._print(f"== {suite.name}: {' '.join(suite.paths)} not there")
            return Result(suite, 0.0, "EMPTY")
        self._provide(suite)
        server = self._take_server() if suite.needs_n8n else None
        try:
            return self._run_commands(suite, present, server)
        finally:
            if server is not None:
                self._idle_servers.append(server)

    def _run_commands(self, suite: Suite, present: list[str], server: Path | None) -> Result:
        began = time.monotonic()
        outcome = "ok"
        env = self._env if server is None else {**self._env, _HANDED_OVER: str(server)}
        with self._output(suite) as out:
            for command in suite.commands:
                full = [*command, *present] if suite.pytest else list(command)
                header = f"\n== {suite.name}: {' '.join(full)}\n"
                if out is None:
                    print(header, end="", flush=True)
                else:
                    out.write(header.encode())
                    out.flush()
                code = self._run_bounded(full, suite, env, out)
                if suite.pytest and code == _NO_TESTS and outcome == "ok":
                    outcome = "EMPTY"
                elif code != 0:
                    outcome = "FAILED"
                if self._ends:
                    break
        return Result(suite, time.monotonic() - began, outcome)

    def _provide(self, suite: Suite) -> None:
        """Installs and starts what a suite needs, for one suite at a time."""
        with self._starting:
            for need in suite.needs:
                # If it cannot be provided, the tests that need it fail and name it.
                subprocess.run([_SYSTEM, need], cwd=paths.ROOT, check=False)

    def _take_server(self) -> Path:
        """Returns the descriptor of an unused n8n; starts one if there is none."""
        with self._starting:
            if self._idle_servers:
                return self._idle_servers.pop()
            began = time.monotonic()
            state = Path(tempfile.mkdtemp(prefix=_N8N_STATE, dir=self._state))
            descriptor = start_n8n(state)
            self._print(f"== n8n for the tests ({time.monotonic() - began:.1f} s)")
            return descriptor

    @contextmanager
    def _output(self, suite: Suite) -> Iterator[IO[bytes] | None]:
        """Yields the file for a suite's output, printed at the end, or None for the terminal."""
        if self._streams:
            yield None
            return
        log = _STATE / f"test-{suite.name}.log"
        self._print(f"== {suite.name} begins")
        try:
            with log.open("wb") as out:
                yield out
        finally:
            self._print(log.read_text(errors="replace").rstrip())

    def _print(self, text: str) -> None:
        with self._printing:
            print(text, flush=True)

    def _run_bounded(
        self, command: list[str], suite: Suite, env: dict[str, str], out: IO[bytes] | None
    ) -> int:
        """Runs one command, and ends its process group when it exceeds its budget several times."""
        child = subprocess.Popen(
            command,
            cwd=paths.ROOT / suite.cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=None if out is None else subprocess.STDOUT,
            process_group=0,
        )
        self._children.add(child)
        try:
            return child.wait(_MOST_BUDGETS * suite.budget_s)
        except subprocess.TimeoutExpired:
            self._print(f"== {suite.name}: ended after {_MOST_BUDGETS} times its budget")
            return 1
        finally:
            end_group(child)
            self._children.discard(child)


def main(wanted: Sequence[str]) -> int:
    """Runs the suites; returns 1 if any failed or had no tests."""
    unknown = set(wanted) - {suite.name for suite in SUITES}
    if unknown:
        known = ", ".join(suite.name for suite in SUITES)
        print(f"no suite {', '.join(sorted(unknown))}; there are {known}", file=sys.stderr)
        return 2
    chosen = [suite for suite in SUITES if not wanted or suite.name in wanted]
    env = {
        **os.environ,
        "GROUNDED_N8N_DIR": str(paths.n8n_home()),
        "GROUNDED_NODE": str(paths.node()),
        "PATH": install.path_with_node(),
    }
    _STATE.mkdir(exist_ok=True)
    # Each run has its own folder: two runs in one checkout do not conflict.
    state = Path(tempfile.mkdtemp(prefix="test-", dir=_STATE))
    began = time.monotonic()
    try:
        results = Run(state, env, streams=len(chosen) == 1).run_all(chosen)
    except KeyboardInterrupt:
        print("\ninterrupted")
        return _SIGNALLED
    finally:
        for folder in state.glob(f"{_N8N_STATE}*"):
            n8n_server.stop(folder)
            keep_log(folder)
        shutil.rmtree(state, ignore_errors=True)
    print_table(results, time.monotonic() - began)
    print_failures(results)
    return 0 if results and all(r.outcome == "ok" for r in results) else 1


def start_n8n(state: Path) -> Path:
    """Starts an n8n with an empty folder, and returns its descriptor."""
    n8n_package.provide(state / "n8n")
    server = n8n_server.start(state)
    descriptor = state / "handed-over.json"
    server.write(descriptor)
    return descriptor


def keep_log(state: Path) -> None:
    """Moves the log of an n8n of this run to the state folder."""
    log = state / "logs" / "n8n.log"
    if log.exists():
        log.replace(_STATE / f"test-{state.name}.log")


def end_group(child: subprocess.Popen[bytes]) -> None:
    """Ends the process group of a process that still runs."""
    if child.poll() is not None:
        return
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def print_table(results: Sequence[Result], took_s: float) -> None:
    """Prints the seconds and the budget of each suite, and the seconds of the whole run."""
    print(f"\n{'suite':<16}{'seconds':>9}{'budget':>9}  outcome")
    for result in results:
        late = "  over budget" if result.seconds > result.suite.budget_s else ""
        print(
            f"{result.suite.name:<16}{result.seconds:>9.1f}{result.suite.budget_s:>9}"
            f"  {result.outcome}{late}"
        )
    print(f"{'wall clock':<16}{took_s:>9.1f}", flush=True)


def print_failures(results: Sequence[Result]) -> None:
    """Prints the last lines of each failed suite."""
    for result in results:
        log = _STATE / f"test-{result.suite.name}.log"
        if result.outcome != "ok" and log.exists():
            lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_A_FAILURE:]
            print(f"\n== the end of {log.relative_to(paths.ROOT)}", *lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
