from __future__ import annotations

from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_mock_engine

from grounded_builder import storage
from grounded_builder.storage.database import open_database
from grounded_builder.storage.schema import HEAD, METADATA
from tests.support.databases import url_of


def test_migrations_make_the_declared_tables(tmp_path: Path) -> None:
    """An empty database migrated to the head has exactly the tables that the code declares."""
    engine = open_database(url_of(tmp_path), tmp_path)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_the_head_is_the_newest_migration() -> None:
    """The revision at which a start does without Alembic is the newest one, in a single line."""
    config = Config()
    folder = Path(storage.__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_the_tables_are_portable() -> None:
    """PostgreSQL takes every table as it is declared."""
    statements: list[str] = []

    def note(statement: object, *_: object, **__: object) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))  # type: ignore[attr-defined]  # DDL

    engine = create_mock_engine("postgresql+psycopg://", note)
    METADATA.create_all(engine, checkfirst=False)
    created = "\n".join(statements)
    for table in METADATA.tables:
        assert f"CREATE TABLE {table} " in created
    assert "BIGSERIAL" in created
    assert "BYTEA" in created
