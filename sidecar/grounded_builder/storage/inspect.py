"""Look at a database without making, migrating or changing anything in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from grounded_builder.storage import catalogs, keys, tokens
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.database import connected, reading, revision_of
from grounded_builder.storage.errors import DatabaseDamagedError, StorageError
from grounded_builder.storage.schema import ACTIVATIONS, CATALOGS, HEAD, RUNS


@dataclass(frozen=True, slots=True)
class Condition:
    """How a database is; the facts of what is kept only where ``revision`` is ``head``.

    ``kind`` is that of the database, ``place`` the file of an SQLite one. ``revision`` is None
    of one that is not there yet. ``keys`` are names, ``tokens`` hashes, ``domains`` those that a
    catalog is kept of, ``active`` the catalogs in use, ``latest`` the newest time of what was
    noted (ISO 8601, UTC). ``told_at`` is the time that the server of a shared database tells.
    """

    kind: str
    place: str
    revision: str | None = None
    fault: StorageError | None = None
    keys: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    active: tuple[StoredCatalog, ...] = ()
    latest: str | None = None
    told_at: datetime | None = None
    head: str = HEAD

    @property
    def is_current(self) -> bool:
        """Whether what is kept was looked at."""
        return self.fault is None and self.revision == self.head

    @property
    def is_open(self) -> bool:
        """Whether it is known what is kept, be it nothing."""
        return self.is_current or (self.fault is None and self.revision is None)


def look_at(url: str) -> Condition:
    """Returns how the database at this address is; what stands against looking is its ``fault``."""
    kind, place = _named(url)
    # Opening a file that is not there would make it.
    if place and not place.startswith(("file:", ":")) and not Path(place).exists():
        return Condition(kind, place)
    try:
        engine = connected(url)
        try:
            with reading(engine) as connection:
                return _looked(connection, kind, place)
        finally:
            engine.dispose()
    except StorageError as error:
        return Condition(kind, place, fault=error)


def _looked(connection: Connection, kind: str, place: str) -> Condition:
    if kind == "sqlite":
        scalar = connection.execute(text("PRAGMA quick_check(1)")).scalar()
        if scalar != "ok":
            raise DatabaseDamagedError(f"the database is damaged: {scalar}")
    revision = revision_of(connection)
    if revision != HEAD:
        return Condition(kind, place, revision)
    domains = frozenset(connection.execute(select(CATALOGS.c.domain).distinct()).scalars())
    active = [
        catalogs.one(connection, fingerprint)
        for domain in sorted(domains)
        if (fingerprint := catalogs.active(connection, domain)) is not None
    ]
    times = (ACTIVATIONS.c.at, RUNS.c.started_at, CATALOGS.c.loaded_at)
    noted = [connection.execute(select(func.max(time))).scalar() for time in times]
    return Condition(
        kind,
        place,
        revision,
        keys=frozenset(keys.kept(connection)),
        tokens=frozenset(token.hash for token in tokens.listed(connection)),
        domains=domains,
        active=tuple(active),
        latest=max((item for item in noted if item), default=None),
        told_at=None if kind == "sqlite" else _told_at(connection),
    )


def _told_at(connection: Connection) -> datetime:
    scalar_one: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    return scalar_one


def _named(url: str) -> tuple[str, str]:
    try:
        parsed = make_url(url)
    except ArgumentError:
        return "database", ""
    kind = parsed.get_backend_name()
    return kind, (parsed.database or "") if kind == "sqlite" else ""
