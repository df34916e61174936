"""Separate servers, which these tests may kill, stop and disconnect."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres
from tests.support.queue_mode import Queue, run_queue_mode
from tests.support.replicas import Forks


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    server = Postgres.start_new()
    yield server
    server.remove()


@pytest.fixture
def forks(tmp_path: Path) -> Iterator[Forks]:
    """Sidecars that start in no time."""
    made = Forks(tmp_path / "sidecars")
    yield made
    made.close()


@pytest.fixture(scope="session")
def queue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queue]:
    """An n8n in queue mode; a test that kills its main process starts that again."""
    server = Postgres.start_new()
    try:
        with run_queue_mode(tmp_path_factory.mktemp("queue"), server) as made:
            yield made
    finally:
        server.remove()
