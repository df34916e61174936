"""Fills in values that only a user can supply, so that n8n judges the rest."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic

_VALUE = '={{ "stand-in" }}'
_STARTS = frozenset({"N8N301", "N8N307"})


def with_credentials(workflow: Mapping[str, Any], findings: Iterable[Diagnostic]) -> dict[str, Any]:
    """The workflow with a credential wherever a required one is not chosen.

    n8n looks at publication whether a node names a credential, not whether it exists.
    """
    made = copy.deepcopy(dict(workflow))
    nodes = {node.get("name"): node for node in made["nodes"]}
    for diagnostic in findings:
        if (
            diagnostic.code == "N8N303"
            and diagnostic.node in nodes
            and diagnostic.token is not None
        ):
            given = nodes[diagnostic.node].get("credentials")
            chosen = {diagnostic.token: {"id": "stand-in", "name": f"A {diagnostic.token}"}}
            entries = given if isinstance(given, dict) else {}
            nodes[diagnostic.node]["credentials"] = {**entries, **chosen}
    return made


def with_values(workflow: Mapping[str, Any], findings: Iterable[Diagnostic]) -> dict[str, Any]:
    """The workflow with a value for each that is required and absent, and something to start it."""
    made = copy.deepcopy(dict(workflow))
    nodes = {node.get("name"): node for node in made["nodes"]}
    lacks_start = False
    for diagnostic in findings:
        lacks_start = lacks_start or diagnostic.code in _STARTS
        if (
            diagnostic.code in ("GB301", "GB331")
            and diagnostic.node in nodes
            and "parameters" in diagnostic.at
        ):
            below = diagnostic.at[diagnostic.at.index("parameters") + 1 :]
            _put(nodes[diagnostic.node].setdefault("parameters", {}), below)
    if lacks_start:
        made["nodes"].append(_start())
    return made


def _put(parameters: Any, route: tuple[str | int, ...]) -> None:
    """Set the value at a route; one that leads nowhere is left alone."""
    held = parameters
    for key in route[:-1]:
        if isinstance(held, dict) and isinstance(key, str):
            held = held.setdefault(key, {})
        elif isinstance(held, list) and isinstance(key, int) and key < len(held):
            held = held[key]
        else:
            return
    if route and isinstance(held, dict):
        old = held.get(str(route[-1]))
        is_locator = isinstance(old, dict) and "mode" in old
        held[str(route[-1])] = {**old, "value": _VALUE} if is_locator and old else _VALUE


def _start() -> dict[str, Any]:
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, "urn:stand-in"))
    return {
        "id": identity,
        "name": "A stand-in that starts it",
        "type": "n8n-nodes-base.scheduleTrigger",
        "typeVersion": 1.2,
        "position": [0, -400],
        "parameters": {"rule": {"interval": [{}]}},
    }
