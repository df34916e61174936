"""Opens and migrates a database, and begins its read and write transactions."""

from __future__ import annotations

import fcntl
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.sql.util import find_tables

from grounded_builder.redaction.redact import without_secrets_in_json
from grounded_builder.storage import timestamps
from grounded_builder.storage.errors import (
    DatabaseNewerError,
    DatabaseUnreachableError,
    translate_errors,
)
from grounded_builder.storage.schema import HEAD
from grounded_builder.storage.stored_text import CleanText
from grounded_builder.storage.transactions import transaction_of
from grounded_builder.storage.write_queue import write_queue_of

BUSY_SECONDS = 5.0
_MIGRATION_SECONDS = 60.0
_PAUSE_S = 0.02
# Any constant works, as long as all replicas use the same.
_WRITERS = 7_203_775_112


def open_database(url: str, state: Path) -> Engine:
    """Opens the database and migrate it if it is not at the newest revision."""
    with translate_errors():
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        engine = make_engine(url)
        _keep_private(engine)
        with engine.connect() as connection:
            revision = revision_of(connection)
        if revision != HEAD:
            _migrate(engine, state)
    return engine


def make_engine(url: str) -> Engine:
    """Returns an engine for this address; it does not connect yet."""
    try:
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql" and parsed.drivername == "postgresql":
            parsed = parsed.set(drivername="postgresql+psycopg")
        engine = create_engine(parsed, pool_pre_ping=parsed.get_backend_name() != "sqlite")
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        # The address may contain a password and is not repeated.
        message = f"GROUNDED_DATABASE_URL cannot be used ({type(error).__name__})"
        raise DatabaseUnreachableError(message) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    event.listen(engine, "before_cursor_execute", _without_secrets, retval=True)
    if engine.dialect.name == "postgresql":
        event.listen(engine, "before_cursor_execute", _without_nul, retval=True)
    return engine


@contextmanager
def begin_write(engine: Engine) -> Iterator[Connection]:
    """Opens a transaction that takes the write lock at once, so that it never fails halfway."""
    with ExitStack() as stack:
        stack.enter_context(translate_errors())
        if engine.dialect.name == "sqlite":
            note_move = stack.enter_context(write_queue_of(engine).turn(BUSY_SECONDS))
        connection = stack.enter_context(transaction_of(engine, grounded_writes=True))
        if engine.dialect.name == "sqlite":
            note_move()
        elif engine.dialect.name == "postgresql":
            _wait_for_writers(connection, BUSY_SECONDS)
        yield connection


@contextmanager
def begin_read(engine: Engine) -> Iterator[Connection]:
    """Opens a transaction with a consistent view of the database for all its statements."""
    views = {"isolation_level": "REPEATABLE READ"} if engine.dialect.name == "postgresql" else {}
    with translate_errors(), transaction_of(engine, **views) as connection:
        yield connection


def revision_of(connection: Connection) -> str | None:
    """Returns the revision of a database; None when it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return None if revision is None else str(revision)


def _keep_private(engine: Engine) -> None:
    """Restricts the file to its owner: it contains the key that signs receipts.

    SQLite gives its journal files the mode of the database.
    """
    file = engine.url.database
    if engine.dialect.name != "sqlite" or not file or file.startswith((":", "file:")):
        return
    if not Path(file).exists():
        Path(file).touch(mode=0o600)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    """Disables the transactions of the driver, which begin too late for a write lock."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000:.0f}")
    _keep_journal(cursor)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # Deleted and overwritten content is removed from the file too.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _keep_journal(cursor: sqlite3.Cursor) -> None:
    """Enables concurrent readers and a writer, which SQLite records in the file.

    SQLite does not wait here for another program that does the same: it would raise the lock that
    it has to read (https://www.sqlite.org/c3ref/busy_handler.html, of deadlocks).
    """
    until = time.monotonic() + BUSY_SECONDS
    while cursor.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() > until:
                raise
            time.sleep(_PAUSE_S)
        else:
            return  # a file system without shared memory keeps its earlier journal mode


def _begin_sqlite(connection: Connection) -> None:
    if not connection.get_execution_options().get("grounded_writes", False):
        connection.exec_driver_sql("BEGIN")
        return
    connection.exec_driver_sql("BEGIN IMMEDIATE")
    # Of a file that was opened read-only, that begins a transaction which only reads. This one
    # needs the right to write, and changes nothing: our files keep no list of pages to give back.
    connection.exec_driver_sql("PRAGMA incremental_vacuum(1)")


