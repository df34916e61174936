"""The fixtures that every suite builds on."""

from __future__ import annotations

import json
from pathlib import Path

import requests

from runtime.n8n_server import N8nServer
from runtime.paths import ROOT
from tests.support.time_bounds import PATIENCE_S, until

_SAMPLE = ROOT / "examples" / "workflows" / "webhook-hello.json"


def test_the_sample_workflow_runs(n8n: N8nServer) -> None:
    """The workflow that `make run` imports is accepted, published and answers."""
    api = f"{n8n.url}/api/v1/workflows"
    with requests.Session() as http:
        http.headers["X-N8N-API-KEY"] = n8n.api_key
        made = http.post(api, json=json.loads(_SAMPLE.read_text()), timeout=PATIENCE_S)
        assert made.status_code == 200, made.text
        workflow = f"{api}/{made.json()['id']}"
        try:
            published = http.post(f"{workflow}/activate", timeout=PATIENCE_S)
            assert published.status_code == 200, published.text
            assert _hello(n8n.url) == {"greeting": "Hello Ada"}
        finally:
            _delete(http, workflow)


def test_the_catalog_is_complete(catalog_file: Path) -> None:
    """The synced catalog is JSON Lines with a header and holds the node types n8n installs."""
    header, *lines = catalog_file.read_text().splitlines()
    assert json.loads(header)["domain"] == "n8n"
    ids = {json.loads(line).get("id") for line in lines}
    assert {"n8n-nodes-base.webhook", "@n8n/n8n-nodes-langchain.agent"} <= ids


def _hello(url: str) -> object:
    """Asks the webhook until it is live: publishing is asynchronous."""

    def get_greeting() -> object:
        asked = f"{url}/webhook/grounded-hello"
        answer = requests.get(asked, params={"name": "Ada"}, timeout=PATIENCE_S)
        return answer.json() if answer.status_code == 200 else None

    return until(get_greeting, "the webhook is not live")


def _delete(http: requests.Session, workflow: str) -> None:
    """Removes a published workflow; right after unpublishing n8n may answer 409 for a moment."""
    http.post(f"{workflow}/deactivate", timeout=PATIENCE_S)
    until(lambda: http.delete(workflow, timeout=PATIENCE_S).status_code == 200, "it is not deleted")
