"""The long run: `python -m tests.fuzz --minutes 60 --processes 2`, ended and gone on with at will.

Every target in turn gets a slice of time in a process of its own. What is new stays under
`.state/fuzz`: the corpus that coverage led to, the count of cases, and each input that broke a
law, which ends the slices of its target until it is run by name again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from tests.fuzz.target import CORPUS, LONGEST
from tests.fuzz.targets import TARGETS

_PUBLISHED = "published"
_NAMES = (*TARGETS, _PUBLISHED)

STATE = Path(".state") / "fuzz"
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
_MEMORY_MB = 2_000
_HANG_S = 900
_GRACE_S = 120


@dataclass(slots=True)
class Ledger:
    """Counts of cases and of broken laws by target, in a file that each slice writes again."""

    path: Path
    lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self) -> dict[str, dict[str, int]]:
        """Return the counts, none where nothing has been run."""
        if not self.path.exists():
            return {}
        counts: dict[str, dict[str, int]] = json.loads(self.path.read_text("utf-8"))
        return counts

    def add(self, name: str, cases: int, failures: int) -> None:
        """Add what one slice has run."""
        with self.lock:
            counts = self.read()
            row = counts.setdefault(name, {"cases": 0, "failures": 0})
            row["cases"] += cases
            row["failures"] += failures
            fresh = self.path.with_suffix(".new")
            fresh.write_text(json.dumps(counts, indent=2) + "\n", "utf-8")
            fresh.replace(self.path)


def main(arguments: Sequence[str]) -> int:
    """Run slices until time or count is reached; 1 when a law was broken, 2 without the fuzzer."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to run")
    parser.add_argument("--cases", type=int, default=0, help="end at this many cases in all")
    parser.add_argument("--processes", type=int, default=1, help="slices at a time")
    parser.add_argument("--slice", type=int, default=45, help="seconds of one slice")
    parser.add_argument("--pause", type=Path, help="wait while this file is there")
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(_NAMES)}; all without")
    wanted = parser.parse_args(arguments)
    unknown = sorted(set(wanted.targets) - set(_NAMES))
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(_NAMES)}")
    STATE.mkdir(parents=True, exist_ok=True)
    run = _Run(wanted, Ledger(STATE / "counts.json"))
    threads = [threading.Thread(target=run.work) for _ in range(wanted.processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show(run.ledger.read())
    return 1 if run.failed else 0


def show(counts: dict[str, dict[str, int]]) -> None:
    """Print the counts of every target, and in all."""
    for name, row in counts.items():
        print(f"{name:<18}{row['cases']:>12,} cases{row['failures']:>6} failures")
    print(f"{'all':<18}{sum(row['cases'] for row in counts.values()):>12,} cases")


class _Run:
    """Workers that take targets in turn from one list."""

    def __init__(self, wanted: argparse.Namespace, ledger: Ledger) -> None:
        self.ledger = ledger
        self.failed: set[str] = set()
        self._wanted = wanted
        self._end = time.monotonic() + wanted.minutes * 60
        self._turns = cycle(wanted.targets or _NAMES)
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def work(self) -> None:
        """Run slices one after another until the run is over."""
        while (name := self._next()) is not None:
            try:
                self._slice(name)
            finally:
                with self._lock:
                    self._busy.discard(name)

    def _next(self) -> str | None:
        while not self._over():
            with self._lock:
                for _ in _NAMES:
                    name: str = next(self._turns)
                    if name not in self.failed and name not in self._busy:
                        self._busy.add(name)
                        return name
                if len(self.failed) >= len(self._wanted.targets or _NAMES):
                    return None
            time.sleep(1)
        return None

    def _over(self) -> bool:
        bound: int = self._wanted.cases
        counted = sum(row["cases"] for row in self.ledger.read().values()) if bound else 0
        return time.monotonic() >= self._end or counted >= bound > 0

    def _slice(self, name: str) -> None:
        log = STATE / f"{name}.log"
        command = [sys.executable, "-m", f"tests.fuzz.{_PUBLISHED}", str(self._wanted.slice)]
        if name != _PUBLISHED:
            command = self._fuzzer(name)
        # libFuzzer ends a process without letting it remove what it put into a folder.
        with log.open("wb") as output, tempfile.TemporaryDirectory(dir=STATE) as scratch:
            child = subprocess.Popen(
                command,
                stdout=output,
                stderr=subprocess.STDOUT,
                process_group=0,
                env={**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": str(Path(scratch).absolute())},
            )
            code = self._wait(child)
        match = _EXECUTED.search(log.read_text("utf-8", "replace"))
        cases = int(match.group(1)) if match else 0
        self.ledger.add(name, cases, failures=int(code != 0))
        print(
            f"{name}: {cases:,} cases{'' if code == 0 else f', ended with {code}: {log}'}",
            flush=True,
        )
        if code != 0:
            self.failed.add(name)

    def _fuzzer(self, name: str) -> list[str]:
        """The command of one slice under atheris."""
        own = STATE / "corpus" / name
        broken = STATE / "broken"
        for folder in (own, broken):
            folder.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(TARGETS[name].seeds()):
            (own / f"seed-{number}").write_bytes(seed)
        saved = [str(CORPUS / name)] if TARGETS[name].list_saved_inputs() else []
        return [
            *(sys.executable, "-m", "tests.fuzz.worker", name, f"-max_len={LONGEST}"),
            *(f"-max_total_time={self._wanted.slice}", "-print_final_stats=1", "-verbosity=1"),
            *(f"-rss_limit_mb={_MEMORY_MB}", f"-timeout={_HANG_S}", "-use_value_profile=0"),
            *(f"-artifact_prefix={broken}/{name}-", str(own), *saved),
        ]

    def _wait(self, child: subprocess.Popen[bytes]) -> int:
        """Wait for a slice; it stands still while the pausing file is there."""
        pause: Path | None = self._wanted.pause
        stopped, running_s = False, 0.0
        while child.poll() is None:
            should_stop = pause is not None and pause.exists()
            if should_stop != stopped:
                os.killpg(child.pid, signal.SIGSTOP if should_stop else signal.SIGCONT)
                stopped = should_stop
            time.sleep(0.5)
            running_s += 0.0 if stopped else 0.5
            if running_s > self._wanted.slice + _HANG_S + _GRACE_S:
                os.killpg(child.pid, signal.SIGKILL)
        return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
