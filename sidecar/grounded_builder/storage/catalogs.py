"""Stores catalogs with their entries, which catalog is active, and the catalog of each file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from grounded_builder.catalog.loader import PreparedCatalog, header_json
from grounded_builder.catalog.stored_tool import Entry
from grounded_builder.storage.errors import NoSuchCatalogError, StorageError
from grounded_builder.storage.schema import (
    ACTIVATIONS,
    CATALOG_ENTRIES,
    CATALOG_FILES,
    CATALOGS,
    ENTRIES,
)
from grounded_builder.storage.timestamps import utc_now

_SHORTEST_PREFIX = 6
# Each reference catalog is held in memory.
_EARLIER = 2
_FINGERPRINT_LENGTH = 64
# Below the least number of bound values that any supported database takes.
_BATCH = 400


@dataclass(frozen=True, slots=True)
class StoredCatalog:
    """A stored catalog: its facts without its tools; times are ISO 8601, UTC.

    ``overlay`` are the ids of tools that were added to those of the loaded file.
    """

    fingerprint: str
    domain: str
    origin: str
    versions: dict[str, str]
    packages: tuple[dict[str, Any], ...]
    tools: int
    credentials: int
    loaded_at: str
    is_active: bool
    is_reference: bool
    overlay: tuple[str, ...] = ()


def put(connection: Connection, catalog: PreparedCatalog, *, reference: bool) -> bool:
    """Stores a catalog, or refreshes a stored one; returns whether it is new."""
    known = connection.execute(
        select(CATALOGS.c.fingerprint).where(CATALOGS.c.fingerprint == catalog.fingerprint)
    ).first()
    # The index is rewritten even then: a later version may store more in it.
    values: dict[str, Any] = {
        "index_blob": catalog.index,
        "position": next_position(connection),
        "loaded_at": utc_now(),
        # A loaded file replaces the overlay, whatever was added before.
        "overlay": None,
    }
    if reference:
        values["is_reference"] = True
    if known is not None:
        where = CATALOGS.c.fingerprint == catalog.fingerprint
        connection.execute(update(CATALOGS).where(where).values(values))
        return False
    kinds = [entry.kind for entry in catalog.entries]
    values |= {
        "fingerprint": catalog.fingerprint,
        "domain": catalog.header.domain,
        "header": orjson.dumps(header_json(catalog.header)).decode(),
        "tools": kinds.count("tool"),
        "credentials": kinds.count("credential"),
        "is_reference": reference,
    }
    connection.execute(insert(CATALOGS).values(values))
    _put_entries(connection, catalog)
    return True


def activate(connection: Connection, domain: str, fingerprint: str) -> None:
    """Makes a stored catalog the active one of its domain."""
    connection.execute(insert(ACTIVATIONS).values(domain=domain, catalog=fingerprint, at=utc_now()))
    where = CATALOGS.c.fingerprint == fingerprint
    position = next_position(connection)
    connection.execute(update(CATALOGS).where(where).values(position=position))


def remember_file(connection: Connection, sha256: str, fingerprint: str) -> None:
    """Records which catalog a file contains."""
    connection.execute(delete(CATALOG_FILES).where(CATALOG_FILES.c.sha256 == sha256))
    connection.execute(insert(CATALOG_FILES).values(sha256=sha256, catalog=fingerprint))


def of_file(connection: Connection, sha256: str) -> str | None:
    """Returns the stored catalog of a file with this hash, None without one."""
    statement = select(CATALOG_FILES.c.catalog).where(CATALOG_FILES.c.sha256 == sha256)
    return connection.execute(statement).scalar()


def active(connection: Connection, domain: str) -> str | None:
    """Returns the fingerprint of the active catalog of a domain."""
    statement = (
        select(ACTIVATIONS.c.catalog)
        .where(ACTIVATIONS.c.domain == domain)
        .order_by(ACTIVATIONS.c.sequence.desc())
        .limit(1)
    )
    return connection.execute(statement).scalar()


def marks(connection: Connection) -> dict[str, tuple[int, ...]]:
    """Returns numbers for every domain that change when a catalog is loaded, activated
    or dropped.
    """
    activated = select(ACTIVATIONS.c.domain, func.max(ACTIVATIONS.c.sequence)).group_by(
        ACTIVATIONS.c.domain
    )
    value = select(CATALOGS.c.domain, func.count(), func.max(CATALOGS.c.position)).group_by(
        CATALOGS.c.domain
    )
    sequences = {row[0]: row[1] for row in connection.execute(activated)}
    rows = connection.execute(value)
    return {row[0]: (sequences.get(row[0], 0), row[1], row[2]) for row in rows}


def list_catalogs(connection: Connection, domain: str) -> tuple[StoredCatalog, ...]:
    """Returns the stored catalogs of a domain, most recently loaded or used first."""
    now = active(connection, domain)
    statement = _facts().where(CATALOGS.c.domain == domain).order_by(CATALOGS.c.position.desc())
    return tuple(_catalog_of(row, now) for row in connection.execute(statement))


def get_catalog(connection: Connection, fingerprint: str) -> StoredCatalog:
    """Returns the facts of one stored catalog; raises NoSuchCatalogError when there is none."""
    row = connection.execute(_facts().where(CATALOGS.c.fingerprint == fingerprint)).first()
    if row is None:
        raise NoSuchCatalogError(f"no catalog {fingerprint[:12]} is stored")
    return _catalog_of(row, active(connection, row.domain))


def find(connection: Connection, fingerprint: str, domain: str | None = None) -> str:
    """Returns the full fingerprint with this prefix; raises NoSuchCatalogError unless
    one matches.
    """
    wanted = fingerprint.strip().casefold()
    if len(wanted) < _SHORTEST_PREFIX or not all(mark in "0123456789abcdef" for mark in wanted):
        shown = fingerprint[:_FINGERPRINT_LENGTH]
        raise NoSuchCatalogError(
            f"{shown!r} is not a fingerprint: at least {_SHORTEST_PREFIX} hexadecimal digits"
        )
    statement = select(CATALOGS.c.fingerprint).where(CATALOGS.c.fingerprint.startswith(wanted))
    if domain is not None:
        statement = statement.where(CATALOGS.c.domain == domain)
    matches = connection.execute(statement.limit(2)).scalars().all()
    if len(matches) == 1:
        return str(matches[0])
    how_many = "several catalogs begin" if matches else "no stored catalog begins"
    raise NoSuchCatalogError(f"{how_many} with {wanted}")


def index_blob(connection: Connection, fingerprint: str) -> bytes:
    """Returns the compressed index of a stored catalog."""
    statement = select(CATALOGS.c.index_blob).where(CATALOGS.c.fingerprint == fingerprint)
    blob = connection.execute(statement).scalar()
    if blob is None:
        raise NoSuchCatalogError(f"no catalog {fingerprint[:12]} is stored")
    return bytes(blob)


def body(connection: Connection, entry: str) -> bytes:
    """Returns the compressed body of an entry."""
    statement = select(ENTRIES.c.body).where(ENTRIES.c.fingerprint == entry)
    scalar = connection.execute(statement).scalar()
    if scalar is None:
        raise StorageError("the catalog in use has been removed by newer ones; load it again")
    return bytes(scalar)


def references(connection: Connection, domain: str) -> Sequence[str]:
    """Returns the fingerprints of the reference catalogs, then of those used last.

    Tools that were installed yesterday explain why a name is not found today.
    """
    others = select(CATALOGS.c.fingerprint).where(CATALOGS.c.domain == domain)
    newest_first = CATALOGS.c.position.desc()
    by = others.where(CATALOGS.c.is_reference).order_by(newest_first)
    plain = others.where(~CATALOGS.c.is_reference, CATALOGS.c.overlay.is_(None))
    used = plain.order_by(newest_first).limit(_EARLIER + 1)
    fingerprints = [row for query in (by, used) for row in connection.execute(query).scalars()]
    return [
        fingerprint for fingerprint in fingerprints if fingerprint != active(connection, domain)
    ]


def drop(connection: Connection, fingerprints: Iterable[str]) -> None:
    """Removes catalogs and the bodies that no other catalog uses."""
    dropped = list(fingerprints)
    if not dropped:
        return
    for part in _batches(dropped):
        connection.execute(delete(CATALOG_FILES).where(CATALOG_FILES.c.catalog.in_(part)))
        connection.execute(delete(CATALOG_ENTRIES).where(CATALOG_ENTRIES.c.catalog.in_(part)))
        connection.execute(delete(CATALOGS).where(CATALOGS.c.fingerprint.in_(part)))
    used = select(CATALOG_ENTRIES.c.entry).where(CATALOG_ENTRIES.c.entry == ENTRIES.c.fingerprint)
    connection.execute(delete(ENTRIES).where(~used.exists()))


def surplus(connection: Connection, domain: str, number: int) -> list[str]:
    """Returns the catalogs beyond the newest ``number``, except the active one and references.

    Catalogs with an overlay are counted separately, so that single tools displace no loaded
    catalog.
    """
    now = active(connection, domain)
    is_plain = CATALOGS.c.overlay.is_(None)
    fingerprints: list[str] = []
    for kind in (is_plain, ~is_plain):
        statement = (
            select(CATALOGS.c.fingerprint)
            .where(CATALOGS.c.domain == domain, ~CATALOGS.c.is_reference, kind)
            .order_by(CATALOGS.c.position.desc())
            .offset(number)
        )
        fingerprints += connection.execute(statement).scalars()
    return [name for name in fingerprints if name != now]


def _put_entries(connection: Connection, catalog: PreparedCatalog) -> None:
    put_bodies(connection, catalog.entries)
    rows = [
        {
            "catalog": catalog.fingerprint,
            "kind": entry.kind,
            "id": entry.id,
            "entry": entry.fingerprint,
        }
        for entry in catalog.entries
    ]
    if rows:
        connection.execute(insert(CATALOG_ENTRIES), rows)


def put_bodies(connection: Connection, entries: Iterable[Entry]) -> None:
    """Stores the bodies of entries, each once for all catalogs that share it."""
    bodies = {entry.fingerprint: entry.body for entry in entries}
    known: set[str] = set()
    for part in _batches(list(bodies)):
        where = ENTRIES.c.fingerprint.in_(part)
        known.update(connection.execute(select(ENTRIES.c.fingerprint).where(where)).scalars())
    fresh = [
        {"fingerprint": key, "body": content} for key, content in bodies.items() if key not in known
    ]
    if fresh:
        connection.execute(insert(ENTRIES), fresh)


def next_position(connection: Connection) -> int:
    """Returns the position of the next catalog that is loaded or activated."""
    return int(connection.execute(select(func.max(CATALOGS.c.position))).scalar() or 0) + 1


def _facts() -> Select[Any]:
    return select(
        CATALOGS.c.fingerprint,
        CATALOGS.c.domain,
        CATALOGS.c.header,
        CATALOGS.c.tools,
        CATALOGS.c.credentials,
        CATALOGS.c.loaded_at,
        CATALOGS.c.is_reference,
        CATALOGS.c.overlay,
    )


def _catalog_of(row: Row[Any], active_now: str | None) -> StoredCatalog:
    header = orjson.loads(row.header)
    return StoredCatalog(
        fingerprint=row.fingerprint,
        domain=row.domain,
        origin=header["origin"],
        versions=header["versions"],
        packages=tuple(header["packages"]),
        tools=row.tools,
        credentials=row.credentials,
        loaded_at=row.loaded_at,
        is_active=row.fingerprint == active_now,
        is_reference=row.is_reference,
        overlay=tuple(orjson.loads(row.overlay or "[]")),
    )


def _batches(values: list[str]) -> Iterable[list[str]]:
    return (values[start : start + _BATCH] for start in range(0, len(values), _BATCH))
