"""Runs every measurement in its long form, one after another: `make evals`.

`python -m scripts.evals [NAME...]` runs only the named ones. Each prints its table as it goes; a
measurement that fails, or falls below its floor, does not stop those after it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence

from runtime import install, paths

_PYTEST = ("-m", "pytest", "-q")
_ON_POSTGRESQL = (*_PYTEST, "--database", "postgresql")
MEASUREMENTS: dict[str, tuple[tuple[str, ...], ...]] = {
    "faults": (("-m", "evals.faults"),),
    "repairs": (("-m", "evals.repairs"),),
    "leaves": (("-m", "evals.leaves"),),
    "conversations": (
        ("-m", "evals.conversations", "--replies", "evals/conversations/replies.jsonl", "--each"),
    ),
    "simulink-faults": tuple(
        ("-m", "evals.simulink_faults", *more) for more in ((), ("--second",), ("--third",))
    ),
    "differential": ((*_PYTEST, "evals/differential"),),
    "routing": (("-m", "evals.routing"),),
    "prompts": (("-m", "evals.prompts"),),
    "operations": (("-m", "evals.operations"),),
    "resolver": (("-m", "evals.bench.resolver"),),
    "bench": (("-m", "evals.bench"),),
    "alarms": (("-m", "evals.alarms"),),
    "drafts": (("-m", "evals.drafts"),),
    "rehearsal-hostile": (("-m", "evals.rehearsal_hostile"),),
    "requests": tuple(
        ("-m", "evals.requests", "--drafter", drafter)
        for drafter in ("planner", "local", "local+planner")
    ),
    "postgresql": ((*_ON_POSTGRESQL, "tests/api"),),
}
"""Arguments of Python, by the name of the measurement, in the order they run."""


def main(wanted: Sequence[str]) -> int:
    """Runs the measurements; returns 1 when any failed, 2 for an unknown name."""
    if unknown := set(wanted) - set(MEASUREMENTS):
        known = ", ".join(MEASUREMENTS)
        print(f"no measurement {', '.join(sorted(unknown))}; there are {known}", file=sys.stderr)
        return 2
    env = {**os.environ, "PATH": install.path_with_node()}
    env |= {"GROUNDED_N8N_DIR": str(paths.n8n_home()), "GROUNDED_NODE": str(paths.node())}
    outcomes: list[tuple[str, float, bool]] = []
    for name, commands in MEASUREMENTS.items():
        if wanted and name not in wanted:
            continue
        began, is_good = time.monotonic(), True
        for command in commands:
            print(f"\n== {name}: python {' '.join(command)}", flush=True)
            full = [sys.executable, *command]
            is_good &= subprocess.run(full, cwd=paths.ROOT, env=env, check=False).returncode == 0
        outcomes.append((name, time.monotonic() - began, is_good))
    print(f"\n{'measurement':<16}{'seconds':>9}  outcome")
    for name, seconds, is_good in outcomes:
        print(f"{name:<16}{seconds:>9.1f}  {'ok' if is_good else 'FAILED'}")
    return 0 if all(is_good for _, _, is_good in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
