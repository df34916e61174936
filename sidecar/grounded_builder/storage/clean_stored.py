"""Removes secrets from rows that were stored under earlier redaction rules."""

from __future__ import annotations

import fcntl
import hashlib
import logging
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sqlalchemy import Column, Engine, RowMapping, String, Table, delete, insert, select, tuple_
from sqlalchemy import update as update_of

from grounded_builder import redaction
from grounded_builder.redaction.redact import without_secrets_in_json
from grounded_builder.storage.database import UNCLEANED, begin_read, begin_write
from grounded_builder.storage.encryption import is_sealed, seal
from grounded_builder.storage.errors import StorageError
from grounded_builder.storage.imports import stored_key
from grounded_builder.storage.schema import IMPORTS, METADATA, SECRETS
from grounded_builder.storage.stored_text import CleanText, load_json

SEALED = {"jobs": ("order", "attempts", "answer"), "imports": ("previous", "approved")}
"""The columns whose values must be preserved exactly, and are therefore sealed."""
_RULES = "rows-cleaned-by"
_BATCH = 50
_LOG = logging.getLogger("grounded_builder.storage")


def start_cleaning(engine: Engine, state: Path) -> Callable[[], None]:
    """Cleans stored rows in a thread, where needed; the returned function stops it."""
    stop = Event()
    thread = Thread(target=_clean_alone, args=(engine, state, stop), name="cleaning", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join()

    return end


def clean_stored_rows(engine: Engine, stop: Event | None = None) -> int:
    """Cleans all rows stored under earlier rules; returns how many were changed.

    Rows are read and cleaned in small batches, each written in a transaction of its own.
    """
    rules, changed = _rules(), 0
    with begin_read(engine) as connection:
        row = connection.execute(select(SECRETS.c.value).where(SECRETS.c.name == _RULES)).scalar()
    if row == rules:
        return 0
    for table in METADATA.sorted_tables:
        if table.name not in UNCLEANED:
            changed += _clean_table(engine, table, stop or Event())
    if stop is None or not stop.is_set():
        with begin_write(engine) as connection:
            connection.execute(delete(SECRETS).where(SECRETS.c.name == _RULES))
            connection.execute(insert(SECRETS).values(name=_RULES, value=rules))
    return changed


def _clean_alone(engine: Engine, state: Path, stop: Event) -> None:
    """Cleans rows unless another process of this machine does."""
    try:
        with (state / "cleaning.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            changed = clean_stored_rows(engine, stop)
    except BlockingIOError:
        return
    except (OSError, StorageError) as error:
        _LOG.warning("stored rows are cleaned at the next start: %s", error)
        return
    if changed:
        _LOG.info("secrets were taken out of %d stored rows", changed)


def _rules() -> str:
    """Returns a value that changes with the redaction rules."""
    digest = hashlib.sha256()
    for name in ("redact.py", "secret_patterns.json"):
        digest.update(files(redaction).joinpath(name).read_bytes())
    return digest.hexdigest()


def _clean_table(engine: Engine, table: Table, stop: Event) -> int:
    keys = list(table.primary_key.columns)
    texts = [column for column in table.columns if isinstance(column.type, String)]
    columns = list(dict.fromkeys((*keys, *texts)))
    part = select(*columns).order_by(*keys).limit(_BATCH)
    last: tuple[Any, ...] | None = None
    changed = 0
    while not stop.is_set():
        after = part if last is None else part.where(tuple_(*keys) > tuple_(*map(_as_it_is, last)))
        with begin_read(engine) as connection:
            rows = connection.execute(after).mappings().all()
        if not rows:
            break
        last = tuple(rows[-1][key.name] for key in keys)
        changes = [(row, clean) for row in rows if (clean := _clean_row(table, texts, row))]
        if changes:
            with begin_write(engine) as connection:
                for row, clean in changes:
                    _write(connection, table, keys, row, clean)
            changed += len(changes)
    return changed


def _clean_row(table: Table, texts: list[Column[Any]], row: RowMapping) -> dict[str, Any]:
    """Returns the columns of a row that change; columns to be sealed are returned in full."""
    changes: dict[str, Any] = {}
    for column in texts:
        text = row[column.name]
        if text is None or is_sealed(text):
            continue
        if column.name in SEALED.get(table.name, ()):
            changes[column.name] = text
        elif column is IMPORTS.c.key:
            changes[column.name] = stored_key(text)
        else:
            changes[column.name] = CleanText(without_secrets_in_json(text))
        if isinstance(changes[column.name], CleanText) and changes[column.name] == text:
            del changes[column.name]
    return changes


def _write(
    connection: Any, table: Table, keys: list[Column[Any]], row: RowMapping, clean: dict[str, Any]
) -> None:
    """Writes a row, unless it was changed since it was read."""
    here = [key == _as_it_is(row[key.name]) for key in keys]
    if table is not IMPORTS and any(key.name in clean for key in keys):
        # Counted names: a row with the clean name may exist already.
        connection.execute(delete(table).where(*here))
        return
    same = [table.c[name] == _as_it_is(row[name]) for name in clean]
    values = {
        name: text if isinstance(text, CleanText) else seal(connection, load_json(text))
        for name, text in clean.items()
    }
    connection.execute(update_of(table).where(*here, *same).values(values))


def _as_it_is(value: Any) -> Any:
    return CleanText(value) if isinstance(value, str) else value
