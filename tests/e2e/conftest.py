"""Shared fixtures of the suites on a real n8n: its catalog, and a client that cleans up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded_builder.catalog.registry import Registry
from grounded_builder.domains.n8n.deploy.client import N8nClient
from runtime.n8n_server import N8nServer
from tests.support.import_desk import Desk
from tests.support.n8n_workflows import clean_up_after
from tests.support.registries import registry_from


@pytest.fixture(scope="session")
def registry(catalog_file: Path) -> Registry:
    """The catalog of the very n8n that answers."""
    return registry_from(catalog_file.read_bytes())


@pytest.fixture
def client(n8n: N8nServer) -> Iterator[N8nClient]:
    """A client; what a test makes in n8n is gone after it."""
    with clean_up_after(n8n) as result:
        yield result


@pytest.fixture
def desk(tmp_path: Path, n8n: N8nServer, registry: Registry, client: N8nClient) -> Iterator[Desk]:
    """Imports into the real n8n, from an empty state."""
    result = Desk(tmp_path / "state", n8n, registry)
    yield result
    result.store.close()
