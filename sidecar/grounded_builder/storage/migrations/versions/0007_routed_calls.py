"""Creates the table of routed calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "routed_calls",
        sa.Column("run", sa.String(26), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("tool", sa.String(300), nullable=False),
        sa.Column("definition", sa.String(64)),
        sa.Column("drafted", sa.String(300), nullable=False),
        sa.Column("found_by", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("error_type", sa.String(64)),
        sa.Column("message", sa.String(500)),
        sa.Column("request", sa.String(500), nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("at", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("run", "number", name="pk_routed_calls"),
        sa.ForeignKeyConstraint(
            ["run"], ["runs.id"], name="fk_routed_calls_run_runs", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_routed_calls_tool_at", "routed_calls", ["tool", "at"])
    op.create_index("ix_routed_calls_at", "routed_calls", ["at"])
