"""Adds to named counters in the database, and reads them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, insert, select, update

from grounded_builder.storage.schema import COUNTERS


def add(connection: Connection, amounts: Mapping[str, int]) -> None:
    """Adds to several counters at once; one that is new starts at zero."""
    for name, amount in sorted(amounts.items()):
        grown = (
            update(COUNTERS).where(COUNTERS.c.name == name).values(count=COUNTERS.c.count + amount)
        )
        if connection.execute(grown).rowcount == 0:
            connection.execute(insert(COUNTERS).values(name=name, count=amount))


def read(connection: Connection) -> dict[str, int]:
    """Returns all counters by name."""
    rows = connection.execute(select(COUNTERS.c.name, COUNTERS.c.count).order_by(COUNTERS.c.name))
    return {row[0]: row[1] for row in rows}
