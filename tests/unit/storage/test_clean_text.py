"""No table holds a secret in clear, and the write lock is not held while texts are searched."""

from __future__ import annotations

import json
import logging
from http import HTTPStatus
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Integer,
    LargeBinary,
    String,
    Table,
    delete,
    event,
    insert,
    select,
    update,
)

from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.interfaces.http.errors import ApiError, answer
from grounded_builder.redaction.redact import MARK, without_secrets_in_json
from grounded_builder.services.conversation_record import DraftRequest
from grounded_builder.services.conversations import Conversations
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.services.session_lookup import get_session
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import database
from grounded_builder.storage.clean_stored import SEALED, clean_stored_rows
from grounded_builder.storage.database import UNCLEANED, begin_read, begin_write, make_engine
from grounded_builder.storage.imports import ImportLedger
from grounded_builder.storage.jobs import JobStore
from grounded_builder.storage.schema import IMPORTS, JOBS, METADATA, NAME_COUNTS
from grounded_builder.storage.store import Store
from grounded_builder.storage.stored_text import CleanText
from tests.support.registries import acme_registry

_SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
_TEXT = f"token {_SECRET}"
_CLEANED = [table for table in METADATA.sorted_tables if table.name not in UNCLEANED]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store over an SQLite file."""
    return open_domains_store(Settings(state=tmp_path, database_url=sqlite_url(tmp_path)))


def _bytes_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def _row(table: Table) -> dict[str, Any]:
    """A row with the secret in each of its texts."""
    return {column.name: _value(column) for column in table.columns}


def _value(column: Column[Any]) -> Any:
    if isinstance(column.type, String):
        return _TEXT
    if isinstance(column.type, LargeBinary):
        return b"-"
    return 1 if isinstance(column.type, Integer) else False


@pytest.mark.parametrize("table", _CLEANED, ids=str)
def test_every_text_of_every_table_is_cleaned(table: Table, store: Store) -> None:
    """Every statement writes cleaned texts, and sealed values never appear in clear."""
    with begin_write(store.engine) as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.execute(insert(table), [_row(table)])
        row = connection.execute(select(table)).mappings().one()
        texts = [row[column.name] for column in table.columns if isinstance(column.type, String)]
        assert texts
        assert [text for text in texts if _SECRET in text or MARK not in text] == []
        connection.rollback()
    store.close()


@pytest.mark.parametrize("name", UNCLEANED)
def test_a_row_that_is_stored_unchanged_is_found_by_its_texts(name: str, store: Store) -> None:
    """A search text is unchanged too, unless another table is searched as well."""
    table = METADATA.tables[name]
    texts = [column for column in table.columns if isinstance(column.type, String)]
    matches = [column == _TEXT for column in texts]
    with begin_write(store.engine) as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.execute(delete(table))
        connection.execute(insert(table), [_row(table)])
        assert connection.execute(select(table).where(*matches)).all()
        assert connection.execute(select(table).where(texts[0].in_([_TEXT]))).all()
        assert connection.execute(delete(table).where(*matches)).rowcount == 1
        connection.rollback()
    store.close()


@pytest.mark.parametrize("name", UNCLEANED)
def test_a_search_of_another_table_too_is_cleaned(name: str, store: Store) -> None:
    """The values in a join or subquery with a cleaned table are cleaned like its texts."""
    table = METADATA.tables[name]
    column = next(column for column in table.columns if isinstance(column.type, String))
    jobs = select(JOBS.c.id).where(JOBS.c.problem == _TEXT)
    sent: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *facts: sent.append(str(facts[3])))
    with begin_read(store.engine) as connection:
        connection.execute(select(column).where(column == JOBS.c.id, JOBS.c.problem == _TEXT))
        connection.execute(select(column).where(column.in_(jobs)))
    assert sum(MARK in values for values in sent) == 2
    assert _SECRET not in str(sent)
    store.close()


def test_tables_that_are_not_cleaned_have_a_reason() -> None:
    """They are the published catalogs and the installation's own keys, and no others."""
    assert {table.name for table in METADATA.sorted_tables} >= set(UNCLEANED)
    assert set(UNCLEANED) == {
        "catalogs",
        "entries",
        "catalog_entries",
        "catalog_files",
        "secrets",
    }


