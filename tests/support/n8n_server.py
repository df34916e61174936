"""Provides one running n8n and one synced catalog for the whole test run.

``make test`` starts n8n once and names its descriptor in GROUNDED_TEST_N8N; a bare ``pytest``
starts and stops a new one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from grounded_builder.catalog.registry import Registry
from runtime import catalog_sync, install, n8n_package, n8n_server, paths
from runtime.n8n_server import N8nServer
from tests.support.registries import registry_from

HANDED_OVER = "GROUNDED_TEST_N8N"
_CATALOGS = paths.cache() / "test-catalogs"
_KEPT = 16
"""More than the simultaneous runs of several checkouts use."""


@pytest.fixture(scope="session")
def n8n(tmp_path_factory: pytest.TempPathFactory) -> Iterator[N8nServer]:
    """Yields a real n8n on loopback, with owner, API key and this package; tests clean up after
    them.
    """
    handed = os.environ.get(HANDED_OVER)
    if handed:
        yield N8nServer.read(Path(handed))
        return
    install.install()
    state = tmp_path_factory.mktemp("n8n-state")
    try:
        n8n_package.provide(state / "n8n")
        yield n8n_server.start(state)
    finally:
        n8n_server.stop(state)


@pytest.fixture(scope="session")
def catalog_file(n8n_dir: Path) -> Path:
    """Returns the catalog (JSON Lines) of the installed n8n without community packages."""
    return provide_catalog()


@pytest.fixture(scope="session")
def installed_registry(catalog_file: Path) -> Registry:
    """Returns the tools of the installed n8n; all tests of a run share what is read of them."""
    return registry_from(catalog_file.read_bytes())


def provide_catalog(user_folder: Path | None = None) -> Path:
    """Returns the catalog of an n8n, cached for all checkouts until n8n or the sync changes."""
    out = _CATALOGS / f"n8n-{catalog_sync.key(user_folder)}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    with (out.parent / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if out.exists():
            os.utime(out)
        else:
            catalog_sync.to_file(out, user_folder)
        for old in sorted(out.parent.glob("*.jsonl"), key=lambda p: p.stat().st_mtime)[:-_KEPT]:
            old.unlink()
    return out


@pytest.fixture(scope="session")
def n8n_dir() -> Path:
    """Returns the folder whose ``node_modules/n8n`` is the installed n8n."""
    install.install()
    return paths.n8n_home()


@pytest.fixture(scope="session")
def node() -> Path:
    """Returns the Node binary that runs n8n."""
    install.install()
    return paths.node()
