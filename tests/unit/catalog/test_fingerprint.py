from __future__ import annotations

import random

from grounded_builder.catalog.catalog_file import read_catalog
from grounded_builder.catalog.diff import CatalogDiff, diff
from grounded_builder.catalog.loader import open_index, prepare_catalog
from tests.support import catalogs


def _print(content: bytes) -> str:
    return prepare_catalog(read_catalog(content)).fingerprint


def test_order_does_not_matter() -> None:
    """Lines, packages and keys in another order give the same fingerprint."""
    packages = [{"name": "b", "version": "1"}, {"name": "a"}]
    head, *middle, end = catalogs.acme(packages=packages)
    expected = _print(catalogs.jsonl([head, *middle, end]))
    head["packages"].reverse()
    random.Random(7).shuffle(middle)
    turned = [dict(reversed(line.items())) for line in [head, *middle, end]]
    assert _print(catalogs.jsonl(turned)) == expected


def test_content_matters() -> None:
    """Any fact of the header or of an entry changes the fingerprint; the generator is no fact."""
    base = _print(catalogs.acme_bytes())
    assert _print(catalogs.acme_bytes(generator="another")) == base
    changed = catalogs.acme()
    changed[2]["variants"][0]["parameters"][0]["default"] = "draft"
    prints = {
        base,
        _print(catalogs.acme_bytes(origin="login")),
        _print(catalogs.acme_bytes(versions={"n8n": "9.8.8"})),
        _print(catalogs.acme_bytes(packages=[])),
        _print(catalogs.jsonl(changed)),
    }
    assert len(prints) == 5


def test_twins_share_a_fingerprint() -> None:
    """Two tools that differ in their ids alone have one fingerprint and one body."""
    twin = catalogs.hook() | {"id": "acme-nodes.hookTwin"}
    lines = catalogs.add_end_line([catalogs.header(), catalogs.hook(), twin])
    entry, other = read_catalog(catalogs.jsonl(lines)).entries
    assert (entry.fingerprint, entry.body) == (other.fingerprint, other.body)
    assert entry.id != other.id


def test_an_index_keeps_every_row() -> None:
    """A decoded index equals the encoded one."""
    prepared = prepare_catalog(read_catalog(catalogs.acme_bytes()))
    index = open_index(prepared.index)
    assert index.header == prepared.header
    rows = {**index.tools, **index.credentials}
    assert rows == {entry.id: entry.row for entry in prepared.entries}


def test_a_diff_names_what_changed() -> None:
    """Tools added, changed with their versions, and removed are named; equal ones are not."""
    lines = catalogs.acme()
    old = open_index(prepare_catalog(read_catalog(catalogs.jsonl(lines))).index)
    lines = [line for line in lines[:-1] if line.get("id") not in (catalogs.SHELL, "acmeMailApi")]
    lines[2]["variants"][1]["versions"] = [2.1]
    lines.append(catalogs.hook() | {"id": "acme-nodes.new"})
    new = open_index(
        prepare_catalog(read_catalog(catalogs.jsonl(catalogs.add_end_line(lines)))).index
    )
    catalog_diff = diff(old, new)
    assert (catalog_diff.added, catalog_diff.removed) == (("acme-nodes.new",), (catalogs.SHELL,))
    (change,) = catalog_diff.changed
    assert (change.id, change.versions_added, change.versions_removed) == (
        catalogs.MAIL,
        (2.1,),
        (2,),
    )
    assert catalog_diff.credentials_removed == ("acmeMailApi",)
    assert diff(old, old) == CatalogDiff()
    assert diff(old, old).is_empty
