"""Stores catalogs, tokens, sessions, runs, jobs, imports, trials and decisions in a database."""

from grounded_builder.storage.catalogs import StoredCatalog
from grounded_builder.storage.errors import (
    DatabaseDamagedError,
    DatabaseLockedError,
    DatabaseReadOnlyError,
    DatabaseUnreachableError,
    DiskFullError,
    NoSuchCatalogError,
    StorageError,
)
from grounded_builder.storage.overlay import OverlayError
from grounded_builder.storage.store import Loaded, Store, open_store
from grounded_builder.storage.tokens import SCOPES, Scope, Token

__all__ = [
    "SCOPES",
    "DatabaseDamagedError",
    "DatabaseLockedError",
    "DatabaseReadOnlyError",
    "DatabaseUnreachableError",
    "DiskFullError",
    "Loaded",
    "NoSuchCatalogError",
    "OverlayError",
    "Scope",
    "StorageError",
    "Store",
    "StoredCatalog",
    "Token",
    "open_store",
]
