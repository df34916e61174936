"""Converts errors of the database driver to named errors with a remedy, and retries work."""

from __future__ import annotations

import errno
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

Result = TypeVar("Result")
_PAUSES_S = (0.2, 1.0, 5.0)


class StorageError(Exception):
    """The database could not do the work; nothing was done partially."""

    code = "storage-failed"
    help = "look at the log of the sidecar for the cause"
    retry_after_s: int | None = None
    """Seconds after which to retry, where the fault may be temporary."""


class DatabaseLockedError(StorageError):
    """Another program holds the write lock of the database."""

    code = "database-locked"
    help = "wait until the other command has ended, then try again"
    retry_after_s = 1


class DatabaseReadOnlyError(StorageError):
    """The database cannot be written."""

    code = "database-read-only"
    help = "give the user of the sidecar write access to the state folder and the file system"


class DiskFullError(StorageError):
    """No space is left for the database."""

    code = "disk-full"
    help = "free disk space for the state folder, then try again"


class DatabaseUnreachableError(StorageError):
    """The database cannot be opened or does not answer."""

    code = "database-unreachable"
    help = "check GROUNDED_STATE or GROUNDED_DATABASE_URL, and that the database runs"
    retry_after_s = 5


class DatabaseDamagedError(StorageError):
    """The file is not a database, is damaged, or was made by another version."""

    code = "database-damaged"
    help = "move the file away, or replace it with a backup; a new one is created at the next start"


class DatabaseNewerError(StorageError):
    """A later version of the program has migrated the database."""

    code = "database-newer"
    help = "use the newer version, or another state folder"


class NoSuchCatalogError(LookupError):
    """No stored catalog has this fingerprint, or several match it."""


_SQLITE: dict[int, type[StorageError]] = {
    sqlite3.SQLITE_BUSY: DatabaseLockedError,
    sqlite3.SQLITE_LOCKED: DatabaseLockedError,
    sqlite3.SQLITE_READONLY: DatabaseReadOnlyError,
    sqlite3.SQLITE_PERM: DatabaseReadOnlyError,
    sqlite3.SQLITE_FULL: DiskFullError,
    sqlite3.SQLITE_CANTOPEN: DatabaseUnreachableError,
    sqlite3.SQLITE_IOERR: DatabaseUnreachableError,
    sqlite3.SQLITE_CORRUPT: DatabaseDamagedError,
    sqlite3.SQLITE_NOTADB: DatabaseDamagedError,
}
# PostgreSQL: the class or the whole SQLSTATE.
_SQLSTATE: dict[str, type[StorageError]] = {
    "53100": DiskFullError,
    "25006": DatabaseReadOnlyError,
    "42501": DatabaseReadOnlyError,
    "55P03": DatabaseLockedError,
    "40": DatabaseLockedError,
    "08": DatabaseUnreachableError,
    "28": DatabaseUnreachableError,
    "3D": DatabaseUnreachableError,
    "53": DatabaseUnreachableError,
    "57": DatabaseUnreachableError,
    "XX": DatabaseDamagedError,
}
_ERRNO: dict[int, type[StorageError]] = {
    errno.ENOSPC: DiskFullError,
    errno.EDQUOT: DiskFullError,
    errno.EROFS: DatabaseReadOnlyError,
    errno.EACCES: DatabaseReadOnlyError,
    errno.EPERM: DatabaseReadOnlyError,
}


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turns errors of the driver and the file system into the errors of this module."""
    try:
        yield
    except DBAPIError as error:
        cause = error.orig
        kind = _kind(cause)
        raise kind(f"{_first_sentence(kind)} ({cause})") from error
    except SQLAlchemyError as error:
        raise StorageError(f"the database failed: {type(error).__name__}") from error
    except OSError as error:
        kind = _ERRNO.get(error.errno or 0, DatabaseUnreachableError)
        place = f": {error.filename}" if error.filename else ""
        raise kind(f"{_first_sentence(kind)} ({error.strerror}{place})") from error


def run_with_retries(work: Callable[[], Result]) -> Result:
    """Returns the result of work that is retried where the database was busy or unavailable."""
    for pause_s in _PAUSES_S:
        try:
            return work()
        except (DatabaseLockedError, DatabaseUnreachableError):
            time.sleep(pause_s)
    return work()


def _kind(cause: BaseException | None) -> type[StorageError]:
    if isinstance(cause, sqlite3.Error):
        # The low byte is the primary code; the rest gives details.
        code = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return _SQLITE.get(code, StorageError)
    state = str(getattr(cause, "sqlstate", None) or "")
    if not state:
        # A driver that never reached the server has no state to report.
        return DatabaseUnreachableError
    return _SQLSTATE.get(state) or _SQLSTATE.get(state[:2]) or StorageError


def _first_sentence(kind: type[StorageError]) -> str:
    text = (kind.__doc__ or "").strip().rstrip(".")
    return text[:1].lower() + text[1:]
