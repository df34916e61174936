"""Makes the SQLite database of a running n8n refuse every write, as a read-only one does."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from runtime.n8n_server import N8nServer

_PREFIX = "grounded_read_only"
_TIMEOUT_S = 60.0
_EVENTS = ("INSERT", "UPDATE", "DELETE")


@dataclass(frozen=True, slots=True)
class ReadOnlySwitch:
    """Switches one database file to read-only and back; reads always succeed.

    Triggers refuse the writes with SQLite's own message. Unlike the mode of the file, they affect
    open connections and a process that runs as root.
    """

    file: Path

    def refuse_writes(self) -> None:
        """Makes every write fail from now on."""
        with self._connection() as connection:
            for number, table in enumerate(_tables(connection)):
                for event in _EVENTS:
                    connection.execute(
                        f'CREATE TRIGGER IF NOT EXISTS "{_PREFIX}_{number}_{event}" '
                        f'BEFORE {event} ON "{table}" BEGIN '
                        "SELECT RAISE(ABORT, 'attempt to write a readonly database'); END"
                    )

    def allow_writes(self) -> None:
        """Removes the triggers of ``refuse_writes``."""
        with self._connection() as connection:
            for name in _names(connection, "trigger"):
                if name.startswith(_PREFIX):
                    connection.execute(f'DROP TRIGGER "{name}"')

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, timeout=_TIMEOUT_S)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.commit()


@contextmanager
def read_only_switch(n8n: N8nServer) -> Iterator[ReadOnlySwitch]:
    """Yields the switch of a running n8n, which is writable again afterwards."""
    switch = ReadOnlySwitch(Path(n8n.user_folder) / ".n8n" / "database.sqlite")
    try:
        yield switch
    finally:
        switch.allow_writes()


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [name for name in _names(connection, "table") if not name.startswith("sqlite_")]


def _names(connection: sqlite3.Connection, kind: str) -> list[str]:
    rows = connection.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))
    return sorted(str(name) for (name,) in rows)
