"""Creates the tables of wrong names and decisions about them, and marks overlay catalogs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_UTC = sa.String(32)
_COUNTED = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Applies the migration."""
    op.add_column("catalogs", sa.Column("overlay", sa.Text))
    op.create_table(
        "name_counts",
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("tool", sa.String(300), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("samples", sa.Text, nullable=False),
        sa.Column("last_seen", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("domain", "name_key", "kind", "tool", name="pk_name_counts"),
    )
    op.create_index("ix_name_counts_domain_last_seen", "name_counts", ["domain", "last_seen"])
    op.create_table(
        "name_corrections",
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("tool", sa.String(300), nullable=False),
        sa.Column("run", sa.String(26), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("domain", "name_key", "tool", "run", name="pk_name_corrections"),
    )
    op.create_index("ix_name_corrections_domain_at", "name_corrections", ["domain", "at"])
    op.create_table(
        "alias_decisions",
        sa.Column("sequence", _COUNTED, nullable=False, autoincrement=True),
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("decision", sa.String(16), nullable=False),
        sa.Column("tool", sa.String(300)),
        sa.Column("instead", sa.String(300)),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("decided_by", sa.String(200), nullable=False),
        sa.Column("at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_alias_decisions"),
        sa.UniqueConstraint(
            "domain", "name_key", "number", name="uq_alias_decisions_domain_name_key_number"
        ),
    )
