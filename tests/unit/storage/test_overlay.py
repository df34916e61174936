"""Single tools put beside those of a catalog, on a real SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grounded_builder.catalog.catalog_file import CatalogError
from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.pipeline import compile_draft
from grounded_builder.domains.known import DOMAINS
from grounded_builder.ir.options import CompileOptions
from grounded_builder.settings import Settings
from grounded_builder.storage import OverlayError, Store, open_store
from tests.support import catalogs
from tests.support.databases import url_of

PIGEON = "acme-nodes.pigeon"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    compilers = {name: domain.resolving.compile_tool for name, domain in DOMAINS.items()}
    opened = open_store(Settings(state=tmp_path, database_url=url_of(tmp_path)), compilers)
    opened.load_catalog(catalogs.acme_bytes())
    yield opened
    opened.close()


def pigeon(**facts: Any) -> dict[str, Any]:
    return catalogs.mail() | {"id": PIGEON, "name": "Acme Pigeon", "aliases": []} | facts


def active(store: Store) -> Registry:
    registry = store.active("n8n")
    assert registry is not None
    return registry


def test_a_tool_that_was_put_compiles_and_leaves_as_it_came(store: Store) -> None:
    """A put tool is in the catalog under a new fingerprint; removing it brings the former back."""
    before = active(store).fingerprint
    put = store.put_tool("n8n", pigeon())
    assert put.is_active
    assert put.overlay == (PIGEON,)
    registry = active(store)
    assert registry.fingerprint == put.fingerprint != before
    assert registry.tool(PIGEON)["name"] == "Acme Pigeon"
    assert registry.tool(catalogs.MAIL)["name"] == "Acme Mail"
    assert registry.credential(catalogs.MAIL_LOGIN)
    draft = catalogs.workflow()
    draft["nodes"][1]["type"] = PIGEON
    assert compile_draft(draft, DOMAINS["n8n"], registry, CompileOptions()).verdict == "ok"
    removed = store.remove_tool("n8n", PIGEON)
    assert (removed.fingerprint, removed.overlay) == (before, ())
    assert compile_draft(draft, DOMAINS["n8n"], active(store), CompileOptions()).verdict == "wrong"


def test_a_put_tool_is_replaced_by_the_same_id(store: Store) -> None:
    """The same content again changes nothing; other content makes another catalog."""
    first = store.put_tool("n8n", pigeon()).fingerprint
    assert store.put_tool("n8n", pigeon()).fingerprint == first
    second = store.put_tool("n8n", pigeon(description="Slow"))
    assert second.fingerprint != first
    assert active(store).tools[PIGEON].description == "Slow"
    assert second.tools == len(active(store).tools) == 8


@pytest.mark.parametrize("identity", [catalogs.MAIL, catalogs.MAIL.upper()])
def test_a_tool_of_the_catalog_is_never_replaced(store: Store, identity: str) -> None:
    """An id of the catalog, in whatever case, can neither be put nor removed."""
    before = active(store).fingerprint
    with pytest.raises(OverlayError) as caught:
        store.put_tool("n8n", pigeon(id=identity))
    assert caught.value.code == "tool-exists"
    with pytest.raises(OverlayError):
        store.remove_tool("n8n", identity)
    assert active(store).fingerprint == before


def test_an_unsound_tool_is_refused_with_what_is_wrong(store: Store) -> None:
    """A tool is checked as strictly as a line of a file, and nothing is stored."""
    before = active(store).fingerprint
    for facts, words in (
        ({"variants": []}, "variants"),
        ({"colour": "blue"}, "colour"),
        ({"id": "a\nb"}, "control characters"),
        ({"id": ""}, "id"),
        ({"kind": "credential"}, "Extra"),
        ({"name": 1 << 80}, "number"),
        ({"variants": [{}]}, "versions"),
    ):
        with pytest.raises((CatalogError, OverlayError), match=words):
            store.put_tool("n8n", pigeon(**facts))
    assert active(store).fingerprint == before


def test_the_overlay_goes_with_a_newly_loaded_catalog(store: Store) -> None:
    """Put tools stand beside the next catalog too, unless it has them itself."""
    store.put_tool("n8n", pigeon())
    newer = catalogs.acme_bytes(versions={"n8n": "9.9.0"})
    loaded = store.load_catalog(newer)
    assert loaded.catalog.overlay == (PIGEON,)
    assert loaded.catalog.is_active
    registry = active(store)
    assert registry.header.versions["n8n"] == "9.9.0"
    assert registry.tool(PIGEON)["name"] == "Acme Pigeon"
    own = catalogs.acme(versions={"n8n": "9.9.1"})[:-1]
    has_it = catalogs.jsonl(catalogs.add_end_line([*own, pigeon(name="Acme Pigeon Post")]))
    assert store.load_catalog(has_it).catalog.overlay == ()
    assert active(store).tools[PIGEON].name == "Acme Pigeon Post"
    with pytest.raises(OverlayError) as caught:
        store.remove_tool("n8n", PIGEON)
    assert caught.value.code == "not-overlay"


def test_using_a_catalog_goes_back_to_its_own_overlay(store: Store) -> None:
    """`use` brings back exactly what that catalog was, with its put tools or without."""
    plain = active(store).fingerprint
    put = store.put_tool("n8n", pigeon()).fingerprint
    assert store.use("n8n", plain).overlay == ()
    assert PIGEON not in active(store).tools
    assert store.use("n8n", put).overlay == (PIGEON,)
    assert PIGEON in active(store).tools


def test_many_changes_push_no_loaded_catalog_out(store: Store) -> None:
    """Many changes of single tools do not remove loaded catalogs."""
    plain = active(store).fingerprint
    store.load_catalog(catalogs.acme_bytes(versions={"n8n": "9.9.0"}))
    for number in range(9):
        store.put_tool("n8n", pigeon(id=f"{PIGEON}{number}"))
    stored_catalogs = store.catalogs("n8n")
    assert plain in {stored.fingerprint for stored in stored_catalogs}
    assert (
        len([stored for stored in stored_catalogs if stored.overlay])
        == store.settings.kept_catalogs
    )
    for number in range(9):
        store.remove_tool("n8n", f"{PIGEON}{number}")
    assert active(store).header.versions["n8n"] == "9.9.0"
    assert active(store).tool(catalogs.MAIL)


def test_without_a_catalog_there_is_nothing_to_stand_beside(store: Store, tmp_path: Path) -> None:
    """Before the first catalog a tool is refused, with what to do."""
    other = Settings(state=tmp_path / "other", database_url=url_of(tmp_path / "other"))
    with pytest.raises(OverlayError) as caught:
        open_store(other, {}).put_tool("n8n", pigeon())
    assert caught.value.code == "no-catalog"
