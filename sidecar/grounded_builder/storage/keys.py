"""Creates and reads the secrets that all replicas of an installation share."""

from __future__ import annotations

import secrets

from sqlalchemy import Connection, insert, select

from grounded_builder.storage.schema import SECRETS


def get_or_create(connection: Connection, name: str) -> str:
    """Returns the secret of this name; created as 32 random bytes in hex the first time.

    Needs a write transaction.
    """
    scalar = connection.execute(select(SECRETS.c.value).where(SECRETS.c.name == name)).scalar()
    if scalar is not None:
        return str(scalar)
    value = secrets.token_hex(32)
    connection.execute(insert(SECRETS).values(name=name, value=value))
    return value


def all_secrets(connection: Connection) -> dict[str, str]:
    """Returns all secrets by name."""
    rows = connection.execute(select(SECRETS.c.name, SECRETS.c.value))
    return {row[0]: row[1] for row in rows}
