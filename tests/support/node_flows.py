"""Makes workflows around the Grounded Builder node, and calls them over their webhooks."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import requests

from grounded_builder.domains.n8n.deploy.client import N8nClient
from runtime import paths
from runtime.n8n_package import CREDENTIAL_TYPE, NODE_TYPE
from runtime.n8n_server import N8nServer
from tests.support.n8n_workflows import make_connection, node, store_credential
from tests.support.time_bounds import until

EXAMPLE = paths.N8N_NODE / "examples" / "webhook.json"
_ANSWER_S = 240


@dataclass(frozen=True, slots=True)
class Flow:
    """A published workflow that answers on its webhook."""

    url: str
    workflow: str

    def call(self, body: Mapping[str, Any]) -> requests.Response:
        """Returns the answer of the workflow, once its webhook is live."""

        def is_answered() -> tuple[requests.Response] | None:
            answer = requests.post(self.url, json=dict(body), timeout=_ANSWER_S)
            return None if answer.status_code == HTTPStatus.NOT_FOUND else (answer,)

        (answer,) = until(is_answered, f"{self.url} is not live")
        return answer

    def item(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the item of the node from a successful call."""
        answer = self.call(body)
        assert answer.status_code == HTTPStatus.OK, answer.text
        item: dict[str, Any] = answer.json()
        return item


@dataclass(frozen=True, slots=True)
class Flows:
    """Makes variants of the package's own example."""

    n8n: N8nServer
    client: N8nClient

    def credential(self, base_url: str, token: str) -> str:
        """Stores a credential of the node; returns its id."""
        content = {"baseUrl": base_url, "token": token}
        return store_credential(self.client, "A sidecar", CREDENTIAL_TYPE, content)

    def model(self, url: str) -> str:
        """Stores a credential of n8n's OpenAI nodes; returns its id."""
        content = {"apiKey": "k", "url": url, "header": False}
        return store_credential(self.client, "A model", "openAiApi", content)

    def flow(
        self,
        credential: str,
        parameters: Mapping[str, Any] | None = None,
        model: str | None = None,
        model_parameters: Mapping[str, Any] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Flow:
        """Publishes the example with these parameters, and with a chat model if ``model`` is given.

        ``settings`` are those of the node itself, such as ``retryOnFail``.
        """
        drawn = json.loads(EXAMPLE.read_text("utf-8"))
        path = f"test-{uuid.uuid4().hex[:12]}"
        for item in drawn["nodes"]:
            item["id"] = str(uuid.uuid4())
            if item["type"] == "n8n-nodes-base.webhook":
                item["parameters"]["path"] = path
                item["webhookId"] = str(uuid.uuid4())
            if item["type"] == NODE_TYPE:
                item["credentials"] = {CREDENTIAL_TYPE: {"id": credential, "name": "A sidecar"}}
                item["parameters"] |= dict(parameters or {})
                item |= dict(settings or {})
        if model is not None:
            drawn["nodes"].append(chat_model(model, model_parameters or {}))
            drawn["connections"] |= make_connection("Model", "ai_languageModel", "Grounded Builder")
        made = self.client._call("POST", "/workflows", drawn)
        self.client._call("POST", f"/workflows/{made['id']}/activate", {})
        return Flow(f"{self.n8n.url}/webhook/{path}", made["id"])


def chat_model(credential: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Returns n8n's OpenAI model node with the name Model."""
    return node(
        "Model",
        "@n8n/n8n-nodes-langchain.lmChatOpenAi",
        1.3,
        {
            "model": {"__rl": True, "mode": "id", "value": "scripted"},
            "options": {"maxRetries": 0},
            **parameters,
        },
        credentials={"openAiApi": {"id": credential, "name": "A model"}},
    )
