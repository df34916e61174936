"""Kills processes at random moments under load, and counts lost and duplicate effects by kind.

``python -m evals.bench.kills [N]`` completes N rounds in total, 300 by default. A tenth of them use
n8n, which starts slowly; the other kinds share the rest. Rounds recorded in ``.state/kills.jsonl``
count, so an interrupted run resumes. The run pauses while the file that GROUNDED_PAUSE names
(``/tmp/quiet``) exists.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime import install, n8n_server, paths
from runtime.n8n_server import N8nServer
from tests.support.n8n_server import provide_catalog
from tests.support.random_kills import KINDS, place

_RECORDS = paths.ROOT / ".state" / "kills.jsonl"
_PAUSE = Path(os.environ.get("GROUNDED_PAUSE", "/tmp/quiet"))  # noqa: S108 - only checked
_AT_A_TIME = 10


def main() -> int:
    """Runs the missing rounds; returns 1 if anything was lost or duplicated."""
    parser = argparse.ArgumentParser(prog="evals.bench.kills")
    parser.add_argument("rounds", type=int, nargs="?", default=300)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--anew", action="store_true", help="discard the recorded rounds")
    asked = parser.parse_args()
    kinds = asked.kind or list(KINDS)
    _RECORDS.parent.mkdir(exist_ok=True)
    if asked.anew:
        _RECORDS.unlink(missing_ok=True)
    # On SIGTERM, exits normally so that child processes are ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    install.install()
    weights = {kind: 1 if kind == "n8n" else 3 for kind in kinds}
    wanted = {kind: asked.rounds * weights[kind] // sum(weights.values()) for kind in kinds}
    wanted[kinds[0]] += asked.rounds - sum(wanted.values())
    with _run_n8n() as (first, state):
        server = first
        while missing := [kind for kind in kinds if _count_rounds()[kind] < wanted[kind]]:
            # Runs a few of each kind in turn, so that an interrupted run has some of all.
            for kind in missing:
                left = wanted[kind] - _count_rounds()[kind]
                server = _run_rounds(kind, min(left, _AT_A_TIME), server, state)
    return _print_table(kinds)


def _run_rounds(kind: str, count: int, server: N8nServer, state: Path) -> N8nServer:
    """Runs up to ``count`` rounds of a kind until one fails; returns the n8n that runs then."""
    with (
        tempfile.TemporaryDirectory(prefix="kills-", dir=paths.ROOT / ".state") as folder,
        place(kind, Path(folder), server, state, provide_catalog().read_bytes()) as made,
    ):
        for _ in range(count):
            while _PAUSE.exists():
                time.sleep(1)
            seed = random.randrange(1 << 32)
            before, began = made.cuts, time.monotonic()
            problem = None
            try:
                made.round(random.Random(seed))
            except Exception:  # noqa: BLE001 - any failure is the result
                problem = traceback.format_exc()
            took = round(time.monotonic() - began, 2)
            facts = {"cut": made.cuts > before, "seconds": took, "problem": problem}
            with _RECORDS.open("a") as file:
                file.write(json.dumps({"kind": kind, "seed": seed, **facts}) + "\n")
            print(kind, "ok" if problem is None else problem, f"{took} s", flush=True)
            if problem is not None:
                break  # what a failed round leaves behind would count twice
        return made.n8n


def _count_rounds() -> Counter[str]:
    return Counter(str(round_["kind"]) for round_ in _read_rounds())


def _read_rounds() -> list[dict[str, object]]:
    if not _RECORDS.exists():
        return []
    return [json.loads(line) for line in _RECORDS.read_text().splitlines()]


def _print_table(kinds: list[str]) -> int:
    rounds = _read_rounds()
    print(f"{'killed':<12}{'rounds':>8}{'in a request':>14}{'nothing lost or doubled':>25}")
    for kind in kinds:
        mine = [round_ for round_ in rounds if round_["kind"] == kind]
        whole = sum(item["problem"] is None for item in mine)
        print(f"{kind:<12}{len(mine):>8}{sum(bool(item['cut']) for item in mine):>14}{whole:>25}")
    whole = sum(round_["problem"] is None for round_ in rounds)
    print(f"{'all':<12}{len(rounds):>8}{'':>14}{whole:>25}")
    return 0 if whole == len(rounds) else 1


@contextmanager
def _run_n8n() -> Iterator[tuple[N8nServer, Path]]:
    with tempfile.TemporaryDirectory(prefix="kills-n8n-", dir=paths.ROOT / ".state") as folder:
        state = Path(folder)
        try:
            yield n8n_server.start(state), state
        finally:
            n8n_server.stop(state)


if __name__ == "__main__":
    sys.exit(main())
