"""Opens transactions, and reopens an SQLite file after a fault of the file.

A handle that was opened while the file system was read-only stays read-only when the file system no
longer is, and so does every other handle of the process: they share the index of the journal
(https://www.sqlite.org/walformat.html). Therefore all of them are closed before another is opened.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Condition
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

# Seconds to wait for a transaction that does not end.
_LONGEST_WAIT_S = 2.0
_FILE_FAULTS = frozenset(
    {
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
    }
)


class _Handles:
    """Counts the transactions of one engine, so that all its handles can be closed between two."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._open = 0
        self._closing = False

    @contextmanager
    def use(self) -> Iterator[None]:
        """Counts a transaction while it lasts; it starts when no handles are being closed."""
        with self._changed:
            self._changed.wait_for(lambda: not self._closing, _LONGEST_WAIT_S)
            self._open += 1
        try:
            yield
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def close(self, engine: Engine) -> None:
        """Closes the handles when no transaction is open; the next transaction opens new ones."""
        with self._changed:
            if self._closing:
                self._changed.wait_for(lambda: not self._closing, _LONGEST_WAIT_S)
                return
            self._closing = True
            try:
                self._changed.wait_for(lambda: self._open == 0, _LONGEST_WAIT_S)
                engine.dispose()
            finally:
                self._closing = False
                self._changed.notify_all()


_HANDLES: WeakKeyDictionary[Engine, _Handles] = WeakKeyDictionary()


@contextmanager
def transaction_of(engine: Engine, **options: Any) -> Iterator[Connection]:
    """Opens a transaction with these execution options.

    Where the file refuses its beginning, all handles are closed and it is begun once more; after a
    later fault of the file they are closed for the next transaction.
    """
    handles = _HANDLES.setdefault(engine, _Handles())
    try:
        with ExitStack() as stack:
            try:
                connection = _begin(stack, engine, handles, options)
            except DBAPIError as error:
                if not _is_file_fault(error):
                    raise
                stack.close()
                handles.close(engine)
                connection = _begin(stack, engine, handles, options)
            yield connection
    except DBAPIError as error:
        if _is_file_fault(error):
            handles.close(engine)
        raise


def _begin(
    stack: ExitStack, engine: Engine, handles: _Handles, options: dict[str, Any]
) -> Connection:
    stack.enter_context(handles.use())
    connection = stack.enter_context(engine.connect().execution_options(**options))
    stack.enter_context(connection.begin())
    return connection


def _is_file_fault(error: DBAPIError) -> bool:
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _FILE_FAULTS
