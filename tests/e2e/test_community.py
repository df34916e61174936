"""A real community package: installed, synced, imported; removed, synced again, refused."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.domains.known import DOMAINS, read_settings
from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.services.import_workflow import WorkflowImport, run_import
from grounded_builder.storage import Store, open_store
from runtime import catalog_sync, n8n_server
from runtime.n8n_server import N8nServer
from tests.support.npm import unpack_package

PACKAGE, VERSION = "n8n-nodes-datastore", "0.1.18"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, n8n_dir: Path) -> Iterator[N8nServer]:
    """An n8n of this module's own, started with the package in its community folder."""
    assert n8n_dir.is_dir()
    state = tmp_path_factory.mktemp("community")
    home = state / "n8n" / ".n8n" / "nodes" / "node_modules" / PACKAGE
    shutil.copytree(unpack_package(PACKAGE, VERSION), home)
    try:
        yield n8n_server.start(state)
    finally:
        n8n_server.stop(state)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, server: N8nServer) -> Store:
    """An empty store whose imports go into that n8n."""
    settings = read_settings(
        {
            "GROUNDED_STATE": str(tmp_path_factory.mktemp("sidecar")),
            "GROUNDED_N8N_URL": server.url,
            "GROUNDED_N8N_API_KEY": server.api_key,
        }
    )
    return open_store(
        settings, {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    )


def test_a_community_package_comes_and_goes(
    store: Store, server: N8nServer, tmp_path: Path
) -> None:
    """An installed package is imported, and a removed one is reported as unavailable."""
    folder = Path(server.user_folder)
    _sync(store, folder, tmp_path / "with.jsonl")
    registry = store.active("n8n")
    assert registry is not None
    mine = [row for row in registry.tools.values() if row.package == PACKAGE]
    assert mine, "the package gave no tool"
    workflow = _workflow(mine[0].id, mine[0].newest)

    result = run_import(WorkflowImport(workflow), store, registry, lambda: store.references("n8n"))
    assert result.outcome == "imported", result.diagnostics
    assert result.workflow_id is not None
    with N8nClient(server.url, server.api_key) as client:
        stored = client.get(result.workflow_id)
        assert mine[0].id in [node["type"] for node in stored["nodes"]]
        client.delete(result.workflow_id)

    shutil.rmtree(folder / ".n8n" / "nodes" / "node_modules" / PACKAGE)
    _sync(store, folder, tmp_path / "without.jsonl")
    registry = store.active("n8n")
    assert registry is not None
    assert mine[0].id not in registry.tools
    again = run_import(
        WorkflowImport(workflow, key="again"), store, registry, lambda: store.references("n8n")
    )
    assert again.outcome == "refused"
    assert "GB204" in [d.code for d in again.diagnostics]


def _sync(store: Store, folder: Path, out: Path) -> None:
    catalog_sync.to_file(out, folder)
    with out.open("rb") as stream:
        store.load_catalog(stream, "n8n")


def _workflow(tool: str, version: float) -> dict[str, Any]:
    start = {
        "name": "Start",
        "type": "n8n-nodes-base.manualTrigger",
        "typeVersion": 1,
        "position": [0, 0],
        "parameters": {},
    }
    node = {
        "name": "Community",
        "type": tool,
        "typeVersion": version,
        "position": [224, 0],
        "parameters": {},
    }
    edge = {"node": "Community", "type": "main", "index": 0}
    return {
        "name": "With a community node",
        "nodes": [start, node],
        "connections": {"Start": {"main": [[edge]]}},
        "settings": {},
    }
