"""Writes a copy of all stored data into one file.

The file is an SQLite database with the same tables, whichever database it is copied from, and one
more table with the time of the backup and the first token: whoever has the file can sign receipts.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    URL,
    Column,
    Engine,
    MetaData,
    Table,
    Text,
    create_engine,
    insert,
    text,
)

from grounded_builder.storage.copy_rows import copy_all
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.errors import translate_errors
from grounded_builder.storage.installation import TOKEN_FILE
from grounded_builder.storage.schema import HEAD, METADATA
from grounded_builder.storage.timestamps import utc_now

NOTES = Table("backup", MetaData(), Column("name", Text, primary_key=True), Column("value", Text))
MADE_AT, TOKEN = "made-at", "token"


@dataclass(frozen=True, slots=True)
class Copied:
    """The contents of a backup: its rows, its time (ISO 8601, UTC), and whether it has a token.

    The time of a plain copy of the database file, which can be restored too, is not known.
    """

    rows: int
    made_at: str | None
    has_token: bool


def back_up(engine: Engine, state: Path, file: Path, *, overwrite: bool = False) -> Copied:
    """Writes all data of one moment with mode 0600, whole or not at all.

    Other programs may write meanwhile. Raises FileExistsError for an existing file.
    """
    if file.exists() and not overwrite:
        raise FileExistsError(f"{file} exists already")
    made_at, token = utc_now(), _token_in(state)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with translate_errors():
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with translate_errors():
            target = create_engine(URL.create("sqlite", database=str(partial)))
            with begin_read(engine) as source, target.begin() as into:
                METADATA.create_all(into)
                NOTES.metadata.create_all(into)
                into.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))
                into.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})
                into.execute(insert(NOTES).values(name=MADE_AT, value=made_at))
                if token:
                    into.execute(insert(NOTES).values(name=TOKEN, value=token))
                rows = copy_all(source, into)
            target.dispose()
            with partial.open("rb") as written:
                os.fsync(written.fileno())
            partial.replace(file)
    finally:
        with suppress(FileNotFoundError):
            partial.unlink()
    return Copied(rows, made_at, bool(token))


def _token_in(state: Path) -> str | None:
    try:
        return (state / TOKEN_FILE).read_text()
    except OSError:
        return None
