"""Trials over HTTP: the scope they need, and the answer without an n8n."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices

ASKED: dict[str, dict[str, Any]] = {
    "/v1/n8n/trial": {"workflow": catalogs.workflow()},
    "/v1/n8n/sessions": {"request": "send a mail", "trial": True},
    "/v1/n8n/generate": {"request": "send a mail", "trial": True, "drafter": "planner"},
}


@pytest.mark.parametrize("route", ASKED)
def test_a_trial_needs_the_scope_of_imports(route: str, shared_server: Served) -> None:
    """A token that may only draft cannot run a trial."""
    made = shared_server.client.post(
        "/v1/tokens", json={"label": "x", "scopes": ["draft", "validate"]}
    )
    assert made.status_code in (200, 201), made.text
    bearer = {"Authorization": f"Bearer {made.json()['token']}"}
    answer = shared_server.client.post(route, json=ASKED[route], headers=bearer)
    assert answer.status_code == 403
    assert "import" in answer.json()["error"]["message"]


def test_trial_without_n8n_is_untried(shared_server: Served) -> None:
    """Without an n8n the answer states this, with the findings of the compiler."""
    answer = shared_server.client.post("/v1/n8n/trial", json=ASKED["/v1/n8n/trial"])
    assert answer.status_code == 200, answer.text
    json = answer.json()
    assert json["outcome"] == "untried"
    assert "N8N501" in [diagnostic["code"] for diagnostic in json["diagnostics"]]
