"""Creates the first tables: catalogs, tokens, secrets, counters."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

_FINGERPRINT = sa.String(64)
_UTC = sa.String(32)


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "catalogs",
        sa.Column("fingerprint", _FINGERPRINT, nullable=False),
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("header", sa.Text, nullable=False),
        sa.Column("tools", sa.Integer, nullable=False),
        sa.Column("credentials", sa.Integer, nullable=False),
        sa.Column("index_blob", sa.LargeBinary, nullable=False),
        sa.Column("is_reference", sa.Boolean, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("loaded_at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_catalogs"),
    )
    op.create_index("ix_catalogs_domain_position", "catalogs", ["domain", "position"])
    op.create_table(
        "entries",
        sa.Column("fingerprint", _FINGERPRINT, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("fingerprint", name="pk_entries"),
    )
    op.create_table(
        "catalog_entries",
        sa.Column("catalog", _FINGERPRINT, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("id", sa.String(512), nullable=False),
        sa.Column("entry", _FINGERPRINT, nullable=False),
        sa.PrimaryKeyConstraint("catalog", "kind", "id", name="pk_catalog_entries"),
        sa.ForeignKeyConstraint(
            ["catalog"],
            ["catalogs.fingerprint"],
            name="fk_catalog_entries_catalog_catalogs",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["entry"], ["entries.fingerprint"], name="fk_catalog_entries_entry_entries"
        ),
    )
    op.create_index("ix_catalog_entries_entry", "catalog_entries", ["entry"])
    op.create_table(
        "activations",
        sa.Column(
            "sequence",
            sa.BigInteger().with_variant(sa.Integer, "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("catalog", _FINGERPRINT, nullable=False),
        sa.Column("at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("sequence", name="pk_activations"),
    )
    op.create_index("ix_activations_domain_sequence", "activations", ["domain", "sequence"])
    op.create_table(
        "catalog_files",
        sa.Column("sha256", _FINGERPRINT, nullable=False),
        sa.Column("catalog", _FINGERPRINT, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_catalog_files"),
        sa.ForeignKeyConstraint(
            ["catalog"],
            ["catalogs.fingerprint"],
            name="fk_catalog_files_catalog_catalogs",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_catalog_files_catalog", "catalog_files", ["catalog"])
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(26), nullable=False),
        sa.Column("hash", _FINGERPRINT, nullable=False),
        sa.Column("label", sa.String(200), nullable=False),
        sa.Column("scopes", sa.Text, nullable=False),
        sa.Column("created_at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("hash", name="uq_tokens_hash"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
    op.create_table(
        "counters",
        sa.Column("name", sa.String(128), nullable=False),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_counters"),
    )
