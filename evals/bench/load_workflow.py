"""Makes the workflow that load is measured with: 15 nodes with expressions."""

from __future__ import annotations

from typing import Any

_SHEET = {"__rl": True, "mode": "id", "value": "1sheet"}
_TAB = {"__rl": True, "mode": "name", "value": "Orders"}
_JAVASCRIPT = """const rows = $input.all();
return rows.map((row) => ({ json: { ...row.json, total: row.json.price * row.json.count } }));
"""


def make_workflow(number: int = 0) -> dict[str, Any]:
    """Returns a workflow that receives, checks, prices, stores and announces orders.

    Workflows of different numbers have the same length but no equal nodes.
    """
    nodes = [
        _make_node("Order in", "webhook", 2, {"path": "orders", "httpMethod": "POST"}),
        _make_node("Fields", "set", 3.4, _make_fields()),
        _make_node("Is paid", "if", 2.2, _make_condition("={{ $json.paid }}")),
        _make_node("Customer", "httpRequest", 4.2, _make_call("customers/{{ $json.customer }}")),
        _make_node(
            "Stock", "httpRequest", 4.2, _make_call("stock/{{ $('Fields').item.json.sku }}")
        ),
        _make_node("Price", "code", 2, {"jsCode": _JAVASCRIPT}),
        _make_node("Is large", "filter", 2.2, _make_condition("={{ $json.total > 100 }}")),
        _make_node("Row", "googleSheets", 4.5, _make_row()),
        _make_node(
            "Announce", "slack", 2.3, _make_message("={{ $json.total }} from {{ $json.customer }}")
        ),
        _make_node("Unpaid", "set", 3.4, _make_fields()),
        _make_node("Remind", "httpRequest", 4.2, _make_call("reminders/{{ $json.id }}")),
        _make_node("Wait", "wait", 1.1, {"amount": 5, "unit": "minutes"}),
        _make_node("Both", "merge", 3, {"mode": "append"}),
        _make_node("Stamp", "dateTime", 2, {"operation": "getCurrentDate", "options": {}}),
        _make_node("Answer", "respondToWebhook", 1.1, _make_answer()),
    ]
    for node in nodes:
        node["id"] = f"id-{number}-{node['name']}"
    names = [node["name"] for node in nodes]
    edges = dict(zip(names[:8], ([[name]] for name in names[1:9]), strict=True))
    edges["Is paid"] = [["Customer"], ["Unpaid"]]
    edges |= {"Unpaid": [["Remind"]], "Remind": [["Wait"]], "Announce": [["Both"]]}
    edges |= {"Wait": [["Both"]], "Both": [["Stamp"]], "Stamp": [["Answer"]]}
    connections = {
        name: {"main": [[_make_edge(name, target) for target in targets] for targets in outputs]}
        for name, outputs in edges.items()
    }
    return {"name": "Orders", "nodes": nodes, "connections": connections, "settings": {}}


def _make_edge(source: str, target: str) -> dict[str, Any]:
    return {"node": target, "type": "main", "index": int((source, target) == ("Wait", "Both"))}


def _make_node(name: str, kind: str, version: float, parameters: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": name,
        "type": f"n8n-nodes-base.{kind}",
        "typeVersion": version,
        "position": [0, 0],
        "parameters": parameters,
    }


def _make_fields() -> dict[str, Any]:
    values = {"sku": "={{ $json.body.sku }}", "customer": "={{ $json.body.customer.trim() }}"}
    rows = [{"id": key, "name": key, "value": values[key], "type": "string"} for key in values]
    return {"assignments": {"assignments": rows}, "options": {}}


def _make_condition(value: str) -> dict[str, Any]:
    operator = {"type": "boolean", "operation": "true", "singleValue": True}
    row = {"id": "c", "leftValue": value, "rightValue": "", "operator": operator}
    options = {"caseSensitive": True, "leftValue": "", "typeValidation": "loose", "version": 2}
    return {
        "conditions": {"options": options, "conditions": [row], "combinator": "and"},
        "options": {},
    }


def _make_call(path: str) -> dict[str, Any]:
    return {"url": f"=https://example.com/{path}", "options": {}}


def _make_row() -> dict[str, Any]:
    columns = {
        "mappingMode": "defineBelow",
        "value": {"sku": "={{ $json.sku }}", "total": "={{ $json.total }}"},
        "matchingColumns": [],
        "schema": [],
    }
    place = {"documentId": _SHEET, "sheetName": _TAB}
    return {"operation": "append", **place, "columns": columns, "options": {}}


def _make_message(text: str) -> dict[str, Any]:
    channel = {"__rl": True, "mode": "name", "value": "#orders"}
    return {"select": "channel", "channelId": channel, "text": text, "otherOptions": {}}


def _make_answer() -> dict[str, Any]:
    body = "={{ { stored: true, at: $json.currentDate } }}"
    return {"respondWith": "json", "responseBody": body, "options": {}}
