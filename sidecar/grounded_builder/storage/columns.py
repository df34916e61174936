"""Column types shared by all tables, and the common metadata."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer, MetaData, String

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite counts up by itself only for a column of exactly type INTEGER.
COUNTED = BigInteger().with_variant(Integer, "sqlite")

FINGERPRINT = String(64)

ULID = String(26)

UTC = String(32)  # ISO 8601 with Z: sorts as text, and reads the same in every database
