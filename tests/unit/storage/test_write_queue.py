"""The writers of one process and one SQLite file wait in line."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from grounded_builder.settings import sqlite_url
from grounded_builder.storage import DatabaseLockedError, database
from grounded_builder.storage.write_queue import WriteQueue, write_queue_of
from tests.support.time_bounds import until


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = database.make_engine(sqlite_url(tmp_path))
    with database.begin_write(opened) as connection:
        connection.execute(text("CREATE TABLE marks (mark INTEGER)"))
    yield opened
    opened.dispose()


def _mark(engine: Engine, mark: int, seconds: float = 0.0) -> None:
    with database.begin_write(engine) as connection:
        connection.execute(text("INSERT INTO marks VALUES (:mark)"), {"mark": mark})
        time.sleep(seconds)


def _marks(engine: Engine) -> list[int]:
    with database.begin_read(engine) as connection:
        return list(connection.execute(text("SELECT mark FROM marks ORDER BY rowid")).scalars())


def test_writers_write_in_the_order_in_which_they_ask(engine: Engine) -> None:
    """Writers write in the order of their requests."""
    queue = write_queue_of(engine)
    with ThreadPoolExecutor(12) as pool, database.begin_write(engine):
        for mark in range(12):
            pool.submit(_mark, engine, mark)
            until(lambda mark=mark: queue.waiting_count == mark + 1)  # type: ignore[misc]
    assert _marks(engine) == list(range(12))
    assert queue.waiting_count == 0


def test_a_long_line_that_moves_is_waited_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No writer is refused for the number of writers before it while each ends in time."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 1.0)
    engine.dispose()  # handles have the time that was set when they were opened
    writers = 50
    with ThreadPoolExecutor(writers) as pool:
        done = [pool.submit(_mark, engine, mark, 0.04) for mark in range(writers)]
        for result in done:
            result.result()
    assert sorted(_marks(engine)) == list(range(writers))


def test_a_writer_that_does_not_end_is_not_waited_for(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that waits too long gets the error of a locked database, and the others continue."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.1)
    with ThreadPoolExecutor(5) as pool, database.begin_write(engine):
        done = [pool.submit(_mark, engine, mark) for mark in range(5)]
        errors = [result.exception() for result in done]
    assert {type(error) for error in errors} == {DatabaseLockedError}
    assert all("waited" in str(error) for error in errors)
    _mark(engine, 7)
    assert _marks(engine) == [7]


def test_an_interrupted_writer_does_not_stop_the_line() -> None:
    """A turn that comes to a writer that has left is passed on."""
    queue = WriteQueue()
    entered = threading.Event()

    class Interrupted(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            del timeout
            raise KeyboardInterrupt

    with queue.turn(5):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threading, "Event", Interrupted)
            with pytest.raises(KeyboardInterrupt), queue.turn(5):
                entered.set()
        assert queue.waiting_count == 0
    with queue.turn(5):
        entered.set()
    assert entered.is_set()
