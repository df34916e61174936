"""Creates the table of trials."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_UTC = sa.String(32)


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "trials",
        sa.Column("id", sa.String(26), nullable=False),
        sa.Column("instance", sa.String(300), nullable=False),
        sa.Column("workflow_id", sa.String(64)),
        sa.Column("holder", sa.String(300), nullable=False),
        sa.Column("started_at", _UTC, nullable=False),
        sa.Column("ended_at", _UTC),
        sa.PrimaryKeyConstraint("id", name="pk_trials"),
    )
    op.create_index("ix_trials_instance_ended_at", "trials", ["instance", "ended_at"])
