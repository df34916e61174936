"""Makes catalogs of several releases for tests of the store."""

from __future__ import annotations

from sqlalchemy import func, select

from grounded_builder.domains.known import DOMAINS
from grounded_builder.storage import Store
from grounded_builder.storage.database import begin_read
from grounded_builder.storage.schema import CATALOG_ENTRIES, CATALOGS, ENTRIES
from tests.support import catalogs

COMPILERS = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}


def release(number: int) -> bytes:
    """A catalog with one tool that all releases share and one of its own."""
    own = catalogs.hook() | {"id": f"acme-nodes.own{number}", "name": f"Own {number}"}
    return catalogs.jsonl(catalogs.add_end_line([catalogs.header(), catalogs.mail(), own]))


def rows(store: Store) -> tuple[int, int, int]:
    """How many catalogs, entries of catalogs and bodies are kept."""
    with begin_read(store.engine) as connection:
        counts = [
            connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in (CATALOGS, CATALOG_ENTRIES, ENTRIES)
        ]
    return counts[0], counts[1], counts[2]
