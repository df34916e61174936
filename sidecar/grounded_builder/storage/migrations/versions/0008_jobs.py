"""Creates the table of jobs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_UTC = sa.String(32)


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(26), nullable=False),
        sa.Column("environment", sa.String(64), nullable=False),
        sa.Column("order", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("lease", sa.String(26)),
        sa.Column("holder", sa.String(200)),
        sa.Column("held_until", _UTC),
        sa.Column("problem", sa.Text),
        sa.Column("created_at", _UTC, nullable=False),
        sa.Column("changed_at", _UTC, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
    )
    op.create_index("ix_jobs_environment_state", "jobs", ["environment", "state"])
