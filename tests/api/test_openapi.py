from __future__ import annotations

from pathlib import Path

import pytest

from grounded_builder.interfaces.http.openapi import document
from tests.api.conftest import Served

pytestmark = pytest.mark.sqlite_suffices

_COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.json"


def test_the_committed_document_is_current() -> None:
    """docs/openapi.json is what the code says."""
    update = "python -m grounded_builder.interfaces.http.openapi > docs/openapi.json"
    assert _COMMITTED.read_text("utf-8") == document(), f"run `{update}`"


def test_every_route_describes_its_answers(shared_server: Served) -> None:
    """Each operation has a description, a tag, and a typed answer."""
    for path, methods in shared_server.client.get("/openapi.json").json()["paths"].items():
        for method, facts in methods.items():
            assert facts["description"], (method, path)
            assert facts["tags"], (method, path)
            assert any(status.startswith("2") for status in facts["responses"]), (method, path)


def test_the_page_lists_every_route(shared_server: Served) -> None:
    """The page names each route and loads nothing from elsewhere."""
    with shared_server.bare() as stranger:
        page = stranger.get("/docs")
        paths = stranger.get("/openapi.json").json()["paths"]
    assert page.status_code == 200
    assert "http:" not in page.text
    assert "https:" not in page.text
    for path in paths:
        assert path in page.text
