"""Adds names of jobs given by clients, and the table of uploads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Applies the migration."""
    op.add_column("jobs", sa.Column("key", sa.String(64)))
    op.create_index("ix_jobs_key", "jobs", ["key"], unique=True)
    op.create_table(
        "uploads",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("result", sa.String(64)),
        sa.Column("changed_at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_uploads"),
    )
    op.create_table(
        "upload_pieces",
        sa.Column("upload", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["upload"],
            ["uploads.name"],
            name="fk_upload_pieces_upload_uploads",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("upload", "number", name="pk_upload_pieces"),
    )
