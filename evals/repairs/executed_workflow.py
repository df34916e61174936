"""Computes the parts of a workflow that n8n executes: nodes, effective parameters, edges."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.parameters.defaults import filled_parameters
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedNode

# The keys that only affect the canvas, or that n8n writes itself.
_LOOKS = frozenset({"id", "position", "notes", "notesInFlow", "color", "webhookId", "name"})
_OFF: tuple[Any, ...] = (False, None, "", [], {})
_PASSED_ON = ("id", "list")


def meaning_of(document: Any, registry: Registry) -> Any:
    """Returns nodes with type, version, effective parameters and settings, and all edges.

    Ids, positions and webhook ids count by presence only, notes by their number. A locator whose
    mode passes on its value equals that value; ids of assignments and labels of
    operators are ignored.
    """
    reading = N8N.reading.read(document)
    if reading.graph is None:
        return document
    resolved, _ = resolve_graph(reading.graph, N8N, registry)
    nodes = sorted((_describe_node(bound) for bound in resolved.nodes), key=_to_json)
    edges = sorted(
        [e.source, e.source_kind, e.source_index, e.target, e.target_kind, e.target_index]
        for e in resolved.graph.edges
    )
    rest = {
        key: value
        for key, value in reading.graph.document.items()
        if key not in ("nodes", "connections") and value not in _OFF
    }
    return {"nodes": nodes, "edges": edges, "rest": rest}


def _describe_node(bound: ResolvedNode) -> dict[str, Any]:
    source = bound.node.source
    entries = {
        key: value for key, value in source.items() if key not in _LOOKS and value not in _OFF
    }
    entries["looks"] = [key in source for key in ("id", "position")]
    if isinstance(bound.spec, NodeSpec):
        entries["typeVersion"] = bound.version
        runs = bound.spec.variant["inputs"] or bound.spec.variant["outputs"]
        entries["parameters"] = _simplify(filled_parameters(bound).full if runs else None)
        entries["hooked"] = bool(bound.spec.traits.get("webhooks")) and "webhookId" in source
        entries["name"] = source.get("name") if runs else None
    else:
        entries["name"] = source.get("name")
    return entries


def _simplify(value: Any) -> Any:
    if isinstance(value, Mapping):
        if "mode" in value and "value" in value:
            if value["mode"] in _PASSED_ON:
                return _simplify(value["value"])
            return [value["mode"], _simplify(value["value"])]
        listed = value.get("assignments")
        if isinstance(listed, list):
            return {"assignments": [_remove_id(item) for item in listed]}
        if isinstance(value.get("conditions"), list):
            conditions = [_simplify_condition(condition) for condition in value["conditions"]]
            return {**{k: _simplify(v) for k, v in value.items()}, "conditions": conditions}
        return {key: _simplify(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_simplify(item) for item in value]
    return value


def _remove_id(entry: Any) -> Any:
    if not isinstance(entry, Mapping):
        return entry
    return {key: _simplify(value) for key, value in entry.items() if key != "id"}


def _simplify_condition(condition: Any) -> Any:
    """Returns what n8n compares: no label of the operator, and no operand that it does not take."""
    simple = _remove_id(condition)
    operator = simple.get("operator") if isinstance(simple, dict) else None
    if not isinstance(operator, dict):
        return simple
    unread = {"rightValue"} if operator.get("singleValue") is True else set()
    kept = {key: value for key, value in simple.items() if key not in unread}
    return {**kept, "operator": {k: v for k, v in operator.items() if k != "name"}}


def _to_json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
