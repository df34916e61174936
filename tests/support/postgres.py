"""Runs a PostgreSQL server for one test, on a socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import psycopg

_PROGRAMS = Path("/usr/lib/postgresql")
_OWNER = "postgres"
_OPTIONS = "-c listen_addresses='' -c fsync=off -c synchronous_commit=off -c full_page_writes=off"


@dataclass(frozen=True, slots=True)
class Postgres:
    """A server whose data and socket are in ``folder``."""

    folder: Path

    @classmethod
    def start_new(cls) -> Postgres:
        """Returns a new running server."""
        folder = Path(tempfile.mkdtemp(prefix="grounded-postgres-"))
        if os.geteuid() == 0:  # the server refuses to run as root
            owner = pwd.getpwnam(_OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        _as_owner("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--username", _OWNER)
        server = cls(folder)
        server.start()
        return server

    def start(self) -> None:
        """Starts the server, again or for the first time."""
        options = ("-o", f"{_OPTIONS} -k {self.folder}", "-l", f"{self.folder}/log")
        _as_owner("pg_ctl", "-D", f"{self.folder}/data", *options, "--wait", "start")

    def stop(self) -> None:
        """Stops the server at once as a power failure does, which cuts every connection."""
        _as_owner("pg_ctl", "--pgdata", f"{self.folder}/data", "--mode", "immediate", "stop")

    def remove(self) -> None:
        """Stops the server and removes its data."""
        self.stop()
        shutil.rmtree(self.folder)

    def create(self, name: str) -> str:
        """Creates a database; returns its address."""
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)

    def address(self, name: str) -> str:
        """Returns the address of a database."""
        return f"postgresql://{_OWNER}@/{name}?host={self.folder}"


def _as_owner(program: str, *arguments: str) -> None:
    newest = max(_PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
    command = [str(newest / program), *arguments]
    if os.geteuid() == 0:
        command = ["runuser", "-u", _OWNER, "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
