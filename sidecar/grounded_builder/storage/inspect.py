"""Inspects a database without creating, migrating or changing anything in it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from grounded_builder.storage import catalogs, keys, tokens
from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.database import begin_read, make_engine, revision_of
from grounded_builder.storage.errors import DatabaseDamagedError, StorageError
from grounded_builder.storage.schema import ACTIVATIONS, CATALOGS, HEAD, RUNS


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of a database; its contents are known only where ``revision`` is ``head``.

    ``kind`` is the kind of database, ``place`` the file of an SQLite one. ``revision`` is None
    where it does not exist yet. ``keys`` are names, ``tokens`` hashes, ``domains`` those with a
    stored catalog, ``active`` the active catalogs, ``latest`` the newest recorded time (ISO 8601,
    UTC). ``server_time`` is the time of the server of a shared database.
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
    server_time: datetime | None = None
    head: str = HEAD

    @property
    def is_current(self) -> bool:
        """Whether the contents were inspected."""
        return self.fault is None and self.revision == self.head

    @property
    def is_open(self) -> bool:
        """Whether the contents are known, even where there are none."""
        return self.is_current or (self.fault is None and self.revision is None)


def look_at(url: str) -> Condition:
    """Returns the condition of the database at this address; obstacles are in its ``fault``."""
    kind, place = _place_of(url)
    # Opening a missing file would create it.
    if place and not place.startswith(("file:", ":")) and not Path(place).exists():
        return Condition(kind, place)
    try:
        engine = make_engine(url)
        try:
            with begin_read(engine) as connection:
                return _inspect(connection, kind, place)
        finally:
            engine.dispose()
    except StorageError as error:
        return Condition(kind, place, fault=error)


def _inspect(connection: Connection, kind: str, place: str) -> Condition:
    if kind == "sqlite":
        scalar = connection.execute(text("PRAGMA quick_check(1)")).scalar()
        if scalar != "ok":
            raise DatabaseDamagedError(f"the database is damaged: {scalar}")
    revision = revision_of(connection)
    if revision != HEAD:
        return Condition(kind, place, revision)
    domains = frozenset(connection.execute(select(CATALOGS.c.domain).distinct()).scalars())
    active = [
        catalogs.get_catalog(connection, fingerprint)
        for domain in sorted(domains)
        if (fingerprint := catalogs.active(connection, domain)) is not None
    ]
    times = (ACTIVATIONS.c.at, RUNS.c.started_at, CATALOGS.c.loaded_at)
    noted = [connection.execute(select(func.max(time))).scalar() for time in times]
    return Condition(
        kind,
        place,
        revision,
        keys=frozenset(keys.all_secrets(connection)),
        tokens=frozenset(token.hash for token in tokens.list_tokens(connection)),
        domains=domains,
        active=tuple(active),
        latest=max((time for time in noted if time), default=None),
        server_time=None if kind == "sqlite" else _server_time(connection),
    )


def _server_time(connection: Connection) -> datetime:
    scalar_one: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
    return scalar_one


def _place_of(url: str) -> tuple[str, str]:
    try:
        parsed = make_url(url)
    except ArgumentError:
        return "database", ""
    kind = parsed.get_backend_name()
    return kind, (parsed.database or "") if kind == "sqlite" else ""