UNCLEANED = {
    "catalogs": "catalogs are published unchanged",
    "entries": "catalogs are published unchanged",
    "catalog_entries": "catalogs are published unchanged",
    "catalog_files": "fingerprints",
    "secrets": "the keys of the installation itself",
}
"""The tables whose texts are stored unchanged, each with the reason."""
# The shortest text with a secret in it and a sign of it.
_SHORTEST = 8


def _without_secrets(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, context: Any, _many: bool
) -> tuple[str, Any]:
    """Removes recognizable secrets from the values of a statement, whatever its table.

    Values used to find a row are cleaned as the stored ones are, so that they still match.
    """
    if _own_table(context):
        return statement, parameters
    if isinstance(parameters, list):
        return statement, [_clean_parameters(row) for row in parameters]
    return statement, _clean_parameters(parameters)


# Whether a compiled statement, which SQLAlchemy caches, has only tables that are stored unchanged.
_OWN_TABLES: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()


def _own_table(context: Any) -> bool:
    compiled = getattr(context, "compiled", None)
    if compiled is None:
        return True  # the program's own text: pragmas, locks, migrations
    is_own = _OWN_TABLES.get(compiled)
    if is_own is None:
        # A computed column has no table.
        tables = find_tables(compiled.statement, check_columns=True, include_crud=True)
        names = {getattr(table, "name", "") for table in tables} - {""}
        is_own = bool(names) and names <= UNCLEANED.keys()
        _OWN_TABLES[compiled] = is_own
    return is_own


def _clean_parameters(parameters: Any) -> Any:
    if isinstance(parameters, Mapping):
        return {name: _clean_value(value) for name, value in parameters.items()}
    if isinstance(parameters, tuple):
        return tuple(_clean_value(value) for value in parameters)
    return parameters


def _clean_value(value: Any) -> Any:
    if isinstance(value, CleanText):
        return str(value)
    if isinstance(value, str) and len(value) >= _SHORTEST:
        return without_secrets_in_json(value)
    return value


def _without_nul(
    _connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    """Replaces the NUL character, which PostgreSQL cannot store, with its visible symbol."""
    if isinstance(parameters, list):
        return statement, [_replace_nul(parameter) for parameter in parameters]
    return statement, _replace_nul(parameters)


def _replace_nul(parameters: Any) -> Any:
    if not isinstance(parameters, Mapping):
        return parameters
    return {
        key: value.replace("\0", "\ufffd") if isinstance(value, str) else value
        for key, value in parameters.items()
    }


def _migrate(engine: Engine, state: Path) -> None:
    """Runs the missing migrations; of several programs that start at once, one does it."""
    # Imported here: a start with a database that is up to date does without.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415
    from alembic.script import ScriptDirectory  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    with _alone(engine, state) as connection:
        config.attributes["connection"] = connection
        current = revision_of(connection)
        if current == HEAD:
            return  # another program migrated meanwhile
        if current is not None:
            try:
                ScriptDirectory.from_config(config).get_revision(current)
            except CommandError as error:
                message = f"the database is at revision {current}, this version knows up to {HEAD}"
                raise DatabaseNewerError(message) from error
        command.upgrade(config, "head")


@contextmanager
def _alone(engine: Engine, state: Path) -> Iterator[Connection]:
    if engine.dialect.name == "sqlite":
        with (state / "migration.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with begin_write(engine) as connection:
                yield connection
        return
    with translate_errors(), engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            _wait_for_writers(connection, _MIGRATION_SECONDS)
        yield connection


def _wait_for_writers(connection: Connection, seconds: float) -> None:
    """Admits one writer at a time, as SQLite does, so that values read in a transaction stay true.

    PostgreSQL holds the lock until the transaction ends. Its clock is the reference for all
    programs.
    """
    connection.execute(text(f"SET LOCAL lock_timeout = '{seconds * 1000:.0f}ms'"))
    locked = text("SELECT clock_timestamp() FROM (SELECT pg_advisory_xact_lock(:key)) AS locked")
    timestamps.follow(connection.execute(locked, {"key": _WRITERS}).scalar_one())
