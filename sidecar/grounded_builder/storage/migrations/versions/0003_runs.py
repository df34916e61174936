"""Creates the tables of recorded generations and of conversations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_ULID = sa.String(26)
_UTC = sa.String(32)


def upgrade() -> None:
    """Applies the migration."""
    op.create_table(
        "runs",
        sa.Column("id", _ULID, nullable=False),
        sa.Column("domain", sa.String(64), nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("constraints", sa.Text),
        sa.Column("drafter", sa.String(200), nullable=False),
        sa.Column("catalog", sa.String(64), nullable=False),
        sa.Column("prompt_version", sa.String(16), nullable=False),
        sa.Column("shown", sa.Text, nullable=False),
        sa.Column("outcome", sa.String(16)),
        sa.Column("reason", sa.String(16)),
        sa.Column("summary", sa.Text),
        sa.Column("rounds", sa.Integer),
        sa.Column("result", sa.Text),
        sa.Column("started_at", _UTC, nullable=False),
        sa.Column("ended_at", _UTC),
        sa.Column("ms", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_table(
        "run_drafts",
        sa.Column("run", _ULID, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("drafter", sa.String(200), nullable=False),
        sa.Column("messages", sa.Text, nullable=False),
        sa.Column("reply", sa.Text),
        sa.Column("failed", sa.Text),
        sa.Column("parsed", sa.Text),
        sa.Column("resolved", sa.Text),
        sa.Column("resolutions", sa.Text),
        sa.Column("verdict", sa.String(16)),
        sa.Column("diagnostics", sa.Text),
        sa.Column("ms", sa.BigInteger, nullable=False),
        sa.Column("at", _UTC, nullable=False),
        sa.ForeignKeyConstraint(
            ["run"], ["runs.id"], name="fk_run_drafts_run_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run", "number", name="pk_run_drafts"),
    )
    op.create_table(
        "sessions",
        sa.Column("id", _ULID, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("talk", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("is_open", sa.Boolean, nullable=False),
        sa.Column("expires_at", _UTC, nullable=False),
        sa.ForeignKeyConstraint(
            ["id"], ["runs.id"], name="fk_sessions_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
    )
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])
