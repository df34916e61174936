"""The code of a node tells the fields in which it looks for the items of lists."""

from __future__ import annotations

import json
from pathlib import Path

from grounded_builder.domains.n8n.rehearsal.node_sources import NodeSources


def _install(root: Path, package: str, name: str, code: str) -> None:
    folder = root / "node_modules" / package
    (folder / "dist" / name).mkdir(parents=True)
    (folder / "dist" / name / f"{name}.node.js").write_text(code)
    listed = {"n8n": {"nodes": [f"dist/{name}/{name}.node.js", "../../../secret.js"]}}
    (folder / "package.json").write_text(json.dumps(listed))


def test_helpers_and_declarations_name_fields(tmp_path: Path) -> None:
    """Arguments of helpers and root properties are read, names of methods are not."""
    code = """
    a = await g.acmeApiRequestAllItems.call(this, 'data.orders', 'GET');
    b = await g.acmeApiRequestAllItems.call(this, 'GET', '/orders');
    c = [{ type: 'rootProperty',
           properties: { property: 'results' } }];
    """
    _install(tmp_path, "n8n-nodes-acme", "Acme", code)
    sources = NodeSources(tmp_path / "node_modules" / "n8n" / "bin" / "n8n")
    assert sources.list_fields("n8n-nodes-acme.acme") == {"data.orders", "results"}


def test_files_outside_of_a_package_are_not_read(tmp_path: Path) -> None:
    """A package cannot name a file of another folder, nor a type a folder above the packages."""
    _install(tmp_path, "n8n-nodes-acme", "Acme", "")
    (tmp_path / "secret.js").write_text("xAllItems.call(this, 'secret')")
    sources = NodeSources(tmp_path / "node_modules" / "n8n" / "bin" / "n8n")
    assert sources.list_fields("n8n-nodes-acme.secret") == frozenset()
    assert sources.list_fields("../n8n-nodes-acme.acme") == frozenset()
