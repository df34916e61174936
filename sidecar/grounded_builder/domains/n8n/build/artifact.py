"""Builds a workflow for n8n's public API, with generated ids, webhook ids and positions."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n import api_schema as api
from grounded_builder.ir.graph import ResolvedGraph, ResolvedNode
from grounded_builder.ir.options import CompileOptions

DEFAULT_NAME = "Untitled workflow"

_NODES = uuid.uuid5(uuid.NAMESPACE_URL, "urn:grounded-builder:n8n:node")
_COLUMNS, _STEP_X, _STEP_Y = 10, 220, 200


def build(resolved: ResolvedGraph, options: CompileOptions) -> Mapping[str, Any]:
    """Returns the workflow for n8n's public API; the same input gives the same bytes.

    Keys that n8n refuses or ignores are omitted, and missing ids, positions, versions, webhook ids
    and webhook paths are filled in. Everything else stays unchanged.
    """
    document = resolved.graph.document
    artifact = {key: value for key, value in document.items() if key in api.WORKFLOW}
    artifact["name"] = document.get("name") or DEFAULT_NAME
    artifact["nodes"] = _nodes(resolved, options)
    artifact["connections"] = document.get("connections") or {}
    artifact["settings"] = _settings(document.get("settings"))
    return artifact


def node_id(seed: str, name: str) -> str:
    """Returns the id of a node without one: a UUIDv5 of the seed and its name."""
    readable = f"{seed}\n{name}".encode("utf-8", "backslashreplace").decode("utf-8")
    return str(uuid.uuid5(_NODES, readable))


def _settings(settings: Any) -> dict[str, Any]:
    if not isinstance(settings, dict):
        return {}
    return {
        key: value
        for key, value in settings.items()
        if key in api.SETTINGS and value != api.SETTINGS_FOLLOW
    }


def _nodes(resolved: ResolvedGraph, options: CompileOptions) -> list[dict[str, Any]]:
    return [
        _node(bound, options, place)
        for bound, place in zip(resolved.nodes, places(resolved), strict=True)
    ]


def places(resolved: ResolvedGraph) -> list[list[int]]:
    """Returns a position for each node without one, in rows below the positioned nodes."""
    heights = [
        bound.node.source["position"][1]
        for bound in resolved.nodes
        if api.is_position(bound.node.source.get("position"))
    ]
    top = int(max(heights)) + _STEP_Y if heights else 0
    return [
        [index % _COLUMNS * _STEP_X, top + index // _COLUMNS * _STEP_Y]
        for index in range(len(resolved.nodes))
    ]


def _node(bound: ResolvedNode, options: CompileOptions, place: list[int]) -> dict[str, Any]:
    source = bound.node.source
    node = {key: value for key, value in source.items() if key in api.NODE}
    if not node.get("id"):
        node["id"] = node_id(options.seed, bound.node.name)
    if "position" not in node:
        node["position"] = place
    if "typeVersion" not in node and bound.version is not None:
        version = bound.version
        node["typeVersion"] = int(version) if version == int(version) else version
    node.setdefault("parameters", {})
    webhooks = bound.spec.traits.get("webhooks") if bound.spec is not None else None
    if webhooks:
        if not node.get("webhookId"):
            node["webhookId"] = webhook_id(bound, options)
        if _needs_path(webhooks, node["parameters"]):
            path = _secret(bound, options, "path")[:32]
            node["parameters"] = {**node["parameters"], "path": path}
    return node


def webhook_id(bound: ResolvedNode, options: CompileOptions) -> str:
    """Returns a UUID that cannot be guessed without the secret: n8n uses it in addresses."""
    return str(uuid.UUID(hex=_secret(bound, options, "webhook")[:32], version=4))


def _needs_path(webhooks: Any, parameters: Mapping[str, Any]) -> bool:
    """Returns whether a webhook's address is its parameter ``path`` alone, and that is empty."""
    if parameters.get("path"):
        return False
    return any(
        "$parameter" in str(webhook.get("path"))
        and '["path"]' in str(webhook.get("path"))
        and "||" not in str(webhook.get("path"))
        for webhook in webhooks
        if isinstance(webhook, Mapping)
    )


def _secret(bound: ResolvedNode, options: CompileOptions, use: str) -> str:
    message = f"{use}\n{options.seed}\n{bound.node.name}".encode("utf-8", "surrogatepass")
    return hmac.new(options.path_secret, message, hashlib.sha256).hexdigest()
