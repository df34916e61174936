"""Tests of the table in which worker processes record their state."""

from __future__ import annotations

import os
import signal
import time

from grounded_builder.interfaces.http.worker_table import WorkerTable

_READS = 200_000


def test_another_process_reads_no_half_written_beat() -> None:
    """A reader would otherwise see a beat of 0, and the worker would be ended as silent."""
    table = WorkerTable(1)
    number = table.take()
    began = time.monotonic()
    pid = os.fork()
    if not pid:
        while True:
            table.beat(number, 3)
    try:
        assert min(table.row(number).beat for _ in range(_READS)) >= began - 1
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_rows_are_taken_again_after_their_workers_end() -> None:
    """A free row is the next worker's, and only serving workers are counted."""
    table = WorkerTable(2)
    rows = [table.take(), table.take()]
    table.serve(rows[0])
    assert (table.count_serving(), table.row(rows[1]).is_starting) == (1, True)
    table.free(rows[0])
    assert (table.take(), table.count_serving()) == (rows[0], 0)
