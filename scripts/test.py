"""Runs the suites in lanes side by side: all of them, whatever fails, timed against their budgets.

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
# Budgets a suite may take before it is ended: a busy machine needs four times as long.
_MOST_BUDGETS = 6
_GRACE_S = 20
_SYSTEM = paths.ROOT / "scripts" / "system.sh"
_NO_TESTS = 5  # pytest's exit code when it collected nothing
_SIGNALLED = 130


@dataclass(frozen=True, slots=True)
class Result:
    """How one suite went; `seconds` beside the budget it was given."""

    suite: Suite
    seconds: float
    outcome: str


@dataclass
class Queue:
    """The suites that wait, in order; one that needs an n8n waits while all are in use."""

    waiting: list[Suite]
    idle_servers: int = N8N_SERVERS
    changed: threading.Condition = field(default_factory=threading.Condition)

    def take(self) -> Suite | None:
        """Returns the first suite that may start, None when no suite is left."""
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
        """Lets a suite start that waits for the n8n of this one."""
        with self.changed:
            self.idle_servers += suite.needs_n8n
            self.changed.notify_all()

    def clear(self) -> None:
        """Lets no further suite start."""
        with self.changed:
            self.waiting.clear()
            self.changed.notify_all()


class Run:
    """One run of `make test`: the environment of its suites, and the processes that it started."""

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
        """Installs and starts what the suite needs: one suite at a time, each thing once."""
        with self._starting:
            for need in suite.needs:
                # Without it the tests that need it fail, and name it.
                subprocess.run([_SYSTEM, need], cwd=paths.ROOT, check=False)

    def _take_server(self) -> Path:
        """Returns the descriptor of an n8n that no suite uses; starts one where there is none."""
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
        """Yields the file for the output of a suite, printed in the end; None for the terminal."""
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
        """Runs one command; one that takes too many budgets is ended with all it started."""
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
    """Runs the suites; 1 when any failed or had no test."""
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
    # A folder of its own: two runs in one checkout do not meet.
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
    """Starts an n8n from nothing, and returns its descriptor."""
    n8n_package.provide(state / "n8n")
    server = n8n_server.start(state)
    descriptor = state / "handed-over.json"
    server.write(descriptor)
    return descriptor


def keep_log(state: Path) -> None:
    """Keeps the log of an n8n of this run for whoever looks for a fault."""
    log = state / "logs" / "n8n.log"
    if log.exists():
        log.replace(_STATE / f"test-{state.name}.log")


def end_group(child: subprocess.Popen[bytes]) -> None:
    """Ends a process that still runs, with all that it started."""
    if child.poll() is not None:
        return
    os.killpg(child.pid, signal.SIGTERM)
    try:
        child.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def print_table(results: Sequence[Result], took_s: float) -> None:
    """Prints the seconds of each suite beside its budget, and those of the whole run."""
    print(f"\n{'suite':<16}{'seconds':>9}{'budget':>9}  outcome")
    for result in results:
        late = "  over budget" if result.seconds > result.suite.budget_s else ""
        print(
            f"{result.suite.name:<16}{result.seconds:>9.1f}{result.suite.budget_s:>9}"
            f"  {result.outcome}{late}"
        )
    print(f"{'wall clock':<16}{took_s:>9.1f}", flush=True)


def print_failures(results: Sequence[Result]) -> None:
    """Prints the end of the output of each suite that failed, after everything else."""
    for result in results:
        log = _STATE / f"test-{result.suite.name}.log"
        if result.outcome != "ok" and log.exists():
            lines = log.read_text(errors="replace").splitlines()[-_LINES_OF_A_FAILURE:]
            print(f"\n== the end of {log.relative_to(paths.ROOT)}", *lines, sep="\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
