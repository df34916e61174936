from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.settings import Settings
from grounded_builder.storage import (
    DatabaseLockedError,
    NoSuchCatalogError,
    Store,
    database,
    open_store,
)
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.schema import COUNTERS
from tests.support import catalogs
from tests.support.databases import url_of
from tests.unit.storage.releases import COMPILERS, release, rows


def _settings(state: Path) -> Settings:
    return Settings(state=state, database_url=url_of(state))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_store(_settings(tmp_path), COMPILERS)
    yield opened
    opened.close()


def test_a_stored_catalog_is_a_registry(store: Store) -> None:
    """A stored catalog gives rows from memory, and whole entries and specs on first use."""
    assert store.active("n8n") is None
    loaded = store.load_catalog(catalogs.acme_bytes())
    registry = store.active("n8n")
    assert registry is not None
    assert registry.fingerprint == loaded.fingerprint
    assert registry.tool(catalogs.MAIL) == {
        key: value for key, value in catalogs.mail().items() if value is not None
    }
    assert registry.credential(catalogs.MAIL_LOGIN)["name"] == "Acme Mail API"
    assert registry.spec(catalogs.MAIL, 1.1) is registry.spec(catalogs.MAIL, 1.1)
    with pytest.raises(KeyError):
        registry.tool("acme-nodes.teleport")


def test_only_the_last_ones_are_retained(tmp_path: Path) -> None:
    """Beyond the number kept, old catalogs go with the bodies that only they had."""
    store = open_store(replace(_settings(tmp_path), kept_catalogs=3), COMPILERS)
    for number in range(8):
        store.load_catalog(release(number))
    assert rows(store) == (3, 6, 4)
    names = [catalog.fingerprint for catalog in store.catalogs("n8n")]
    store.use("n8n", names[2])
    for number in range(8, 12):
        store.load_catalog(release(number), activate=False)
    stored_catalogs = store.catalogs("n8n")
    assert len(stored_catalogs) == 4, "the active one stays beside the last three"
    assert stored_catalogs[-1].is_active
    registry = store.active("n8n")
    assert registry is not None
    assert registry.spec(catalogs.MAIL, 2)


def test_references_stay(store: Store) -> None:
    """A reference is never pushed out, never active by loading, and is compared with first."""
    reference = store.load_catalog(release(100), reference=True)
    assert store.active("n8n") is None
    for number in range(7):
        store.load_catalog(release(number))
    assert store.references("n8n")[0].fingerprint == reference.fingerprint
    active = next(catalog for catalog in store.catalogs("n8n") if catalog.is_active)
    compared = {registry.fingerprint for registry in store.references("n8n")}
    assert active.fingerprint not in compared


def test_a_file_is_loaded_once(store: Store, tmp_path: Path) -> None:
    """A catalog named as a file is recognised by its bytes, and does not become active."""
    store.load_catalog(release(1))
    active = store.active("n8n")
    path = tmp_path / "catalog.jsonl"
    path.write_bytes(release(2))
    first = store.registry_of_file(path)
    loaded_at = store.catalog(first.fingerprint).loaded_at
    assert store.registry_of_file(path, "n8n").fingerprint == first.fingerprint
    assert store.catalog(first.fingerprint).loaded_at == loaded_at
    still = store.active("n8n")
    assert still is not None
    assert active is not None
    assert still.fingerprint == active.fingerprint != first.fingerprint


def test_a_beginning_must_be_unique(store: Store) -> None:
    """A fingerprint may be shortened while it is unique; otherwise the error states the reason."""
    fingerprint = store.load_catalog(release(1)).fingerprint
    assert store.registry(fingerprint[:6].upper()).fingerprint == fingerprint
    for bad in ("", "abc", "zzzzzz", "%%%%%%", "0" * 64, fingerprint + "0"):
        with pytest.raises(NoSuchCatalogError):
            store.registry(bad)
    with pytest.raises(NoSuchCatalogError):
        store.use("simulink", fingerprint)


def test_a_refused_file_leaves_nothing(store: Store) -> None:
    """An unsound file changes no row."""
    store.load_catalog(release(1))
    before = rows(store)
    with pytest.raises(CatalogError):
        store.load_catalog(release(2)[:-20])
    assert rows(store) == before


def test_secrets_are_made_once(store: Store, tmp_path: Path) -> None:
    """Keys stay the same over restarts and differ between installations; the environment wins."""
    first = store.secrets()
    again = open_store(_settings(tmp_path), COMPILERS).secrets()
    assert (again.signer, again.path_secret) == (first.signer, first.path_secret)
    other = open_store(_settings(tmp_path / "other"), COMPILERS).secrets()
    assert other.signer != first.signer
    assert other.instance != first.instance
    given = replace(_settings(tmp_path), receipt_key="mine")
    assert open_store(given, COMPILERS).secrets().signer != first.signer
    assert first.signer.key.hex() not in repr(first)


def _load_one(state: Path, number: int) -> None:
    opened = open_store(_settings(state), COMPILERS)
    opened.first_token()
    opened.secrets()
    opened.load_catalog(release(number))
    opened.close()


@pytest.mark.long
def test_programs_that_start_at_once_agree(tmp_path: Path) -> None:
    """Several processes that meet an empty state folder make one database, one token, all loads."""
    spawn = multiprocessing.get_context("spawn")
    starting = [spawn.Process(target=_load_one, args=(tmp_path, number)) for number in range(4)]
    for process in starting:
        process.start()
    for process in starting:
        process.join()
        assert process.exitcode == 0
    store = open_store(_settings(tmp_path), COMPILERS)
    assert len(store.tokens()) == 1
    assert len(store.catalogs("n8n")) == 4


def test_counters_add_up(store: Store) -> None:
    """Counts of several flushes add up by name."""
    store.count({"a": 2, "b": 1})
    store.count({"a": 3})
    store.count({})
    assert store.counts() == {"a": 5, "b": 1}


def test_a_waiting_writer_gives_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two simultaneous writers, the one that waits too long gets an error with a remedy."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    waiting = open_store(store.settings, COMPILERS)
    with database.begin_write(store.engine), pytest.raises(DatabaseLockedError) as caught:
        waiting.count({"a": 1})
    monkeypatch.undo()
    assert "try again" in caught.value.help
    waiting.count({"a": 1})
    assert store.counts() == {"a": 1}
    waiting.close()


def test_a_view_stays_as_it_was(store: Store) -> None:
    """A reading transaction does not see later writes."""
    store.count({"a": 1})
    with begin_read(store.engine) as connection:
        before = connection.execute(select(COUNTERS.c.count)).scalars().all()
        store.count({"a": 1})
        assert connection.execute(select(COUNTERS.c.count)).scalars().all() == before == [1]
    assert store.counts() == {"a": 2}
