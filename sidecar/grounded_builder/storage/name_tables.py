"""The tables of names: counts, corrections, decisions."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from grounded_builder.storage.columns import COUNTED, METADATA, ULID, UTC

# Counts of names that are not a tool's own; ``key`` is common to all spellings.
NAME_COUNTS = Table(
    "name_counts",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("samples", Text, nullable=False),
    Column("last_seen", UTC, nullable=False),
    Index(None, "domain", "last_seen"),
)


# The same counts by day (UTC).
NAME_DAYS = Table(
    "name_days",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("day", String(10), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("kind", String(16), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("name", String(200), nullable=False),
    Column("count", BigInteger, nullable=False),
)


# The tools that later drafts of a run used for unresolved names.
NAME_CORRECTIONS = Table(
    "name_corrections",
    METADATA,
    Column("domain", String(64), primary_key=True),
    Column("name_key", String(200), primary_key=True),
    Column("tool", String(300), primary_key=True),
    Column("run", ULID, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("at", UTC, nullable=False),
    Index(None, "domain", "at"),
)


# Decisions about names, append-only: the last one of a name is in force.
ALIAS_DECISIONS = Table(
    "alias_decisions",
    METADATA,
    Column("sequence", COUNTED, primary_key=True, autoincrement=True),
    Column("domain", String(64), nullable=False),
    Column("name_key", String(200), nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", String(200), nullable=False),
    Column("decision", String(16), nullable=False),
    Column("tool", String(300)),
    Column("instead", String(300)),
    Column("evidence", Text, nullable=False),
    Column("decided_by", String(200), nullable=False),
    Column("at", UTC, nullable=False),
    UniqueConstraint("domain", "name_key", "number"),
)
