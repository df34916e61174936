"""Behaviour of a store in an SQLite file."""

from __future__ import annotations

import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Engine, event

from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import (
    DatabaseDamagedError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    DatabaseUnreachableError,
    DiskFullError,
    StorageError,
    Store,
    database,
    open_store,
)
from grounded_builder.storage.errors import DatabaseNewerError
from tests.support import catalogs
from tests.unit.storage.releases import COMPILERS, release, rows


def _settings(state: Path) -> Settings:
    return Settings(state=state, database_url=sqlite_url(state))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(_settings(tmp_path), COMPILERS)
    yield opened
    opened.close()


def test_tokens_are_stored_as_hashes(store: Store, tmp_path: Path) -> None:
    """The first token is made once, in a private file; of no token the text is kept."""
    path = store.first_token()
    text = path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert store.first_token().read_text() == text
    _, secret = store.make_token("more", ["validate"])
    dump = "\n".join(sqlite3.connect(tmp_path / "grounded.db").iterdump())
    assert secret not in dump
    assert text.strip() not in dump


def test_a_locked_database_is_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for another writer ends after a bounded time, with what to do."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    store.close()
    blocker = sqlite3.connect(store.settings.state / "grounded.db", isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseLockedError) as caught:
        store.load_catalog(release(1))
    assert "try again" in caught.value.help
    blocker.execute("ROLLBACK")
    assert store.load_catalog(release(1)).is_new
    blocker.close()


def test_a_new_file_that_another_program_begins_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that meet a new file at once: one that cannot change it yet asks again."""
    other = sqlite3.connect(tmp_path / "grounded.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    refused = threading.Event()

    def pause(_seconds: float) -> None:
        refused.set()
        threading.Event().wait(0.01)

    monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=time.monotonic, sleep=pause))
    monkeypatch.setattr(database, "BUSY_SECONDS", 60.0)
    ended = threading.Thread(target=lambda: refused.wait(60) and other.execute("ROLLBACK"))
    ended.start()
    open_store(_settings(tmp_path), COMPILERS).close()
    ended.join()
    assert refused.is_set()
    other.close()


def test_only_the_owner_reads_the_database(store: Store) -> None:
    """The file that holds the signing key, and its journal, are closed to everybody else."""
    store.secrets()
    files = list(store.settings.state.glob("grounded.db*"))
    assert files
    assert {file.stat().st_mode & 0o077 for file in files} == {0}


def test_a_read_only_database_is_named(store: Store) -> None:
    """A read-only database can be read, and a write reports the reason."""
    loaded = store.load_catalog(release(1))
    url = f"sqlite:///file:{store.settings.state}/grounded.db?mode=ro&uri=true"
    reader = open_store(replace(store.settings, database_url=url), COMPILERS)
    assert reader.registry(loaded.fingerprint).tools
    with pytest.raises(DatabaseReadOnlyError):
        reader.load_catalog(release(2))


def _no_growth(engine: Engine) -> None:
    engine.dispose()

    @event.listens_for(engine, "connect")
    def _limit(connection: sqlite3.Connection, _record: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")


def test_a_full_disk_is_named_and_nothing_is_half_done(store: Store) -> None:
    """When the database cannot grow, the load fails whole."""
    store.load_catalog(release(1))
    before = rows(store)
    _no_growth(store.engine)
    many = [catalogs.hook() | {"id": f"acme-nodes.n{n}", "name": f"N{n}" * 60} for n in range(900)]
    with pytest.raises(DiskFullError):
        store.load_catalog(catalogs.jsonl(catalogs.add_end_line([catalogs.header(), *many])))
    assert rows(store) == before


def test_invalid_database_is_reported_by_name(tmp_path: Path) -> None:
    """A file of another kind, a folder and an unusable address are refused by name."""
    (tmp_path / "grounded.db").write_bytes(b"not a database at all, but long enough" * 100)
    with pytest.raises(DatabaseDamagedError):
        open_store(_settings(tmp_path), COMPILERS)
    (tmp_path / "folder" / "grounded.db").mkdir(parents=True)
    with pytest.raises(DatabaseUnreachableError):
        open_store(_settings(tmp_path / "folder"), COMPILERS)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError):
        open_store(_settings(tmp_path / "file"), COMPILERS)
    for url in ("nonsense", "oracle9://x", "postgresql://me:hush@127.0.0.1:1/none"):
        settings = Settings(state=tmp_path / "u", database_url=url)
        with pytest.raises(DatabaseUnreachableError) as caught:
            open_store(settings, COMPILERS)
        assert "hush" not in str(caught.value)


def test_a_newer_database_is_left_alone(store: Store) -> None:
    """A database that a later version has migrated is not touched."""
    with sqlite3.connect(store.settings.state / "grounded.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    with pytest.raises(DatabaseNewerError):
        open_store(store.settings, COMPILERS)
