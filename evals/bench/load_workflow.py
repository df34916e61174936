"""Defines the workflow that load is measured with: 15 nodes with expressions."""

from __future__ import annotations

from typing import Any

_SHEET = {"__rl": True, "mode": "id", "value": "1sheet"}
_TAB = {"__rl": True, "mode": "name", "value": "Orders"}
_JAVASCRIPT = """const rows = $input.all();
return rows.map((row) => ({ json: { ...row.json, total: row.json.price * row.json.count } }));
"""


def make_workflow(number: int = 0) -> dict[str, Any]:
    """Returns a finished workflow: orders arrive, are checked, priced, stored and announced.

    Those of other numbers are as long, and no node of theirs is equal to one of this.
    """
    nodes = [
        _node("Order in", "webhook", 2, {"path": "orders", "httpMethod": "POST"}),
        _node("Fields", "set", 3.4, _fields()),
        _node("Is paid", "if", 2.2, _condition("={{ $json.paid }}")),
        _node("Customer", "httpRequest", 4.2, _call("customers/{{ $json.customer }}")),
        _node("Stock", "httpRequest", 4.2, _call("stock/{{ $('Fields').item.json.sku }}")),
        _node("Price", "code", 2, {"jsCode": _JAVASCRIPT}),
        _node("Is large", "filter", 2.2, _condition("={{ $json.total > 100 }}")),
        _node("Row", "googleSheets", 4.5, _row()),
        _node("Announce", "slack", 2.3, _message("={{ $json.total }} from {{ $json.customer }}")),
        _node("Unpaid", "set", 3.4, _fields()),
        _node("Remind", "httpRequest", 4.2, _call("reminders/{{ $json.id }}")),
        _node("Wait", "wait", 1.1, {"amount": 5, "unit": "minutes"}),
        _node("Both", "merge", 3, {"mode": "append"}),
        _node("Stamp", "dateTime", 2, {"operation": "getCurrentDate", "options": {}}),
        _node("Answer", "respondToWebhook", 1.1, _answer()),
    ]
    for node in nodes:
        node["id"] = f"id-{number}-{node['name']}"
    names = [node["name"] for node in nodes]
    edges = dict(zip(names[:8], ([[name]] for name in names[1:9]), strict=True))
    edges["Is paid"] = [["Customer"], ["Unpaid"]]
    edges |= {"Unpaid": [["Remind"]], "Remind": [["Wait"]], "Announce": [["Both"]]}
    edges |= {"Wait": [["Both"]], "Both": [["Stamp"]], "Stamp": [["Answer"]]}
    connections = {
        name: {"main": [[_edge(name, target) for target in targets] for targets in outputs]}
        for name, outputs in edges.items()
    }
    return {"name": "Orders", "nodes": nodes, "connections": connections, "settings": {}}


def _edge(source: str, target: str) -> dict[str, Any]:
    return {"node": target, "type": "main", "index": int((source, target) == ("Wait", "Both"))}


def _node(name: str, kind: str, version: float, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "position": [0, 0],
        "parameters": parameters,
    }


def _fields() -> dict[str, Any]:
    values = {"sku": "={{ $json.body.sku }}", "customer": "={{ $json.body.customer.trim() }}"}
    rows = [{"id": key, "name": key, "value": values[key], "type": "string"} for key in values]
    return {"assignments": {"assignments": rows}, "options": {}}


def _condition(value: str) -> dict[str, Any]:
    operator = {"type": "boolean", "operation": "true", "singleValue": True}
    row = {"id": "c", "leftValue": value, "rightValue": "", "operator": operator}
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "loose", "version": 2}
    return {
        "conditions": {"options": options, "conditions": [row], "combinator": "and"},
        "options": {},
    }


def _call(path: str) -> dict[str, Any]:
    return {"url": f"=https://example.com/{path}", "options": {}}


def _row() -> dict[str, Any]:
    columns = {
        "mappingMode": "defineBelow",
        "value": {"sku": "={{ $json.sku }}", "total": "={{ $json.total }}"},
        "matchingColumns": [],
        "schema": [],
    }
    place = {"documentId": _SHEET, "sheetName": _TAB}
    return {"operation": "append", **place, "columns": columns, "options": {}}


def _message(text: str) -> dict[str, Any]:
    channel = {"__rl": True, "mode": "name", "value": "#orders"}
    return {"select": "channel", "channelId": channel, "text": text, "otherOptions": {}}


def _answer() -> dict[str, Any]:
    body = "={{ { stored: true, at: $json.currentDate } }}"
    return {"respondWith": "json", "responseBody": body, "options": {}}
