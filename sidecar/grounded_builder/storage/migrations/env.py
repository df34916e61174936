"""Runs the migrations on the connection that the program passes."""

from __future__ import annotations

from alembic import context

from grounded_builder.storage.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
    transactional_ddl=True,
)
# The caller's transaction holds the write lock and commits.
context.run_migrations()
