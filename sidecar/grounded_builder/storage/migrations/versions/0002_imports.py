"""Creates the table of imports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_UTC = sa.String(32)


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "imports",
        sa.Column("instance", sa.String(300), nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("artifact", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("target", sa.String(64)),
        sa.Column("workflow_id", sa.String(64)),
        sa.Column("version_id", sa.String(64)),
        sa.Column("earlier", sa.Text),
        sa.Column("previous", sa.Text),
        sa.Column("problem", sa.Text),
        sa.Column("holder", sa.String(300)),
        sa.Column("held_until", _UTC),
        sa.Column("started_at", _UTC, nullable=False),
        sa.Column("changed_at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("instance", "key", name="pk_imports"),
    )
    op.create_index("ix_imports_instance_workflow_id", "imports", ["instance", "workflow_id"])
