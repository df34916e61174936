"""Runs the suites one after another: all of them, whatever fails, each timed against its budget.

`python -m scripts.test [SUITE...]` runs only the named ones.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runtime import install, n8n_package, n8n_server, paths
from scripts.suites import SUITES, Suite

_STATE = paths.ROOT / ".state"
_HANDED_OVER = "GROUNDED_TEST_N8N"
_PATIENCE = 3
_GRACE_S = 20
_SYSTEM = paths.ROOT / "scripts" / "system.sh"
_NO_TESTS = 5  # pytest's exit code when it collected nothing


@dataclass(frozen=True, slots=True)
class Result:
    """How one suite went; `seconds` beside the budget it was given."""

    suite: Suite
    seconds: float
    outcome: str


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
    results: list[Result] = []
    _STATE.mkdir(exist_ok=True)
    # A folder of its own: two runs in one checkout do not meet.
    state = Path(tempfile.mkdtemp(prefix="test-", dir=_STATE))
    try:
        for suite in chosen:
            for need, wanted_here in (
                ("browser", suite.needs_browser),
                ("postgres", suite.needs_postgres),
                ("octave", suite.needs_octave),
                ("scale", suite.needs_scale),
            ):
                if wanted_here:
                    # Without it the tests that need it fail, and say so.
                    subprocess.run([_SYSTEM, need], cwd=paths.ROOT, check=False)
            if suite.needs_n8n and _HANDED_OVER not in env:
                env[_HANDED_OVER] = str(_warm_n8n(state))
            results.append(_run(suite, env))
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    finally:
        n8n_server.stop(state)
        _keep_log(state)
        shutil.rmtree(state, ignore_errors=True)
    _table(results)
    return 0 if results and all(r.outcome == "ok" for r in results) else 1


def _warm_n8n(state: Path) -> Path:
    """Starts the one n8n of this run, from nothing, and returns its descriptor."""
    began = time.monotonic()
    n8n_package.provide(state / "n8n")
    server = n8n_server.start(state)
    descriptor = state / "handed-over.json"
    server.write(descriptor)
    print(f"\n== n8n for the tests at {server.url} ({time.monotonic() - began:.1f} s)", flush=True)
    return descriptor


def _keep_log(state: Path) -> None:
    log = state / "logs" / "n8n.log"
    if log.exists():
        log.replace(_STATE / "test-n8n.log")


def _run(suite: Suite, env: dict[str, str]) -> Result:
    began = time.monotonic()
    present = [path for path in suite.paths if (paths.ROOT / path).exists()]
    if suite.paths and not present:
        print(f"\n== {suite.name}: {' '.join(suite.paths)} not there", flush=True)
        return Result(suite, 0.0, "EMPTY")
    outcome = "ok"
    for command in suite.commands:
        full = [*command, *present] if suite.pytest else list(command)
        print(f"\n== {suite.name}: {' '.join(full)}", flush=True)
        code = _bounded(full, suite, env)
        if suite.pytest and code == _NO_TESTS and outcome == "ok":
            outcome = "EMPTY"
        elif code != 0:
            outcome = "FAILED"
    return Result(suite, time.monotonic() - began, outcome)


def _bounded(command: list[str], suite: Suite, env: dict[str, str]) -> int:
    """Runs one command of a suite; one that takes three budgets is ended with all it started."""
    child = subprocess.Popen(
        command,
        cwd=paths.ROOT / suite.cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        return child.wait(_PATIENCE * suite.budget_s)
    except subprocess.TimeoutExpired:
        print(f"== {suite.name}: ended after {_PATIENCE} times its budget", flush=True)
        return 1
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGTERM)
            try:
                child.wait(_GRACE_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()


def _table(results: Sequence[Result]) -> None:
    print(f"\n{'suite':<10}{'seconds':>9}{'budget':>9}  outcome")
    for result in results:
        late = "  over budget" if result.seconds > result.suite.budget_s else ""
        print(
            f"{result.suite.name:<10}{result.seconds:>9.1f}{result.suite.budget_s:>9}"
            f"  {result.outcome}{late}"
        )
    total = sum(result.seconds for result in results)
    print(f"{'all':<10}{total:>9.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
