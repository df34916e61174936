"""Records the state of worker processes in memory that they share with their parent."""

from __future__ import annotations

import mmap
import time
from dataclasses import dataclass

# The columns of a row: numbers of eight bytes.
_BEAT, _CONNECTIONS, _STATE, _COLUMNS = range(4)
_BYTES = 8

# A worker whose event loop was silent for so long is ignored when sharing connections.
_ABSENT_S = 1.0

_FREE, _STARTING, _SERVING, _LEAVING = range(4)


@dataclass(frozen=True, slots=True)
class Row:
    """The last values of one worker: the time, in seconds of ``time.monotonic``, and its
    connections.
    """

    beat: float
    connections: int
    is_serving: bool
    is_starting: bool


class WorkerTable:
    """One row for every worker; a process writes its own row and reads all of them.

    It must be created before the workers are forked. There are no locks: each value is written
    at once, and a value that is slightly old does no harm. ``struct.pack_into`` clears the memory
    before it writes, so that another process could read a beat of 0.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._memory = memoryview(mmap.mmap(-1, rows * _COLUMNS * _BYTES)).cast("d")

    def take(self) -> int:
        """Returns the number of a free row, for a worker that is about to be forked."""
        for number in range(self._rows):
            if self._read(number, _STATE) == _FREE:
                self.beat(number, 0)
                self._write(number, _STATE, _STARTING)
                return number
        raise RuntimeError(f"all {self._rows} rows are taken")

    def free(self, number: int) -> None:
        """Gives the row of a worker that ended to the next one."""
        self._write(number, _STATE, _FREE)

    def serve(self, number: int) -> None:
        """Notes that the worker accepts connections."""
        self._write(number, _STATE, _SERVING)

    def leave(self, number: int) -> None:
        """Notes that the worker accepts no further connection."""
        self._write(number, _STATE, _LEAVING)

    def beat(self, number: int, connections: int) -> None:
        """Notes that the event loop of the worker runs, and how many connections it has."""
        self._write(number, _BEAT, time.monotonic())
        self._write(number, _CONNECTIONS, connections)

    def row(self, number: int) -> Row:
        """Returns what is known of one worker."""
        state = self._read(number, _STATE)
        connections = int(self._read(number, _CONNECTIONS))
        return Row(self._read(number, _BEAT), connections, state == _SERVING, state == _STARTING)

    def count_serving(self) -> int:
        """Returns how many workers accept connections."""
        return sum(self.row(number).is_serving for number in range(self._rows))

    def fewest_connections(self) -> int | None:
        """Returns the connections of the least busy worker that serves; None without any."""
        now = time.monotonic()
        rows = (self.row(number) for number in range(self._rows))
        counts = [row.connections for row in rows if row.is_serving and now - row.beat < _ABSENT_S]
        return min(counts, default=None)

    def _read(self, number: int, column: int) -> float:
        return self._memory[number * _COLUMNS + column]

    def _write(self, number: int, column: int, value: float) -> None:
        self._memory[number * _COLUMNS + column] = value
