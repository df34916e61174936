"""A PostgreSQL server of a test's own, on a socket in a folder of its own."""

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
    """A server whose data and socket lie in ``folder``."""

    folder: Path

    @classmethod
    def start_new(cls) -> Postgres:
        """A new one, which runs."""
        folder = Path(tempfile.mkdtemp(prefix="grounded-postgres-"))
        if os.geteuid() == 0:  # the server refuses to run as root
            owner = pwd.getpwnam(_OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        _as_owner("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--username", _OWNER)
        server = cls(folder)
        server.start()
        return server

    def start(self) -> None:
        """Let it run, again or for the first time."""
        options = ("-o", f"{_OPTIONS} -k {self.folder}", "-l", f"{self.folder}/log")
        _as_owner("pg_ctl", "-D", f"{self.folder}/data", *options, "--wait", "start")

    def stop(self) -> None:
        """End it at once, as a power cut does: every connection is cut."""
        _as_owner("pg_ctl", "--pgdata", f"{self.folder}/data", "--mode", "immediate", "stop")

    def remove(self) -> None:
        """End it, and remove all that it kept."""
        self.stop()
        shutil.rmtree(self.folder)

    def create(self, name: str) -> str:
        """Make a database; returns its address."""
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.address(name)

    def address(self, name: str) -> str:
        """The address of a database."""
        return f"postgresql://{_OWNER}@/{name}?host={self.folder}"


def _as_owner(program: str, *arguments: str) -> None:
    newest = max(_PROGRAMS.glob("*/bin"), key=lambda path: int(path.parent.name))
    command = [str(newest / program), *arguments]
    if os.geteuid() == 0:
        command = ["runuser", "-u", _OWNER, "--", *command]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")
