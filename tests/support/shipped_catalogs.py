"""Reads and prepares shipped catalogs once per process, however many stores it opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from grounded_builder.catalog.catalog_file import Bounds, CatalogFile, read_catalog
from grounded_builder.catalog.loader import PreparedCatalog, open_index, prepare_catalog
from grounded_builder.services.domain_store import open_domains_store
from grounded_builder.settings import Settings, sqlite_url
from grounded_builder.storage import store


def read_catalogs_once(set_attribute: Callable[[object, str, object], None]) -> None:
    """Lets every store of this process share what it reads of equal catalog bytes."""
    known = lru_cache(4)(read_catalog)
    prepared: dict[str, PreparedCatalog] = {}

    def read(
        source: bytes | BinaryIO, domain: str | None = None, bounds: Bounds | None = None
    ) -> CatalogFile:
        return (known if isinstance(source, bytes) else read_catalog)(source, domain, bounds)

    def prepare(file: CatalogFile) -> PreparedCatalog:
        if file.sha256 not in prepared:
            prepared[file.sha256] = prepare_catalog(file)
        return prepared[file.sha256]

    set_attribute(store, "read_catalog", read)
    set_attribute(store, "prepare_catalog", prepare)
    set_attribute(store, "open_index", lru_cache(8)(open_index))


def warm_up() -> None:
    """Imports what a store needs and reads the shipped catalog, for the forks of this process."""
    read_catalogs_once(setattr)
    with TemporaryDirectory() as folder:
        state = Path(folder)
        opened = open_domains_store(Settings(state=state, database_url=sqlite_url(state)))
        opened.active("simulink")
        opened.close()
