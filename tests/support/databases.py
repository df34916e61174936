"""Provides the databases of the tests: SQLite files or databases of a PostgreSQL server.

``pytest --database postgresql`` starts a new server, which listens on a socket in a temporary
folder, and stops it with the run.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

import pytest
from psycopg.errors import DuplicateDatabase, UniqueViolation

from grounded_builder.settings import sqlite_url
from grounded_builder.storage import catalogs
from grounded_builder.storage.database import begin_write
from grounded_builder.storage.store import Store
from tests.support.postgres import Postgres

_SERVER = "GROUNDED_TEST_POSTGRES"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the choice of the database."""
    parser.addoption("--database", choices=("sqlite", "postgresql"), default="sqlite")


def pytest_configure(config: pytest.Config) -> None:
    """Starts the server before any test, and sets its folder in the environment."""
    if config.getoption("--database") == "postgresql":
        os.environ[_SERVER] = str(Postgres.start_new().folder)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops the server and removes its data."""
    folder = os.environ.pop(_SERVER, None)
    if folder is not None and config.getoption("--database") == "postgresql":
        Postgres(Path(folder)).remove()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Skips the modules about SQLite files on PostgreSQL."""
    if config.getoption("--database") == "postgresql" and "sqlite" in collection_path.name:
        return True
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the tests that do not depend on the database on PostgreSQL."""
    if config.getoption("--database") != "postgresql":
        return
    deselected = [item for item in items if item.get_closest_marker("sqlite_suffices")]
    items[:] = [item for item in items if item not in deselected]
    config.hook.pytest_deselected(items=deselected)


def is_on_postgresql() -> bool:
    """Checks whether this run stores its state on a PostgreSQL server."""
    return _SERVER in os.environ


def url_of(state: Path) -> str:
    """Returns the database URL of a state folder, the same for every process of the run."""
    folder = os.environ.get(_SERVER)
    if folder is None:
        return sqlite_url(state)
    name = "t" + hashlib.sha256(str(state.resolve()).encode()).hexdigest()[:24]
    server = Postgres(Path(folder))
    with suppress(DuplicateDatabase, UniqueViolation):  # another process may have created it
        server.create(name)
    return server.address(name)


def drop_catalog(store: Store, fingerprint: str) -> None:
    """Removes a stored catalog, as loading newer ones does with an inactive one."""
    with begin_write(store.engine) as connection:
        catalogs.drop(connection, [fingerprint])
