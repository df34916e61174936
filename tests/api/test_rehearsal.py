"""Rehearsals over HTTP: the scope they need, and the answer without an n8n."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.conftest import Served
from tests.support import catalogs

pytestmark = pytest.mark.sqlite_suffices

ROUTE = "/v1/n8n/rehearsal"
ASKED: dict[str, Any] = {"workflow": catalogs.workflow()}


def test_a_rehearsal_needs_the_scope_of_imports(shared_server: Served) -> None:
    """A token that may only draft runs no code on this machine."""
    made = shared_server.client.post(
        "/v1/tokens", json={"label": "x", "scopes": ["draft", "validate"]}
    )
    bearer = {"Authorization": f"Bearer {made.json()['token']}"}
    answer = shared_server.client.post(ROUTE, json=ASKED, headers=bearer)
    assert answer.status_code == 403
    assert "import" in answer.json()["error"]["message"]


def test_a_rehearsal_without_n8n_is_unavailable(shared_server: Served) -> None:
    """The answer names the settings that are missing, and has the findings of the compiler."""
    answer = shared_server.client.post(ROUTE, json=ASKED)
    assert answer.status_code == 200, answer.text
    content = answer.json()
    assert content["outcome"] == "unavailable"
    assert "GROUNDED_REHEARSAL_N8N" in content["reason"]
    assert content["runs"] == []


def test_unreadable_expectations_are_named(shared_server: Served) -> None:
    """An expectation without a subject is refused with its number."""
    answer = shared_server.client.post(ROUTE, json={**ASKED, "expectations": [{"why": "it works"}]})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["at"], "expectation 1" in error["message"]) == ("/expectations", True)


def test_an_unknown_node_is_named(shared_server: Served) -> None:
    """A fault for a node that the workflow does not have is refused, with the nodes that it has."""
    answer = shared_server.client.post(ROUTE, json={**ASKED, "faults": {"Psot": "429"}})
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert (error["at"], '"Psot"' in error["message"]) == ("/faults", True)
