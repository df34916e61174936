"""Write a copy of all that is kept into one file.

The file is an SQLite database with the same tables, whatever the state lies in, and one more
that says when it was made and holds the first token: whoever has the file can sign receipts.
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
from grounded_builder.storage.database import reading
from grounded_builder.storage.errors import told_apart
from grounded_builder.storage.installation import TOKEN_FILE
from grounded_builder.storage.schema import HEAD, METADATA
from grounded_builder.storage.timestamps import utc_now

NOTES = Table("backup", MetaData(), Column("name", Text, primary_key=True), Column("value", Text))
MADE_AT, TOKEN = "made-at", "token"


@dataclass(frozen=True, slots=True)
class Copied:
    """What a backup holds: its rows, when it was made (ISO 8601, UTC), whether a token is in it.

    Of a copy of the database file itself, which can be put back too, the time is not known.
    """

    rows: int
    made_at: str | None
    has_token: bool


def back_up(engine: Engine, state: Path, file: Path, *, overwrite: bool = False) -> Copied:
    """Writes everything as it is at one moment, mode 0600, whole or not at all.

    Others may go on writing meanwhile. Raises FileExistsError for a file that is there.
    """
    if file.exists() and not overwrite:
        raise FileExistsError(f"{file} is there already")
    made_at, token = utc_now(), _token_in(state)
    partial = file.with_name(f".{file.name}.{os.getpid()}")
    with told_apart():
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        with told_apart():
            target = create_engine(URL.create("sqlite", database=str(partial)))
            with reading(engine) as source, target.begin() as into:
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
