"""The databases that tests keep their state in: SQLite files, or a PostgreSQL server's.

``pytest --database postgresql`` starts a server of its own, which listens on a socket in a
folder of its own, and ends it with the run.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import DuplicateDatabase, UniqueViolation

from grounded_builder.settings import sqlite_url

_SERVER = "GROUNDED_TEST_POSTGRES"
_PROGRAMS = Path("/usr/lib/postgresql")
_OWNER = "postgres"
_OPTIONS = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the choice of the database."""
    parser.addoption("--database", choices=("sqlite", "postgresql"), default="sqlite")


def pytest_configure(config: pytest.Config) -> None:
    """Starts the server before any test, in the environment of which its folder is told."""
    if config.getoption("--database") == "postgresql":
        os.environ[_SERVER] = str(_started())


def pytest_unconfigure(config: pytest.Config) -> None:
    """Ends the server and removes what it kept."""
    folder = os.environ.pop(_SERVER, None)
    if folder is not None and config.getoption("--database") == "postgresql":
        _as_owner("pg_ctl", "--pgdata", f"{folder}/data", "--mode", "immediate", "stop")
        shutil.rmtree(folder)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out what speaks of SQLite files where there are none."""
    if config.getoption("--database") == "postgresql" and "sqlite" in collection_path.name:
        return True
    return None


def on_postgresql() -> bool:
    """Whether this run keeps its state on a PostgreSQL server."""
    return _SERVER in os.environ


def url_of(state: Path) -> str:
    """The database of a state folder, the same for every process of the run."""
    folder = os.environ.get(_SERVER)
    if folder is None:
        return sqlite_url(state)
    name = "t" + hashlib.sha256(str(state.resolve()).encode()).hexdigest()[:24]
    with (
        suppress(DuplicateDatabase, UniqueViolation),  # another process may be as far
        psycopg.connect(_address(folder, "postgres"), autocommit=True) as connection,
    ):
        connection.execute(f"CREATE DATABASE {name}".encode())
    return _address(folder, name)


def _address(folder: str, database: str) -> str:
    return f"postgresql://{_OWNER}@/{database}?host={folder}"


def _started() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="grounded-postgres-"))
    if os.geteuid() == 0:  # the server refuses to run as root
        owner = pwd.getpwnam(_OWNER)
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    _as_owner("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--username", _OWNER)
    options = f"{_OPTIONS} -k {folder}"
    log = f"{folder}/log"
    _as_owner("pg_ctl", "-D", f"{folder}/data", "-o", options, "-l", log, "--wait", "start")
    return folder


def _as_owner(program: str, *arguments: str) -> None:
    newest = max(_PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
    command = [str(newest / program), *arguments]
    if os.geteuid() == 0:
        command = ["runuser", "-u", _OWNER, "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
