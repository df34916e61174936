"""Creates a demo workflow with the Grounded Builder node in n8n, and generates another with it."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests

from runtime import n8n_package, paths
from runtime.n8n_server import N8nServer
from runtime.secret_files import write_secret
from runtime.sidecar_server import Sidecar
from scripts.grounded import grounded, has_workflow

EXAMPLE = paths.N8N_NODE / "examples" / "webhook.json"
REQUEST = "When a webhook is called, respond to the webhook"

_CREDENTIAL_NAME = "Grounded Builder"
_SCOPES = ("validate", "draft", "import")
_TIMEOUT_S = 60
_LIVE_S = 60.0
_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Demo:
    """The ids of what the demo created in n8n; `sidecar` is the address in its credential."""

    sidecar: str = ""
    credential: str = ""
    workflow: str = ""
    generated: str = ""

    def webhook(self, n8n: N8nServer) -> str:
        """Returns the URL that accepts `{"request": "..."}`."""
        return f"{n8n.url}/webhook/grounded-builder"


def generated_by_demo(state: Path, n8n: N8nServer, sidecar: Sidecar) -> Demo:
    """Returns the demo with its generated workflow; creates only what n8n does not have."""
    path = state / "demo.json"
    demo = Demo(**json.loads(path.read_text())) if path.exists() else Demo()
    if not has_workflow(n8n, demo.workflow):
        demo = replace(demo, workflow="", sidecar="")
    if demo.sidecar != sidecar.url:
        demo = _connect_node(state, n8n, sidecar, demo)
        _keep(path, demo)
    if not has_workflow(n8n, demo.generated):
        demo = replace(demo, generated=_generate(n8n, demo))
        _keep(path, demo)
    return demo


def _connect_node(state: Path, n8n: N8nServer, sidecar: Sidecar, demo: Demo) -> Demo:
    """Stores a credential for this sidecar, and imports and publishes the example with it."""
    credential = _stored_credential(n8n, sidecar)
    document = json.loads(EXAMPLE.read_text("utf-8"))
    for node in document["nodes"]:
        if node["type"] == n8n_package.NODE_TYPE:
            reference = {"id": credential, "name": _CREDENTIAL_NAME}
            node["credentials"] = {n8n_package.CREDENTIAL_TYPE: reference}
    replaced = ["--workflow-id", demo.workflow] if demo.workflow else []
    report = grounded(state, n8n, "import", "--publish", *replaced, document=json.dumps(document))
    if demo.credential:
        # A workflow that was deleted by hand needs no deletion.
        _n8n(n8n, "DELETE", f"/credentials/{demo.credential}")
    return replace(
        demo, sidecar=sidecar.url, credential=credential, workflow=str(report["workflow_id"])
    )


def _stored_credential(n8n: N8nServer, sidecar: Sidecar) -> str:
    """Stores a credential whose token has only the scopes of the node; returns its id."""
    made = requests.post(
        f"{sidecar.url}/v1/tokens",
        json={"label": "the node in n8n", "scopes": list(_SCOPES)},
        headers={"Authorization": f"Bearer {sidecar.token()}"},
        timeout=_TIMEOUT_S,
    )
    _expect_ok(made, "make a token for the node")
    content = {"baseUrl": sidecar.url, "token": made.json()["token"]}
    body = {"name": _CREDENTIAL_NAME, "type": n8n_package.CREDENTIAL_TYPE, "data": content}
    stored = _n8n(n8n, "POST", "/credentials", body)
    _expect_ok(stored, "store the node's credential in n8n")
    return str(stored.json()["id"])


def _generate(n8n: N8nServer, demo: Demo) -> str:
    """Generates a workflow through the demo; returns its id."""
    began = time.monotonic()
    answer = _post_json(demo.webhook(n8n), {"request": REQUEST})
    _expect_ok(answer, "generate a workflow through the demo")
    item = answer.json()
    if item.get("workflow_id") is None:
        raise SystemExit(f"the demo made no workflow: {item.get('summary') or answer.text[:500]}")
    print(f'workflow made of "{REQUEST}" ({time.monotonic() - began:.1f} s)', flush=True)
    return str(item["workflow_id"])


def _post_json(url: str, body: dict[str, Any]) -> requests.Response:
    """Calls a webhook, which answers shortly after n8n has published the workflow."""
    deadline = time.monotonic() + _LIVE_S
    while True:
        answer = requests.post(url, json=body, timeout=120)
        if answer.status_code != HTTPStatus.NOT_FOUND or time.monotonic() > deadline:
            return answer
        time.sleep(_POLL_S)


def _n8n(n8n: N8nServer, method: str, path: str, body: Any = None) -> requests.Response:
    return requests.request(
        method,
        f"{n8n.url}/api/v1{path}",
        json=body,
        headers={"X-N8N-API-KEY": n8n.api_key},
        timeout=_TIMEOUT_S,
    )


def _keep(place: Path, demo: Demo) -> None:
    write_secret(place, json.dumps(asdict(demo), indent=1))


def _expect_ok(answer: requests.Response, what: str) -> None:
    if not answer.ok:
        raise SystemExit(f"could not {what}: {answer.status_code} {answer.text[:500]}")
