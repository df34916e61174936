"""Either replica is killed under load; `python -m evals.bench.kills 50 --kind replica` is more."""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.queue_mode import Queue
from tests.support.random_kills import place

_KILLS = 2


def test_killed_replica_loses_and_doubles_nothing(
    tmp_path: Path, queue: Queue, catalog_file: Path
) -> None:
    """Conversations, jobs, imports, catalogs and tokens under way are there, once each."""
    moments = random.Random(1)
    catalog = catalog_file.read_bytes()
    with place("replica", tmp_path, queue.main, queue.state, catalog) as made:
        for _ in range(_KILLS):
            made.round(moments)
    assert made.cuts > 0, "no kill met a request"
