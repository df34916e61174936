"""The import over HTTP, against the real n8n."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.interfaces.http.app import create_app
from grounded_builder.settings import Settings, sqlite_url
from runtime.n8n_server import N8nServer
from tests.support.n8n_workflows import Workflow, hook, node, workflow

ROUTE = "/v1/n8n/import"


@pytest.fixture(scope="module")
def sidecar(
    tmp_path_factory: pytest.TempPathFactory, n8n: N8nServer, catalog_file: Path
) -> Iterator[TestClient]:
    """A server with the catalog of the installed n8n, and its first token."""
    state = tmp_path_factory.mktemp("sidecar")
    settings = Settings(
        state=state,
        database_url=sqlite_url(state),
        n8n_url=n8n.url,
        n8n_api_key=n8n.api_key,
    )
    with TestClient(create_app(settings)) as test_client:
        test_client.headers["Authorization"] = f"Bearer {(state / 'token').read_text().strip()}"
        pushed = test_client.put("/v1/n8n/catalog", content=catalog_file.read_bytes())
        assert pushed.status_code == 200
        yield test_client


def sound() -> Workflow:
    return workflow(hook(), node("Set", "set", 3.4))


def post_import(sidecar: TestClient, body: Any) -> dict[str, Any]:
    answer = sidecar.post(ROUTE, json=body)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def test_built_then_imported(sidecar: TestClient, client: N8nClient) -> None:
    """A built workflow is imported with its receipt once, however often this is repeated."""
    built = sidecar.post("/v1/n8n/build", json={"workflow": sound()}).json()
    body = {"workflow": built["artifact"], "receipt": built["receipt"], "key": "once"}
    first, second = post_import(sidecar, body), post_import(sidecar, body)
    assert first["outcome"] == "imported"
    assert first["workflow_id"] == second["workflow_id"]
    assert client.get(first["workflow_id"])["name"] == built["artifact"]["name"]


def test_a_draft_is_compiled_first(sidecar: TestClient, client: N8nClient) -> None:
    """A draft may be text around a workflow; it is published when asked."""
    text = f"Here it is:\n```json\n{json.dumps(sound())}\n```"
    result = post_import(sidecar, {"draft": text, "publish": True})
    assert (result["outcome"], result["published"], result["live"]) == ("imported", True, True)
    assert result["receipt"]["verdict"] == "ok"


def test_without_a_receipt_nothing_is_imported(sidecar: TestClient, client: N8nClient) -> None:
    """A workflow alone is refused, with the code that states the reason."""
    document = sound()
    result = post_import(sidecar, {"workflow": document})
    assert result["outcome"] == "refused"
    assert [diagnostic["code"] for diagnostic in result["diagnostics"]] == ["GB501"]
    assert list(client.workflows_named(document["name"])) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "no-draft"),
        ({"draft": "{}", "workflow": {}}, "no-draft"),
        ({"draft": "{}", "key": "x" * 201}, "bad-argument"),
        ({"draft": "{}", "publish": "maybe"}, "bad-argument"),
        ({"draft": "{}", "url": "http://elsewhere"}, "bad-argument"),
    ],
)
def test_a_bad_request_is_reported(body: Any, code: str, sidecar: TestClient) -> None:
    """A body of another shape is refused; none can name another n8n."""
    answer = sidecar.post(ROUTE, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code


def test_importing_needs_its_scope(sidecar: TestClient) -> None:
    """A token for drafting does not import."""
    made = sidecar.post("/v1/tokens", json={"label": "drafts", "scopes": ["draft"]}).json()
    headers = {"Authorization": f"Bearer {made['token']}"}
    answer = sidecar.post(ROUTE, json={"draft": "{}"}, headers=headers)
    assert answer.status_code == 403
