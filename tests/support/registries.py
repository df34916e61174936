"""Makes registries in memory, without a database."""

from __future__ import annotations

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.loader import open_index, open_registry, prepare_catalog
from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.domain import N8N
from tests.support.catalogs import acme_bytes


def registry_from(catalog: bytes) -> Registry:
    """Returns a registry over a catalog file, with its bodies in memory."""
    prepared = prepare_catalog(read_catalog(catalog))
    bodies = {entry.fingerprint: entry.body for entry in prepared.entries}
    return open_registry(
        open_index(prepared.index),
        prepared.fingerprint,
        bodies.__getitem__,
        N8N.resolving.compile_tool,
    )


def acme_registry() -> Registry:
    """Returns a registry over the invented catalog."""
    return registry_from(acme_bytes())
