"""Lists of the account over HTTP: the scope that they need, and the answer without a login."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Served

pytestmark = pytest.mark.sqlite_suffices

ASKED: dict[str, dict[str, Any]] = {
    "/v1/n8n/sessions": {"request": "send a mail", "lists": True},
    "/v1/n8n/generate": {"request": "send a mail", "lists": True, "drafter": "planner"},
}


@pytest.mark.parametrize("route", ASKED)
def test_lists_need_the_scope_of_imports(route: str, shared_server: Served) -> None:
    """A token that may only draft reads no list of the account."""
    made = shared_server.client.post("/v1/tokens", json={"label": "lists", "scopes": ["draft"]})
    bearer = {"Authorization": f"Bearer {made.json()['token']}"}
    answer = shared_server.client.post(route, json=ASKED[route], headers=bearer)
    assert answer.status_code == 403
    assert "import" in answer.json()["error"]["message"]


@pytest.mark.parametrize("route", ASKED)
def test_lists_need_a_login(route: str, shared_server: Served) -> None:
    """Without one the error names the settings; without the wish nothing is looked up."""
    answer = shared_server.client.post(route, json=ASKED[route])
    assert answer.status_code == 400
    assert "GROUNDED_N8N_PASSWORD" in answer.json()["error"]["help"]
    other = {**ASKED[route], "lists": False}
    assert shared_server.client.post(route, json=other).status_code == 200
