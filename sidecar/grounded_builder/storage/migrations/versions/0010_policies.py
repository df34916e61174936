"""Adds the policies of tokens, and the approvals of imports."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Applies the migration."""
    op.add_column("tokens", sa.Column("policy", sa.Text))
    op.add_column("imports", sa.Column("approved", sa.Text))
