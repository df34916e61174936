"""Builds small catalogs of an invented package, ``acme-nodes``, in the n8n domain.

Every function returns new plain values, which a test may change.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.support.tool_implementations import (
    choice,
    lookup_variant,
    mail_variant,
    make_route_parameters,
)

Line = dict[str, Any]

HOOK = "acme-nodes.hook"
MAIL = "acme-nodes.mail"
ROUTER = "acme-nodes.router"
AGENT = "acme-nodes.agent"
MODEL = "acme-nodes.chatModel"
LOOKUP = "acme-nodes.lookupTool"
SHELL = "acme-nodes.shell"
MAIL_LOGIN = "acmeMailApi"
MODEL_LOGIN = "acmeModelApi"


def acme(**header_facts: Any) -> list[Line]:
    """Returns a complete valid catalog: header, seven tools, two credential types, end line."""
    tools = [hook(), mail(), router(), agent(), chat_model(), lookup_tool(), shell()]
    return add_end_line([header(**header_facts), *tools, *credentials()])


def acme_bytes(**header_facts: Any) -> bytes:
    """Returns the catalog of ``acme`` as a JSON Lines file."""
    return jsonl(acme(**header_facts))


def jsonl(lines: Iterable[Line]) -> bytes:
    """Returns lines as a JSON Lines file in UTF-8."""
    return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines)


def add_end_line(lines: list[Line]) -> list[Line]:
    """Returns the lines with an end line that counts them."""
    kinds = [line["kind"] for line in lines]
    end = {"kind": "end", "tools": kinds.count("tool"), "credentials": kinds.count("credential")}
    return [*lines, end]


def header(**facts: Any) -> Line:
    """Returns the header line; ``facts`` replace its fields."""
    return {
        "kind": "header",
        "domain": "n8n",
        "schema": 1,
        "origin": "installed",
        "versions": {"n8n": "9.8.7"},
        "packages": [{"name": "acme-nodes", "version": "1.2.0", "community": True}],
        "generator": "tests",
    } | facts


def hook() -> Line:
    """Returns a trigger: no input, one output, one required parameter."""
    return _tool(
        HOOK,
        "Acme Hook",
        aliases=["AcmeHook"],
        keywords=["webhook", "start"],
        description="Starts when Acme calls",
        category="trigger",
        variants=[
            {
                "versions": [1],
                "inputs": [],
                "outputs": [{"kind": "main"}],
                "parameters": [
                    {"name": "path", "type": "string", "required": True, "default": ""},
                    choice("method", ["GET", "POST"]),
                ],
                "traits": {"trigger": True, "webhooks": [{"name": "default", "path": "acme"}]},
            }
        ],
    )


def mail() -> Line:
    """Returns an action with resource and operation, in two implementations: 1 and 1.1, and 2."""
    old = mail_variant([1, 1.1], "text", MAIL_LOGIN)
    return _tool(
        MAIL,
        "Acme Mail",
        aliases=["AcmeMail", "Acme E-Mail"],
        keywords=["send", "message"],
        description="Sends and reads messages",
        family="acme",
        hosts=["mail.acme.example"],
        default_version=2,
        variants=[old, mail_variant([2], "body", MAIL_LOGIN)],
    )


def router() -> Line:
    """Returns a node whose outputs depend on a parameter, with a table over its values."""
    results, two = [{"kind": "main", "name": "match"}], [{"kind": "main"}, {"kind": "main"}]
    return _tool(
        ROUTER,
        "Acme Router",
        is_generic=True,
        variants=[
            {
                "versions": [1],
                "inputs": [{"kind": "main"}],
                "outputs": {
                    "source": "={{ $parameter.ways === 'two' ? ['main','main'] : ['main'] }}",
                    "reads": ["ways"],
                    "table": [
                        {"when": {"ways": "one"}, "ports": results},
                        {"when": {"ways": "two"}, "ports": two},
                    ],
                },
                "parameters": [choice("ways", ["one", "two"]), *make_route_parameters()],
            }
        ],
    )


def agent() -> Line:
    """Returns a node that requires a model on a separate input and takes tools on another."""
    inputs = [
        {"kind": "main"},
        {"kind": "ai_languageModel", "name": "Model", "required": True, "max": 1},
        {"kind": "ai_tool", "name": "Tools"},
    ]
    return _tool(
        AGENT,
        "Acme Agent",
        description="Answers with the help of a model",
        variants=[
            {
                "versions": [1, 2],
                "inputs": inputs,
                "outputs": [{"kind": "main"}],
                "parameters": [{"name": "prompt", "type": "string", "default": ""}],
            }
        ],
    )


def chat_model() -> Line:
    """Returns a sub-node: no input, one model output, a required credential."""
    return _tool(
        MODEL,
        "Acme Chat Model",
        variants=[
            {
                "versions": [1],
                "inputs": [],
                "outputs": [{"kind": "ai_languageModel"}],
                "parameters": [{"name": "model", "type": "string", "default": "acme-1"}],
                "credentials": [{"name": MODEL_LOGIN, "required": True}],
            }
        ],
    )


def lookup_tool() -> Line:
    """Returns a sub-node that an agent can call; its old version has another parameter."""
    return _tool(
        LOOKUP,
        "Acme Lookup Tool",
        variants=[lookup_variant(0.5, "sheet"), lookup_variant(1, "table")],
    )


def shell() -> Line:
    """Returns a tool that is installed but excluded by configuration."""
    return _tool(
        SHELL,
        "Acme Shell",
        availability="excluded",
        replaced_by=[MAIL],
        variants=[
            {
                "versions": [1],
                "inputs": [{"kind": "main"}],
                "outputs": [{"kind": "main"}],
                "parameters": [{"name": "command", "type": "string", "default": ""}],
            }
        ],
    )


def credentials() -> list[Line]:
    """Returns two credential types, one for mail and one for the model."""
    key = {"name": "apiKey", "type": "string", "required": True, "default": ""}
    return [
        {
            "kind": "credential",
            "id": identity,
            "name": name,
            "package": "acme-nodes",
            "parameters": [key],
            "tools": [tool],
        }
        for identity, name, tool in (
            (MAIL_LOGIN, "Acme Mail API", MAIL),
            (MODEL_LOGIN, "Acme Model API", MODEL),
        )
    ]


def workflow() -> dict[str, Any]:
    """Returns a native workflow over the catalog of ``acme`` without errors."""
    return {
        "name": "Acme greeting",
        "nodes": [
            _node("Hook", HOOK, 1, {"path": "greet"}, 0),
            _node("Mail", MAIL, 2, {"resource": "message", "operation": "send", "to": "a@b.c"}, 220)
            | {"credentials": {MAIL_LOGIN: {"id": "1", "name": "Acme Mail"}}},
        ],
        "connections": {"Hook": {"main": [[{"node": "Mail", "type": "main", "index": 0}]]}},
        "settings": {},
    }


def _tool(identity: str, name: str, **fields: Any) -> Line:
    return {"kind": "tool", "id": identity, "name": name, "package": "acme-nodes"} | fields


def _node(
    name: str, tool: str, version: float, parameters: dict[str, Any], x: int
) -> dict[str, Any]:
    return {
        "id": f"node-{name.lower()}",
        "name": name,
        "type": tool,
        "typeVersion": version,
        "position": [x, 0],
        "parameters": parameters,
    }
