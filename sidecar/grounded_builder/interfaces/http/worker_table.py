"""Records the state of worker processes in memory that they share with their parent."""

from __future__ import annotations

import mmap
import struct
import time
from dataclasses import dataclass

_ROW = struct.Struct("=dII")
_BEAT = struct.Struct("=d")
_CONNECTIONS = struct.Struct("=I")

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
    atomically, and a value that is slightly old does no harm.
    """

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._memory = mmap.mmap(-1, rows * _ROW.size)

    def take(self) -> int:
        """Returns the number of a free row, for a worker that is about to be forked."""
        for number in range(self._rows):
            if self._state(number) == _FREE:
                self._memory[number * _ROW.size : (number + 1) * _ROW.size] = _ROW.pack(
                    time.monotonic(), 0, _STARTING
                )
                return number
        raise RuntimeError(f"all {self._rows} rows are taken")

    def free(self, number: int) -> None:
        """Gives the row of a worker that ended to the next one."""
        self._set_state(number, _FREE)

    def serve(self, number: int) -> None:
        """Notes that the worker accepts connections."""
        self._set_state(number, _SERVING)

    def leave(self, number: int) -> None:
        """Notes that the worker accepts no further connection."""
        self._set_state(number, _LEAVING)

    def beat(self, number: int, connections: int) -> None:
        """Notes that the event loop of the worker runs, and how many connections it has."""
        start = number * _ROW.size
        _BEAT.pack_into(self._memory, start, time.monotonic())
        _CONNECTIONS.pack_into(self._memory, start + _BEAT.size, connections)

    def row(self, number: int) -> Row:
        """Returns what is known of one worker."""
        beat, connections, state = _ROW.unpack_from(self._memory, number * _ROW.size)
        return Row(beat, connections, state == _SERVING, state == _STARTING)

    def count_serving(self) -> int:
        """Returns how many workers accept connections."""
        return sum(self.row(number).is_serving for number in range(self._rows))

    def fewest_connections(self) -> int | None:
        """Returns the connections of the least busy worker that serves; None without any."""
        now = time.monotonic()
        rows = (self.row(number) for number in range(self._rows))
        counts = [row.connections for row in rows if row.is_serving and now - row.beat < _ABSENT_S]
        return min(counts, default=None)

    def _state(self, number: int) -> int:
        state: int = _ROW.unpack_from(self._memory, number * _ROW.size)[2]
        return state

    def _set_state(self, number: int, state: int) -> None:
        _CONNECTIONS.pack_into(
            self._memory, number * _ROW.size + _BEAT.size + _CONNECTIONS.size, state
        )
