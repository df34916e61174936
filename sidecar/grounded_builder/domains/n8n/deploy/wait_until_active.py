"""Waits up to 10 s until the triggers of a published workflow run; returns whether they do.

Measured on n8n 2.41.1: the public API answers "active" at once; webhooks are registered 0.1 to 0.3
s later, and only then ``triggerCount`` leaves 0. A trigger that fails to start is retried for about
15 s, which only n8n's log shows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.n8n.deploy.client import N8nClient, Workflow

_LIVE_S = 10.0
_POLL_S = 0.05
_ASKED = 5
_WEBHOOK = "n8n-nodes-base.webhook"
# These triggers are called from inside n8n and are not counted.
_UNCOUNTED = frozenset({"executeWorkflowTrigger", "errorTrigger", "manualTrigger"})


def wait_until_live(
    client: N8nClient, stored: Workflow, artifact: Mapping[str, Any], *, fresh: bool
) -> bool | None:
    """Returns whether webhooks answer and triggers are counted within 10 s; None without any.

    ``fresh`` means that no trigger of the workflow was counted before: n8n keeps the old count
    otherwise.
    """
    deadline = time.monotonic() + _LIVE_S
    # A path with parameters is registered under another name: it is not queried.
    webhooks = dict(list(_webhooks(artifact))[:_ASKED])
    counted = fresh and any(map(_is_counted, _enabled_nodes(artifact)))
    if not webhooks and not counted:
        return None
    while True:
        for path in [item for item, wanted in webhooks.items() if _listens(client, item, wanted)]:
            del webhooks[path]
        if counted:
            counted = not client.get(stored["id"]).get("triggerCount")
        if not webhooks and not counted:
            return True
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_S)


def _enabled_nodes(artifact: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for node in artifact.get("nodes", ()):
        if node.get("disabled") is not True:
            yield node


def _is_counted(node: Mapping[str, Any]) -> bool:
    """Returns whether a node is a counted trigger: by convention its type ends in Trigger."""
    kind = str(node.get("type"))
    name = kind.rpartition(".")[2]
    return kind == _WEBHOOK or (name.endswith("Trigger") and name not in _UNCOUNTED)


def _listens(client: N8nClient, path: str, wanted: frozenset[str]) -> bool:
    return wanted <= client.webhook_methods(path)


def _webhooks(artifact: Mapping[str, Any]) -> Iterator[tuple[str, frozenset[str]]]:
    methods: dict[str, set[str]] = {}
    for node in _enabled_nodes(artifact):
        if node.get("type") != _WEBHOOK:
            continue
        parameters = node.get("parameters", {})
        path, method = parameters.get("path"), parameters.get("httpMethod", "GET")
        if not isinstance(path, str) or not path or path.startswith("=") or ":" in path:
            continue
        listed = method if isinstance(method, list) else [method]
        if all(isinstance(item, str) and item.isalpha() for item in listed):
            methods.setdefault(path.strip("/"), set()).update(item.upper() for item in listed)
    for path, wanted in methods.items():
        yield path, frozenset(wanted)