def test_jobs_and_imports_are_sealed(store: Store, tmp_path: Path) -> None:
    """Jobs and imports are read back unchanged, and no file contains them."""
    jobs = JobStore(store.engine)
    order = {"plan": {"goal": _TEXT}, "options": {"key": _SECRET}, "attempts": 3}
    job, _ = jobs.open("f" * 64, order, "me", 60)
    jobs.change(job.id, lambda job: job.free("failed", _TEXT))
    ledger = ImportLedger(store.engine, "http://127.0.0.1:1")
    assert ledger.claim(_TEXT, "f" * 64, None)
    ledger.before(_TEXT, (), {"nodes": [{"password": _SECRET}]})
    ledger.approve(_TEXT, [f"GB404/{_TEXT}"])
    entry, again = ledger.entry(_TEXT), jobs.get(job.id)
    ledger.release(_TEXT)
    assert entry is not None
    assert entry.previous == {"nodes": [{"password": _SECRET}]}
    assert ledger.list_approvals(_TEXT) == (f"GB404/{_TEXT}",)
    assert ledger.claim("token ghp_" + "z9Y8x7W6v5" * 3 + "u4T3s2", "f" * 64, None)
    assert again is not None
    assert again.order == order
    assert _SECRET not in (again.problem or "")
    store.close()
    assert _SECRET.encode() not in _bytes_in(tmp_path)


def test_long_texts_are_cleaned_before_the_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a conversation is stored, no text over 2,000 characters is searched under the lock."""
    lengths: list[int] = []

    def note_text(text: str) -> str:
        lengths.append(len(text))
        return without_secrets_in_json(text)

    monkeypatch.setattr(database, "without_secrets_in_json", note_text)
    talks = Conversations(store, N8N, acme_registry(), tuple)
    reply = talks.open(DraftRequest("On a webhook send by Acme Mail"))
    steps = [
        {"id": "mail", "tool": f"Acme {n}", "params": {"text": "x y " * 500}} for n in range(9)
    ]
    while reply["status"] == "draft":
        session, _ = get_session(store, reply["session"])
        reply = talks.submit_reply(session, reply=json.dumps({"steps": steps}))
    store.close()
    assert lengths
    assert max(lengths) <= 2_000


def test_rows_that_are_stored_already_are_cleaned(store: Store, tmp_path: Path) -> None:
    """By the rules of now, once: names, drafts, and what has to come back is sealed."""
    raw = CleanText(_TEXT)
    count = {"domain": "n8n", "kind": "unknown", "tool": "", "count": 1, "samples": "[]"}
    with begin_write(store.engine) as connection:
        jobs = JobStore(store.engine)
        connection.execute(
            insert(NAME_COUNTS).values(
                **count, name_key="a", name=raw, last_seen="2026-01-01T00:00:00.000Z"
            )
        )
    job, _ = jobs.open("f" * 64, {"plan": 1, "attempts": 3}, "me", 60)
    ledger = ImportLedger(store.engine, "http://127.0.0.1:1")
    assert ledger.claim("k", "f" * 64, None)
    ledger.release("k")
    plain = CleanText(json.dumps({"plan": _TEXT, "attempts": 3}))
    with begin_write(store.engine) as connection:
        connection.execute(update(JOBS).values(order=plain, problem=raw))
        connection.execute(update(IMPORTS).values(key=raw, previous=plain))
    assert _SECRET.encode() in _bytes_in(tmp_path)
    assert clean_stored_rows(store.engine) == 3
    assert clean_stored_rows(store.engine) == 0
    again, entry = jobs.get(job.id), ledger.entry(_TEXT)
    assert again is not None
    assert again.order == {"plan": _TEXT, "attempts": 3}
    assert entry is not None
    assert entry.previous == again.order
    with begin_read(store.engine) as connection:
        assert connection.execute(select(NAME_COUNTS.c.name)).scalar() == f"token {MARK}"
        for name, columns in SEALED.items():
            for column in columns:
                rows = connection.execute(select(METADATA.tables[name].c[column])).scalars()
                assert all(row is None or row.startswith("sealed:") for row in rows)
    store.close()
    assert _SECRET.encode() not in _bytes_in(tmp_path)


def raise_with(text: str) -> None:
    """Fail with this text in the message."""
    raise ValueError(text)


def test_own_keys_leave_in_no_text(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Own keys appear in no log, error or database text, also not inside an address."""
    key, password = "n8n-own-key/with+signs-1", "data-base+word-1"
    Settings(
        state=tmp_path,
        database_url=f"postgresql://me:{password}@db.example/x",
        n8n_api_key=key,
    )
    log = logging.getLogger("grounded_builder.test")
    try:
        raise_with(key)
    except ValueError:
        log.exception("refused %s and %s", key, password)
    assert MARK in caplog.text
    assert key not in caplog.text
    assert password not in caplog.text
    error = ApiError(HTTPStatus.NOT_FOUND, "none", f"no {key}", at=f"/{password}")
    content = bytes(answer(error).body)
    assert content.count(MARK.encode()) == 2
    engine = make_engine("sqlite://")
    with begin_write(engine) as connection:
        METADATA.create_all(connection)
        connection.execute(insert(NAME_COUNTS).values(_row(NAME_COUNTS) | {"name": f"to {key}"}))
        assert connection.execute(select(NAME_COUNTS.c.name)).scalar() == f"to {MARK}"
