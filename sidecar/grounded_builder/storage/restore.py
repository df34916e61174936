"""Put a backup in the place of what is kept."""

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
from grounded_builder.storage.copy_rows import copy_all, counted, remove_all
from grounded_builder.storage.database import open_database, reading, revision_of, writing
from grounded_builder.storage.errors import DatabaseNewerError, StorageError, told_apart
from grounded_builder.storage.installation import TOKEN_FILE, write_private


class BackupError(StorageError):
    """The file is no backup that can be put back."""

    code = "backup-unusable"
    help = "name a file that `grounded backup` has written"


class StateNotEmptyError(StorageError):
    """Something is kept already, and nobody said that it may go."""

    code = "state-not-empty"
    help = "back it up first, then say --replace to put the backup in its place"


def restore(engine: Engine, state: Path, file: Path, *, replace: bool = False) -> Copied:
    """Puts a backup in the place of what is kept, in one transaction: whole or not at all.

    A backup of an older version is migrated on the way; raises DatabaseNewerError for one of a
    newer one, BackupError for what is none, StateNotEmptyError unless ``replace``.
    """
    with _opened(file, state) as backup, reading(backup) as source:
        notes = _notes(source)
        with writing(engine) as target:
            if not replace and (there := counted(target)):
                some = ", ".join(f"{count} of {name}" for name, count in list(there.items())[:3])
                raise StateNotEmptyError(f"the state is not empty: it has {some}")
            remove_all(target)
            rows = copy_all(source, target)
        token = notes.get(TOKEN)
        if token:
            with told_apart():
                write_private(state / TOKEN_FILE, token)
    return Copied(rows, notes.get(MADE_AT), bool(token))


@contextmanager
def _opened(file: Path, state: Path) -> Iterator[Engine]:
    """A copy of the backup, examined and brought up to date, that is gone afterwards."""
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
        raise BackupError(f"{file} is a database of something else")


def _notes(connection: Connection) -> dict[str, str]:
    if revision_of(connection) is None or not inspected(connection).has_table(NOTES.name):
        return {}
    return {row.name: row.value for row in connection.execute(select(NOTES))}
