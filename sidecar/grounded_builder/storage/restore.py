"""Replaces the stored data with a backup."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, select
from sqlalchemy import inspect as inspected

from grounded_builder.settings import sqlite_url
from grounded_builder.storage.backup import MADE_AT, NOTES, TOKEN, Copied
from grounded_builder.storage.copy_rows import copy_all, remove_all, row_counts
from grounded_builder.storage.database import begin_read, begin_write, open_database, revision_of
from grounded_builder.storage.errors import DatabaseNewerError, StorageError, translate_errors
from grounded_builder.storage.installation import TOKEN_FILE, write_private


class BackupError(StorageError):
    """The file is not a backup that can be restored."""

    code = "backup-unusable"
    help = "name a file written by `grounded backup`"


class StateNotEmptyError(StorageError):
    """There is stored data, and replacing it was not requested."""

    code = "state-not-empty"
    help = "back it up first, then use --replace"


def restore(engine: Engine, state: Path, file: Path, *, replace: bool = False) -> Copied:
    """Replaces the stored data with a backup in one transaction, whole or not at all.

    A backup of an older version is migrated on the way. Raises DatabaseNewerError for a newer one,
    BackupError for another file, StateNotEmptyError unless ``replace``.
    """
    with _open_copy(file, state) as backup, begin_read(backup) as source:
        notes = _notes(source)
        with begin_write(engine) as target:
            if not replace and (there := row_counts(target)):
                some = ", ".join(f"{count} of {name}" for name, count in list(there.items())[:3])
                raise StateNotEmptyError(f"the state is not empty: it has {some}")
            remove_all(target)
            rows = copy_all(source, target)
        token = notes.get(TOKEN)
        if token:
            with translate_errors():
                write_private(state / TOKEN_FILE, token)
    return Copied(rows, notes.get(MADE_AT), bool(token))


@contextmanager
def _open_copy(file: Path, state: Path) -> Iterator[Engine]:
    """Opens a checked and migrated copy of the backup, which is deleted afterwards."""
    if not file.is_file():
        raise BackupError(f"there is no file {file}")
    with tempfile.TemporaryDirectory(prefix=".restore-", dir=state) as folder:
        copy = Path(folder) / "grounded.db"
        try:
            with (
                closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
                _examine(target, file)
        except sqlite3.Error as error:
            raise BackupError(f"{file} cannot be read as a backup ({error})") from error
        try:
            engine = open_database(sqlite_url(copy.parent), copy.parent)
        except DatabaseNewerError as error:
            raise DatabaseNewerError(f"{file}: {error}") from error
        try:
            yield engine
        finally:
            engine.dispose()


def _examine(copy: sqlite3.Connection, file: Path) -> None:
    value = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    if value != "ok":
        raise BackupError(f"{file} is damaged: {value}")
    if copy.execute("PRAGMA foreign_key_check").fetchone() is not None:
        raise BackupError(f"{file} is damaged: rows refer to rows that are not in it")
    known = copy.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")
    if not known.fetchone()[0]:
        raise BackupError(f"{file} is not a database of this program")


def _notes(connection: Connection) -> dict[str, str]:
    if revision_of(connection) is None or not inspected(connection).has_table(NOTES.name):
        return {}
    return {row.name: row.value for row in connection.execute(select(NOTES))}
