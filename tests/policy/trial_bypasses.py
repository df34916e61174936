"""Workflows that try to reach out of a trial, and drafts that a repair makes hostile.

Every second one was set aside while policy was written, and opened once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.policy.edit_bypasses import LANG, chain, node

# What is hostile in a text bears this mark, so that it can be looked for in the copy.
MARK = "REACHED"


def _code(text: str, **more: Any) -> dict[str, Any]:
    return node("Code", "code", {"jsCode": f"/* {MARK} */ {text}", **more})


def _field(value: str) -> dict[str, Any]:
    entry = {"id": "u", "name": "u", "value": value, "type": "string"}
    return node("Fields", "set", {"assignments": {"assignments": [entry]}})


def _condition(value: str) -> dict[str, Any]:
    condition = {
        "id": "c",
        "leftValue": value,
        "rightValue": "x",
        "operator": {"type": "string", "operation": "equals"},
    }
    options = {"version": 2, "leftValue": "", "caseSensitive": True, "typeValidation": "loose"}
    wanted = {"options": options, "conditions": [condition], "combinator": "and"}
    return node("If", "if", {"conditions": wanted, "options": {}}, typeVersion=2.2)


_EXPRESSIONS = [
    chain(_field(f"={{{{ [].constructor.constructor('return {MARK}')() }}}}")),
    chain(_field(f"={{{{ (() => 1)['const' + 'ructor']('return {MARK}')() }}}}")),
    chain(_field(f"={{{{ $json[$json.k]['{MARK}'].call(1) }}}}")),
    chain(_field(f"={{{{ Object.getPrototypeOf(() => '{MARK}').constructor('x')() }}}}")),
    chain(_field(f"={{{{ process.env['{MARK}'] }}}}")),
    chain(_field(f"={{{{ globalThis['{MARK}'] }}}}")),
    chain(_condition(f"={{{{ (function () {{ return this; }})()['{MARK}'] }}}}")),
    chain(_condition(f"={{{{ Reflect.get(() => 1, '{MARK}') }}}}")),
    chain(node("Call", "httpRequest", {"url": f"={{{{ ''.constructor.constructor('{MARK}') }}}}"})),
    chain(node("Call", "httpRequest", {"url": f"={{{{ this['{MARK}'] }}}}"})),
    chain(_field(f"={{{{ $json.__proto__['{MARK}'] }}}}")),
    chain(_field(f"={{{{ Error.prepareStackTrace = (e, s) => '{MARK}' }}}}")),
    chain(_field(f"={{{{ new Proxy({{}}, {{ get: () => '{MARK}' }}) }}}}")),
    chain(_field(f"={{{{ eval('{MARK}') }}}}")),
]

_CODES = [
    chain(_code("return [[]['const' + 'ructor']];")),
    chain(_code("return await this.helpers.httpRequest({ url: 'https://a.acme.test/' });")),
    chain(_code("return items;", language="python", pythonCode=f"import os # {MARK}")),
    chain(_code("const { a = globalThis } = {}; return a;")),
    chain(node("Code", "code", {"jsCode": f"={{{{ '{MARK}' + $json.code }}}}"})),
    chain(node("Function", "function", {"functionCode": f"return require('{MARK}');"})),
    chain(node("Item", "functionItem", {"functionCode": f"return require('{MARK}');"})),
    chain(node("Sort", "sort", {"type": "code", "code": f"return '{MARK}';"})),
    chain(node("Merge", "merge", {"mode": "combineBySql", "query": f"SELECT '{MARK}'"})),
    chain(node("Ai", "aiTransform", {"instructions": "x", "jsCode": f"return require('{MARK}');"})),
    chain(_code("return $getWorkflowStaticData.constructor('return 1')();")),
    chain(_code("return $input.all.constructor('return 1')();")),
]

_INNER = json.dumps(chain(node("Command", "executeCommand", {"command": "id"})))
_NODES = [
    chain(node("Command", "executeCommand", {"command": "id"})),
    chain(node("Sub", "executeWorkflow", {"source": "parameter", "workflowJson": _INNER})),
    chain(node("Call", "httpRequest", {"url": "http://127.0.0.1:5678/rest/x"})),
    chain(node("File", "readWriteFile", {"fileSelector": "/etc/passwd"})),
    {
        **chain(node("Call", "httpRequest", {"url": "http://127.0.0.1/"})),
        "pinData": {"Call": [{"json": {"a": 1}}]},
    },
    {
        **chain(node("Command", "executeCommand", {"command": "id"})),
        "pinData": {"Command": [{"json": {"stdout": "x"}}], "Start": [{"json": {}}]},
    },
    {**chain(_field("x")), "settings": {"errorWorkflow": "1", "executionOrder": "v1"}},
    chain(node("N8n", "n8n", {"resource": "workflow", "operation": "getAll"})),
    chain(node("Shell", "ssh", {"command": "id"})),
    chain(node("Twin", "n8n-nodes-acme.set", {"value": "x"})),
    chain(
        node("Crypto", "crypto", {"action": "hash"}),
        node("Git", "git", {"operation": "clone", "sourceRepository": "https://a.acme.test/x"}),
    ),
    chain(
        node("Agent", f"{LANG}agent", {"text": "x", "promptType": "define"}),
        tools=(node("Tool", f"{LANG}toolCode", {"jsCode": f"return require('{MARK}')"}),),
    ),
    chain(
        node("Agent", f"{LANG}agent", {"text": "x", "promptType": "define"}),
        tools=(node("Tool", f"{LANG}mcpClientTool", {"sseEndpoint": "http://127.0.0.1:3000/sse"}),),
    ),
    chain(node("Wait", "wait", {"resume": "webhook"})),
    chain(node("Data", "dataTable", {"resource": "row", "operation": "insert"})),
    chain(node("Env", "set", {"mode": "raw", "jsonOutput": f"={{{{ $env.{MARK} }}}}"})),
]

TRIED: dict[str, list[dict[str, Any]]] = {
    "expressions": _EXPRESSIONS,
    "codes": _CODES,
    "nodes": _NODES,
}

_SAFE = "https://api.acme.test/"
# Drafts with a fault that a repair mends, and with it the draft becomes what policy stops.
REPAIRED: list[dict[str, Any]] = [
    chain(node("Command", "excuteCommand", {"command": "id"})),
    chain(node("Command", "Execute Comand", {"command": "id"})),
    chain(node("Command", "n8n-nodes-base.execute_command", {"command": "id"})),
    chain(node("Call", "n8n-nodes-base.httpRequst", {"url": "http://169.254.169.254/"})),
    chain(node("Call", "httpRequest", {"URL": "http://127.0.0.1/"})),
    chain(node("Call", "httpRequest", {"url": "{{ $json.u }}"})),
    chain(node("Code", "Code", {"jsCode": "return require('fs');"})),
    chain(
        node(
            "Code",
            "code",
            {"language": "JavaScript", "jsCode": "return await this.helpers.httpRequest({});"},
        )
    ),
    chain(node("File", "readwritefile", {"fileSelector": "/etc/passwd"})),
    chain(node("File", "Read/Write Files from Disk", {"fileSelector": "/etc/passwd"})),
    chain(node("Sub", "executeWorkflow", {"source": "paramater", "workflowJson": _INNER})),
    chain(node("Sub", "Execute Workflow", {"source": "parameter", "workflowJson": _INNER})),
    chain(node("Shell", "SSH", {"command": "id"})),
    chain(node("Git", "Git", {"operation": "clone", "sourceRepository": _SAFE})),
    chain(node("N8n", "N8N", {"resource": "workflow", "operation": "getAll"})),
    chain(node("Move", "FTP", {"path": "/etc/passwd"})),
]


def hostile_tries(half: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the workflows of a half to try, each with its family: "open" or "sealed"."""
    for family, documents in TRIED.items():
        for document in documents[0 if half == "open" else 1 :: 2]:
            yield family, document


def hostile_repairs(half: str) -> Iterator[dict[str, Any]]:
    """Yield the drafts of a half that a repair makes hostile: "open" or "sealed"."""
    yield from REPAIRED[0 if half == "open" else 1 :: 2]
