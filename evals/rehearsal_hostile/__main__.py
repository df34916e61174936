"""Rehearses hostile workflows, and counts from outside the bytes that leave the machine.

``python -m evals.rehearsal_hostile [--count N] [--first N] [--at-once N] [--refuse-namespaces]``
makes the workflows of these numbers and rehearses them in programs of their own; with
``--refuse-namespaces`` the kernel refuses them namespaces. Needs the right to read packets.
Prints a table, and ends with 1 if anything left, was read, was left behind, or ran without bound.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from evals.rehearsal_hostile.batch import PLANTED
from evals.rehearsal_hostile.targets import Targets, Watch, list_networks

PACKAGE = Path(__file__).parent / "package"
"""The hostile package."""
PACKAGE_NAME = "n8n-nodes-hostile"
PACKAGES = ".n8n/nodes/node_modules"
"""The folder with packages in that of an n8n."""
_REFUSING = ("unshare", "-Ur", "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"')
_LONGEST_S = 60.0
_CONTROL_S = 5.0
# The sleep of a program that a hostile node starts.
_LEFT_RUNNING = b"sleep\x004243\x00"
_WRITTEN_TO = ("/tmp", "/var/tmp", "/usr", "/etc", "/dev/shm", "/root")  # noqa: S108 - aims


@dataclass(slots=True)
class Report:
    """What became of all workflows, and what was seen from outside."""

    outcomes: list[Mapping[str, Any]] = field(default_factory=list)
    stages: list[Mapping[str, Any]] = field(default_factory=list)
    control_bytes: int = 0
    bytes_out: int = 0
    arrived: int = 0
    missed: int = 0
    places: Mapping[str, int] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def list_faults(self) -> Iterator[str]:
        """Yields what must not be, in words."""
        if self.bytes_out or self.arrived:
            yield f"{self.bytes_out} bytes left, {self.arrived} reached a listener of the machine"
        if self.missed:
            yield f"{self.missed} packets were not read by the measurement"
        yield from (f"left behind: {name}" for name in self.left)
        for outcome in self.outcomes:
            name = f"{outcome['number']} ({outcome['kind']})"
            if outcome.get("secret_seen"):
                yield f"{name} saw a secret"
            if outcome.get("able"):
                yield f"{name} was able to {', '.join(outcome['able'])}"
            if outcome["seconds"] > _LONGEST_S:
                yield f"{name} took {outcome['seconds']} s"


def measure(first: int, count: int, at_once: int = 1, *, refuse_namespaces: bool = False) -> Report:
    """Rehearses the hostile workflows with the numbers from ``first`` on."""
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    mark, secret = f"gb{secrets.token_hex(6)}", secrets.token_hex(16)
    (folder / "outside").mkdir()
    (folder / "secret").write_text(secret)
    shutil.copytree(PACKAGE, folder / "user" / PACKAGES / PACKAGE_NAME)
    report = Report()
    # Stages of others may hold programs of the same hostile package.
    others = frozenset(_list_programs_left(mark))
    try:
        with Watch(mark, folder) as watch:
            report.control_bytes = check_watch(watch, mark)
            watch.reset()
            targets = Targets(
                mark,
                watch.port,
                watch.door,
                str(folder / "secret"),
                str(folder / "outside"),
                os.getpid(),
            )
            with ThreadPoolExecutor(at_once) as pool:
                batches = [
                    pool.submit(
                        _run_batch,
                        {
                            "first": first + number,
                            "count": len(range(number, count, at_once)),
                            "step": at_once,
                            "user_folder": str(folder / "user"),
                            "targets": asdict(targets),
                        },
                        secret,
                        refuse_namespaces,
                    )
                    for number in range(at_once)
                ]
                for batch in batches:
                    stage, *outcomes = batch.result()
                    report.stages.append(stage)
                    report.outcomes.extend(outcomes)
            time.sleep(1)
            report.bytes_out, report.arrived = watch.bytes_out, watch.arrived
            report.missed = watch.count_missed()
            report.places = dict(watch.places)
        packages = folder / "user" / PACKAGES
        report.left = [
            *list_files_left(folder / "outside", packages, mark),
            *(name for name in _list_programs_left(mark) if name not in others),
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return report


def check_watch(watch: Watch, mark: str) -> int:
    """Sends what must be seen, and returns the number of bytes seen; SystemExit for none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.sendto(mark.encode(), (str(list_networks(mark)[0][9]), 9))
    with socket.create_connection(("127.0.0.1", watch.port), 5) as out:
        out.send(mark.encode())
    deadline = time.monotonic() + _CONTROL_S
    while not (watch.bytes_out and watch.arrived) and time.monotonic() < deadline:
        time.sleep(0.05)
    if not (watch.bytes_out and watch.arrived):
        raise SystemExit("the measurement does not see what this program itself sends")
    # The connection of this check is counted to its end.
    time.sleep(0.5)
    return watch.bytes_out + watch.arrived


