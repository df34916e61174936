"""Backups contain all stored data and restore it, on either kind of database."""

from __future__ import annotations

import sqlite3
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, select
from ulid import ULID

from grounded_builder import storage
from grounded_builder.settings import Settings
from grounded_builder.storage import Store, open_store, runs
from grounded_builder.storage.backup import back_up
from grounded_builder.storage.copy_rows import row_counts
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.errors import DatabaseNewerError
from grounded_builder.storage.restore import BackupError, StateNotEmptyError, restore
from grounded_builder.storage.schema import ACTIVATIONS, HEAD, METADATA
from grounded_builder.storage.sessions import SessionStore
from tests.support import catalogs
from tests.support.databases import url_of
from tests.unit.storage.releases import COMPILERS, release

ODD = "half an emoji \ud83d, ü and \x07"


def _open(state: Path) -> Store:
    return open_store(Settings(state=state, database_url=url_of(state)), COMPILERS)


@pytest.fixture
def used_state(tmp_path: Path) -> Iterator[Store]:
    """A state with catalogs, keys, a token, and a run."""
    store = _open(tmp_path / "used")
    store.load_catalog(release(1))
    store.load_catalog(catalogs.acme_bytes())
    store.secrets()
    store.first_token()
    run = runs.NewRun(str(ULID()), "n8n", "do it", {}, "external", "f" * 64, "1", ("a",))
    SessionStore(store.engine, 60, 100).open(run, {"said": ODD}, {"status": "draft"})
    yield store
    store.close()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    store = _open(tmp_path / "empty")
    yield store
    store.close()


def _all(store: Store) -> dict[str, list[Any]]:
    with begin_read(store.engine) as connection:
        return {
            table.name: sorted(map(repr, connection.execute(select(table))))
            for table in METADATA.sorted_tables
        }


def test_stored_rows_are_restored_row_by_row(
    used_state: Store, empty: Store, tmp_path: Path
) -> None:
    """A restored state is the one backed up: rows, keys, the active catalog, the token file."""
    file = tmp_path / "all.backup"
    made = back_up(used_state.engine, used_state.settings.state, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*all.backup*")] == [file.name]
    copied = restore(empty.engine, empty.settings.state, file)
    assert (copied.rows, copied.made_at) == (made.rows, made.made_at)
    assert made.rows > 10
    assert _all(empty) == _all(used_state)
    assert empty.secrets() == used_state.secrets()
    before, after = used_state.active("n8n"), empty.active("n8n")
    assert before is not None
    assert after is not None
    assert before.fingerprint == after.fingerprint
    token = empty.settings.state / "token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert token.read_text() == (used_state.settings.state / "token").read_text()
    assert not list(empty.settings.state.glob(".restore-*"))


def test_a_restored_state_can_be_worked_with(
    used_state: Store, empty: Store, tmp_path: Path
) -> None:
    """Numbers that the database gives by itself continue after those of the backup."""
    back_up(used_state.engine, used_state.settings.state, tmp_path / "b")
    restore(empty.engine, empty.settings.state, tmp_path / "b")
    with begin_read(empty.engine) as connection:
        last = max(connection.execute(select(ACTIVATIONS.c.sequence)).scalars())
    loaded = empty.load_catalog(release(2))
    with begin_read(empty.engine) as connection:
        newest = connection.execute(
            select(ACTIVATIONS.c.catalog).where(ACTIVATIONS.c.sequence > last)
        ).scalars()
        assert list(newest) == [loaded.fingerprint]


def test_a_backup_is_of_one_moment(used_state: Store, tmp_path: Path) -> None:
    """While others write, every backup is whole: a catalog in it has all of its entries."""
    stop = threading.Event()

    def write() -> None:
        number = 10
        while not stop.is_set():
            number += 1
            used_state.load_catalog(release(number))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number in range(5):
            file = tmp_path / f"{number}.backup"
            back_up(used_state.engine, used_state.settings.state, file)
            with sqlite3.connect(file) as copy:
                assert copy.execute("PRAGMA foreign_key_check").fetchall() == []
                (stray,) = copy.execute(
                    "SELECT count(*) FROM activations WHERE catalog NOT IN "
                    "(SELECT fingerprint FROM catalogs) AND sequence = "
                    "(SELECT max(sequence) FROM activations)"
                ).fetchone()
            assert stray == 0
    finally:
        stop.set()
        writer.join()


def test_stored_data_is_not_replaced_unasked(used_state: Store, tmp_path: Path) -> None:
    """A file or a state with content is replaced only with the option."""
    state, file = used_state.settings.state, tmp_path / "b"
    back_up(used_state.engine, state, file)
    content = file.read_bytes()
    with pytest.raises(FileExistsError):
        back_up(used_state.engine, state, file)
    assert file.read_bytes() == content
    before = _all(used_state)
    used_state.count({"after": 1})
    with pytest.raises(StateNotEmptyError):
        restore(used_state.engine, state, file)
    assert used_state.counts() == {"after": 1}
    restore(used_state.engine, state, file, replace=True)
    assert _all(used_state) == before
    back_up(used_state.engine, state, file, overwrite=True)


def test_restore_refuses_invalid_backup(used_state: Store, tmp_path: Path) -> None:
    """A missing, foreign, truncated or newer file is refused by name and changes nothing."""
    good = tmp_path / "good"
    back_up(used_state.engine, used_state.settings.state, good)
    (tmp_path / "text").write_text("no database, though it is long enough to be one " * 40)
    (tmp_path / "cut").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE something (id INTEGER)")
    before = _all(used_state)
    for name in ("absent", "text", "cut", "other"):
        with pytest.raises(BackupError, match=name):
            restore(used_state.engine, used_state.settings.state, tmp_path / name, replace=True)
    with sqlite3.connect(good) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(DatabaseNewerError, match="good"):
        restore(used_state.engine, used_state.settings.state, good, replace=True)
    assert _all(used_state) == before


def test_a_backup_of_an_older_version_is_migrated(empty: Store, tmp_path: Path) -> None:
    """A file at an earlier revision comes back in the tables of today."""
    folder = tmp_path / "old"
    folder.mkdir()
    config = Config()
    config.set_main_option("script_location", str(Path(storage.__file__).parent / "migrations"))
    engine = create_engine(f"sqlite:///{folder / 'grounded.db'}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0003")
        connection.exec_driver_sql("INSERT INTO counters VALUES ('old', 7)")
    engine.dispose()
    copied = restore(empty.engine, empty.settings.state, folder / "grounded.db")
    assert (copied.rows, copied.made_at, copied.has_token) == (1, None, False)
    assert empty.counts() == {"old": 7}
    with begin_read(empty.engine) as connection:
        assert row_counts(connection) == {"counters": 1}
    assert HEAD > "0003"


def test_a_restore_that_fails_leaves_what_was(
    used_state: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that the tables refuse take the whole restore back."""
    file = tmp_path / "b"
    back_up(used_state.engine, used_state.settings.state, file)
    before = _all(used_state)

    def raise_error(*_: object) -> int:
        raise OSError(28, "no space left")

    monkeypatch.setattr("grounded_builder.storage.restore.copy_all", raise_error)
    with pytest.raises(storage.StorageError):
        restore(used_state.engine, used_state.settings.state, file, replace=True)
    assert _all(used_state) == before
