"""Builds the implementations of the invented tools."""

from __future__ import annotations

from typing import Any

Line = dict[str, Any]


def make_route_parameters() -> list[Line]:
    """Returns four parameters: a number, a table as JSON, rules and a resource locator."""
    form = {"regex": "acme-[0-9]+", "errorMessage": "acme- and digits"}
    place = {"name": "id", "validation": [{"type": "regex", "properties": form}]}
    rule = {"name": "rule", "values": [{"name": "when", "type": "string", "default": ""}]}
    return [
        {"name": "limit", "type": "number", "default": 1},
        {"name": "table", "type": "json", "default": "{}"},
        {
            "name": "rules",
            "type": "fixedCollection",
            "default": {},
            "typeOptions": {"multipleValues": True},
            "options": [rule],
        },
        {
            "name": "place",
            "type": "resourceLocator",
            "default": {"mode": "list", "value": ""},
            "modes": [{"name": "list"}, place],
        },
    ]


def mail_variant(versions: list[float], text_parameter: str, login: str) -> dict[str, Any]:
    send = {"show": {"resource": ["message"], "operation": ["send"]}}
    return {
        "versions": versions,
        "inputs": [{"kind": "main"}],
        "outputs": [{"kind": "main"}],
        "parameters": [
            choice("resource", ["message", "draft"]),
            choice("operation", ["send", "get"], {"show": {"resource": ["message"]}}),
            choice("operation", ["create"], {"show": {"resource": ["draft"]}}),
            {
                "name": "to",
                "type": "string",
                "required": True,
                "default": "",
                "displayOptions": send,
            },
            {"name": text_parameter, "type": "string", "default": "", "displayOptions": send},
        ],
        "operations": [
            {"params": {"resource": "message", "operation": "send"}, "name": "Send a message"},
            {"params": {"resource": "message", "operation": "get"}, "name": "Get a message"},
            {"params": {"resource": "draft", "operation": "create"}, "name": "Create a draft"},
        ],
        "credentials": [{"name": login, "required": True}],
    }


def lookup_variant(version: float, parameter: str) -> dict[str, Any]:
    return {
        "versions": [version],
        "inputs": [],
        "outputs": [{"kind": "ai_tool"}],
        "parameters": [{"name": parameter, "type": "string", "required": True, "default": ""}],
    }


def choice(name: str, values: list[str], display: Any = None) -> dict[str, Any]:
    options = [{"name": value.title(), "value": value} for value in values]
    choice = {"name": name, "type": "options", "options": options, "default": values[0]}
    return choice if display is None else choice | {"displayOptions": display}
