"""Makes small workflows for a real n8n, and cleans up after them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient
from grounded_builder.domains.n8n.deploy.import_run import discard
from runtime.n8n_server import N8nServer

Workflow = dict[str, Any]


def node(name: str, kind: str, version: float, parameters: Any = None, **more: Any) -> Workflow:
    """Returns a node with a new id; a kind without a package is one of n8n's base nodes."""
    full = kind if "." in kind else f"n8n-nodes-base.{kind}"
    made = {
        "id": str(uuid.uuid4()),
        "name": name,
        "type": full,
        "typeVersion": version,
        "position": [0, 0],
        "parameters": parameters or {},
        **more,
    }
    return {key: value for key, value in made.items() if value is not ...}


def hook(name: str = "Hook", **more: Any) -> Workflow:
    """Returns a webhook on a new path."""
    return node(name, "webhook", 2, {"path": f"test-{uuid.uuid4().hex[:12]}"}, **more)


def workflow(*nodes: Workflow, edges: Any = None, **more: Any) -> Workflow:
    """Returns a workflow; without edges, ``main`` connects the nodes in sequence."""
    line = {
        item["name"]: {"main": [[{"node": other["name"], "type": "main", "index": 0}]]}
        for item, other in pairwise(nodes)
    }
    return {
        "name": f"test {uuid.uuid4().hex[:8]}",
        "nodes": list(nodes),
        "connections": line if edges is None else edges,
        "settings": {},
        **more,
    }


def make_connection(
    source: str, kind: str, target: str, index: int = 0, output: int = 0
) -> Workflow:
    """Returns one connection of any kind."""
    entry = {"node": target, "type": kind, "index": index}
    return {source: {kind: [*([None] * output), [entry]]}}


def client_of(server: N8nServer) -> N8nClient:
    """Returns a client with the owner's key."""
    return N8nClient(server.url, server.api_key)


@contextmanager
def clean_up_after(server: N8nServer) -> Iterator[N8nClient]:
    """Yields a client; deletes all new workflows and credentials at the end."""
    with client_of(server) as client:
        before = {item["id"] for item in list_workflows(client)}
        credentials = {item.id for item in client.credentials()}
        try:
            yield client
        finally:
            for item in list_workflows(client):
                if item["id"] not in before:
                    discard(client, item["id"])
            for credential in client.credentials():
                if credential.id not in credentials:
                    client._call("DELETE", f"/credentials/{credential.id}")


def list_workflows(client: N8nClient) -> list[Workflow]:
    """Returns all workflows of the instance."""
    return list(client._pages("/workflows", {"excludePinnedData": "true"}))


def store_credential(client: N8nClient, name: str, kind: str, content: Mapping[str, Any]) -> str:
    """Creates a credential; returns its id."""
    body = {"name": name, "type": kind, "data": dict(content)}
    return str(client._call("POST", "/credentials", body)["id"])
