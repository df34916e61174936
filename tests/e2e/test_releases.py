"""Tests several n8n releases side by side: tools of another release only are reported as such."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.known import DOMAINS, read_settings
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.ir.options import CompileOptions
from grounded_builder.storage import Store, open_store
from runtime import paths
from tests.support.npm import unpack_package
from tests.support.time_bounds import PATIENCE_S

RELEASES = ("1.95.0", "2.20.0", "2.30.0")
PACKAGES = ("n8n-nodes-base", "@n8n/n8n-nodes-langchain")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, catalog_file: Path, node: Path) -> Store:
    """A store with the oldest release in use, the others and the installed n8n beside it."""
    state = tmp_path_factory.mktemp("releases")
    settings = read_settings({"GROUNDED_STATE": str(state)})
    result = open_store(
        settings, {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    )
    for release in RELEASES:
        file = state / f"{release}.jsonl"
        sync = paths.SYNC / "bin" / "node-catalog-sync.js"
        sources = [
            part for name in PACKAGES for part in ("--npm", str(unpack_package(name, release)))
        ]
        subprocess.run(
            [str(node), str(sync), *sources, "--output", str(file), "--quiet"],
            check=True,
            timeout=PATIENCE_S,
        )
        with file.open("rb") as stream:
            result.load_catalog(stream, "n8n", reference=release != RELEASES[0])
    with catalog_file.open("rb") as stream:
        result.load_catalog(stream, "n8n", reference=True)
    return result


def test_each_release_has_a_catalog_of_its_own(store: Store) -> None:
    """Three releases, one of them 1.x, and the installed one, each with hundreds of tools."""
    stored_catalogs = store.catalogs("n8n")
    assert len(stored_catalogs) == len(RELEASES) + 1
    assert sum(stored.origin == "assumed" for stored in stored_catalogs) == len(RELEASES)
    assert all(stored.tools > 400 for stored in stored_catalogs)


def test_a_tool_of_a_newer_release_is_reported_with_its_release(store: Store) -> None:
    """A tool that the old release lacks is unavailable, not unknown."""
    old = store.active("n8n")
    installed = next(
        reference for reference in store.references("n8n") if reference.header.origin == "installed"
    )
    assert old is not None
    added = sorted(set(installed.tools) - set(old.tools))
    assert added
    compilation = compile_draft(
        _workflow(added[0], installed.tools[added[0]].newest),
        N8N,
        old,
        CompileOptions(),
        lambda: store.references("n8n"),
    )
    diagnostics = [d for d in compilation.diagnostics if d.code == "GB204"]
    assert diagnostics
    assert "n8n 2.41.1" in diagnostics[0].message


def test_a_version_of_a_newer_release_is_reported_with_its_release(store: Store) -> None:
    """A typeVersion that only the installed n8n has is named as existing there."""
    old = store.active("n8n")
    installed = next(
        reference for reference in store.references("n8n") if reference.header.origin == "installed"
    )
    assert old is not None
    tool = next(
        row
        for row in installed.tools.values()
        if row.id in old.tools and row.newest > old.tools[row.id].newest
    )
    compilation = compile_draft(
        _workflow(tool.id, tool.newest), N8N, old, CompileOptions(), lambda: store.references("n8n")
    )
    diagnostics = [d for d in compilation.diagnostics if d.code == "GB205"]
    assert diagnostics
    assert "it exists in" in diagnostics[0].message


def _workflow(tool: str, version: float) -> dict[str, Any]:
    node = {"name": "New", "type": tool, "typeVersion": version, "position": [0, 0]}
    return {"name": "Newer", "nodes": [node | {"parameters": {}}], "connections": {}}
