"""Copies all rows of one database into another, deletes all rows, and counts them by table."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, text

from grounded_builder.storage.schema import METADATA

# Rows per batch: some contain whole catalogs.
_BATCH = 200


def copy_all(source: Connection, target: Connection) -> int:
    """Inserts every row of ``source`` into the empty tables of ``target``; returns their number."""
    copied = 0
    for table in METADATA.sorted_tables:
        mapping_result = (
            source.execution_options(yield_per=_BATCH).execute(select(table)).mappings()
        )
        for part in mapping_result.partitions(_BATCH):
            batch: list[dict[str, Any]] = [dict(row) for row in part]
            target.execute(insert(table), batch)
            copied += len(batch)
    if target.dialect.name == "postgresql":
        _advance_sequences(target)
    return copied


def remove_all(connection: Connection) -> None:
    """Deletes every row, referring rows first."""
    for table in reversed(METADATA.sorted_tables):
        connection.execute(delete(table))


def row_counts(connection: Connection) -> dict[str, int]:
    """Returns the number of rows of each table, without the empty ones."""
    counts = {
        table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
        for table in METADATA.sorted_tables
    }
    return {name: count for name, count in counts.items() if count}


def _advance_sequences(connection: Connection) -> None:
    """Advances the sequences of PostgreSQL beyond the copied rows."""
    for table in METADATA.sorted_tables:
        column = table.autoincrement_column
        if column is None or column.autoincrement is not True:
            continue
        highest = connection.execute(select(func.max(column))).scalar()
        if highest is not None:
            connection.execute(
                text("SELECT setval(pg_get_serial_sequence(:table, :column), :highest)"),
                {"table": table.name, "column": column.name, "highest": highest},
            )