def _run_batch(
    order: Mapping[str, Any], secret: str, refuse_namespaces: bool
) -> list[Mapping[str, Any]]:
    prefix = (*_REFUSING, "-") if refuse_namespaces else ()
    command = [*prefix, sys.executable, "-m", "evals.rehearsal_hostile.batch"]
    done = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, PLANTED: secret},
    )
    if done.stdin is None or done.stdout is None:
        raise RuntimeError("the program has no standard streams")
    done.stdin.write(json.dumps(order) + "\n")
    done.stdin.flush()
    lines = []
    for line in done.stdout:
        lines.append(json.loads(line))
        if os.environ.get("GROUNDED_SHOW"):
            print(line.strip()[:400], flush=True)
    done.stdin.close()
    if done.wait() != 0:
        raise RuntimeError(f"a batch of hostile workflows ended with {done.returncode}")
    return lines


def list_files_left(outside: Path, packages: Path, mark: str) -> Iterator[str]:
    """Yields files that were written outside of the stage."""
    for place in (outside, *map(Path, _WRITTEN_TO)):
        yield from (
            str(path) for path in place.glob("*") if mark in path.name or path.name == "left"
        )
    manifest = packages / PACKAGE_NAME / "package.json"
    if manifest.read_bytes() != (PACKAGE / "package.json").read_bytes():
        yield "a changed package"


def _list_programs_left(mark: str) -> Iterator[str]:
    """Yields programs that hostile workflows started and that still run."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if line == _LEFT_RUNNING or mark.encode() in line:
            yield f"process {folder.name}: {line.decode('utf-8', 'replace')[:100]}"


def _print(report: Report) -> None:
    isolated = sum(bool(stage["isolated"]) for stage in report.stages)
    print(f"rehearsals: {len(report.outcomes)}, stages {len(report.stages)}, isolated {isolated}")
    for gap in {gap for stage in report.stages for gap in stage["gaps"]}:
        print(f"  not prevented: {gap}")
    kinds = Counter((outcome["kind"], outcome["status"]) for outcome in report.outcomes)
    for (kind, status), number in sorted(kinds.items()):
        print(f"  {kind:20} {status:14} {number}")
    slowest = max(report.outcomes, key=lambda outcome: outcome["seconds"])
    print(f"slowest: {slowest['seconds']} s ({slowest['kind']})")
    print(f"bytes seen of a message sent on purpose: {report.control_bytes}")
    print(f"bytes that left: {report.bytes_out}; bytes at listeners: {report.arrived}")
    for place, size in report.places.items():
        print(f"  {size:>8} to {place}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; returns 1 if there is a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--refuse-namespaces", action="store_true")
    options = parser.parse_args(arguments)
    report = measure(
        options.first,
        options.count,
        options.at_once,
        refuse_namespaces=options.refuse_namespaces,
    )
    _print(report)
    faults = list(report.list_faults())
    print("\n".join(faults[:50]) or "no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
