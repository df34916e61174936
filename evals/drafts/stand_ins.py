"""Fills in credentials and values that only a user can supply, so that n8n checks the rest."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from grounded_builder.diagnostics import Diagnostic

_VALUE = '={{ "stand-in" }}'
_STARTS = frozenset({"N8N301", "N8N307"})


def with_credentials(workflow: Mapping[str, Any], findings: Iterable[Diagnostic]) -> dict[str, Any]:
    """Returns the workflow with a credential wherever a required one is not chosen.

    At publication n8n checks whether a node names a credential, not whether it exists.
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
    """Returns the workflow with stand-ins for missing required values and a missing trigger."""
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
            _put_value(nodes[diagnostic.node].setdefault("parameters", {}), below)
    if lacks_start:
        made["nodes"].append(_make_trigger())
    return made


def _put_value(parameters: Any, route: tuple[str | int, ...]) -> None:
    """Sets the value at a route; ignores routes that do not exist."""
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


def _make_trigger() -> dict[str, Any]:
    identity = str(uuid.uuid5(uuid.NAMESPACE_URL, "urn:stand-in"))
    return {
        "id": identity,
        "name": "A stand-in that starts it",
        "type": "n8n-nodes-base.scheduleTrigger",
        "typeVersion": 1.2,
        "position": [0, -400],
        "parameters": {"rule": {"interval": [{}]}},
    }
