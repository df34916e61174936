"""Edits that try to bypass the policy by changing approved or harmless nodes.

Every second edit was set aside while policy was written, and opened once.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.ir.options import Policy

BASE = "n8n-nodes-base."
LANG = "@n8n/n8n-nodes-langchain."
_VERSIONS = {
    "code": 2,
    "httpRequest": 4.2,
    "executeWorkflow": 1.2,
    "set": 3.4,
    "webhook": 2,
    "agent": 2,
    "toolWorkflow": 2.2,
    "scheduleTrigger": 1.2,
}
_METADATA = "http://169.254.169.254/latest/meta-data/"
_SAFE = "https://api.acme.test/v1/items"


@dataclass(frozen=True, slots=True)
class Edit:
    """A document, the changes to it, and the policy that they try to pass."""

    name: str
    document: dict[str, Any]
    changes: tuple[dict[str, Any], ...]
    policy: Policy = field(default_factory=Policy)


def node(name: str, kind: str, parameters: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return a node; a kind without a package is of n8n-nodes-base."""
    short = kind.rsplit(".", maxsplit=1)[-1]
    return {
        "id": f"id-{name}",
        "name": name,
        "type": kind if "." in kind else BASE + kind,
        "typeVersion": _VERSIONS.get(short, 1),
        "position": [0, 0],
        "parameters": dict(parameters),
        **more,
    }


def chain(*nodes: dict[str, Any], tools: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """Return a workflow of nodes in one line; tools serve the last of them."""
    start = node("Start", "scheduleTrigger", {"rule": {"interval": [{}]}})
    line = [start, *nodes]
    edges: dict[str, Any] = {
        left["name"]: {"main": [[{"node": right["name"], "type": "main", "index": 0}]]}
        for left, right in itertools.pairwise(line)
    }
    for tool in tools:
        entry = {"node": line[-1]["name"], "type": "ai_tool", "index": 0}
        edges[tool["name"]] = {"ai_tool": [[entry]]}
    return {"name": "Test", "nodes": [*line, *tools], "connections": edges, "settings": {}}


def _call(url: str = _SAFE, **more: Any) -> dict[str, Any]:
    return node("Call", "httpRequest", {"url": url, **more})


def _set(value: str) -> dict[str, Any]:
    entry = {"id": "u", "name": "u", "value": value, "type": "string"}
    return node("Fields", "set", {"assignments": {"assignments": [entry]}})


def _code(text: str) -> dict[str, Any]:
    return node("Code", "code", {"jsCode": text})


def _command(command: str = "uptime", name: str = "Command", **more: Any) -> dict[str, Any]:
    return node(name, "executeCommand", {"command": command}, **more)


def _change(name: str, **parameters: Any) -> dict[str, Any]:
    return {"set": name, "params": parameters}


def _add(tool: str, after: str = "Call", **parameters: Any) -> dict[str, Any]:
    return {"add": {"tool": tool, "params": parameters}, "after": after}


def _agent(*tools: dict[str, Any]) -> dict[str, Any]:
    return chain(node("Agent", f"{LANG}agent", {"text": "x", "promptType": "define"}), tools=tools)


_INNER = json.dumps(chain(_command("id")))
_DENYING = Policy(denied=(f"{BASE}httpRequest",))
_HOSTS = Policy(allowed_hosts=("api.acme.test",))

_ADDRESSES = [
    Edit("url by expression", chain(_call()), (_change("Call", url="={{ $json.u }}"),)),
    Edit("metadata address", chain(_call()), (_change("Call", url=_METADATA),)),
    Edit(
        "a field and the url that reads it",
        chain(_set("https://api.acme.test/"), _call()),
        (
            _change(
                "Fields",
                assignments={
                    "assignments": [{"id": "u", "name": "u", "value": _METADATA, "type": "string"}]
                },
            ),
            _change("Call", url="={{ $json.u }}"),
        ),
    ),
    Edit(
        "the host of a path by expression",
        chain(_call("https://api.acme.test/{{ $json.p }}")),
        (_change("Call", url="=https://api.acme.test{{ $json.p }}/x"),),
    ),
    Edit("a proxy", chain(_call()), (_change("Call", options={"proxy": "http://127.0.0.1:3128"}),)),
    Edit(
        "the next page",
        chain(_call()),
        (
            _change(
                "Call",
                options={
                    "pagination": {
                        "pagination": {
                            "paginationMode": "responseContainsNextURL",
                            "nextURL": "={{ $response.body.next }}",
                        }
                    }
                },
            ),
        ),
    ),
    Edit("decimal loopback", chain(_call()), (_change("Call", url="http://2130706433:5678/"),)),
    Edit("another address", chain(_call(_METADATA)), (_change("Call", url="http://10.0.0.8/"),)),
    Edit("a feed of the link", chain(_call()), (_add("rssFeedRead", url=_METADATA),)),
    Edit(
        "another host",
        chain(_call()),
        (_change("Call", url="https://evil.test/v1/items"),),
        _HOSTS,
    ),
    Edit(
        "the host in the user part",
        chain(_call()),
        (_change("Call", url="https://api.acme.test@evil.test/"),),
        _HOSTS,
    ),
    Edit(
        "another base of a model",
        _agent(),
        (
            {
                "add": {
                    "tool": f"{LANG}lmChatOpenAi",
                    "params": {"options": {"baseURL": "http://127.0.0.1:11434/v1"}},
                },
                "for": "Agent",
            },
        ),
    ),
]

_COMMANDS = [
    Edit("an approved command", chain(_command()), (_change("Command", command="rm -rf /"),)),
    Edit(
        "a command by expression",
        chain(_command("ls")),
        (_change("Command", command="={{ $json.body.run }}"),),
    ),
    Edit("a command enabled", chain(_command(disabled=True)), ({"enable": "Command"},)),
    Edit("a command added", chain(_call()), (_add("executeCommand", command="id"),)),
    Edit("a call made a command", chain(_call()), ({"replace": "Call", "by": "Execute Command"},)),
    Edit("a file added", chain(_call()), (_add("readWriteFile", fileSelector="/etc/passwd"),)),
    Edit(
        "another file",
        chain(node("File", "readWriteFile", {"fileSelector": "/data/a.txt"})),
        (_change("File", fileSelector="/root/.n8n/config"),),
    ),
    Edit(
        "names exchanged",
        chain(_command("uptime", "Safe"), _command("id", "Other", disabled=True)),
        ({"remove": "Safe"}, {"rename": "Other", "to": "Safe"}, {"enable": "Safe"}),
    ),
    Edit("a misspelt command", chain(_call()), (_add("Excute Comand", command="id"),)),
    Edit("a transfer added", chain(_call()), (_add("ftp", path="/etc/passwd"),)),
    Edit("a shell added", chain(_call()), (_add("ssh", command="id"),)),
    Edit(
        "a clone added",
        chain(_call()),
        (
            _add(
                "git",
                operation="clone",
                repositoryPath="/x",
                sourceRepository="https://a.acme.test/x",
            ),
        ),
    ),
    Edit(
        "reading made writing",
        chain(node("File", "readWriteFile", {"fileSelector": "/data/a.txt"})),
        (_change("File", operation="write", fileName="/etc/cron.d/x"),),
    ),
    Edit(
        "a command denied by its twin of agents",
        _agent(),
        (
            {
                "add": {"tool": f"{BASE}executeCommandTool", "params": {"command": "id"}},
                "for": "Agent",
            },
        ),
        Policy(denied=(f"{BASE}executeCommand",)),
    ),
]

_TEXTS = [
    Edit(
        "code that calls out",
        chain(_code("return [{json: {a: 1}}];")),
        (_change("Code", jsCode="return await this.helpers.httpRequest({url: $json.u});"),),
    ),
    Edit(
        "code that takes a module",
        chain(_code("return items;")),
        (_change("Code", jsCode="const c = require('child_process'); return [{json: c}];"),),
    ),
    Edit(
        "code with an escape",
        chain(_code("return items;")),
        (_change("Code", jsCode="return await th\\u0069s.help\\u0065rs.httpRequest({});"),),
    ),
    Edit(
        "code whose calls differ",
        chain(_code("return await this.helpers.httpRequest({url: 'https://a.acme.test/'});")),
        (_change("Code", jsCode="return await this.helpers.httpRequest({url: $json.u});"),),
    ),
    Edit(
        "code made Python",
        chain(_code("return items;")),
        (
            _change(
                "Code",
                language="python",
                pythonCode="import os\nreturn [{'json': dict(os.environ)}]",
            ),
        ),
    ),
    Edit(
        "code by the global object",
        chain(_code("return items;")),
        (_change("Code", jsCode="const g = {...globalThis}; return [{json: g['pro' + 'cess']}];"),),
    ),
    Edit(
        "code that makes code",
        chain(_code("return items;")),
        (_change("Code", jsCode="return [].filter['const' + 'ructor']('return 1')();"),),
    ),
    Edit(
        "code added under a policy without code",
        chain(_call()),
        (_add("code", jsCode="return items;"),),
        Policy(no_code=True),
    ),
    Edit(
        "code of a chain",
        _agent(),
        (
            {
                "add": {
                    "tool": f"{LANG}code",
                    "params": {
                        "code": {"execute": {"code": "return fetch('http://127.0.0.1/')"}},
                        "inputs": {"input": [{"type": "main"}]},
                        "outputs": {"output": [{"type": "main"}]},
                    },
                },
                "after": "Start",
            },
        ),
    ),
    Edit(
        "code of a tool",
        _agent(
            node("Tool", f"{LANG}toolCode", {"name": "t", "description": "t", "jsCode": "return 1"})
        ),
        (_change("Tool", jsCode="return require('fs').readFileSync('/etc/passwd', 'utf8')"),),
    ),
    Edit(
        "a workflow written by code",
        chain(_code("return items;")),
        (
            _change(
                "Code",
                jsCode=f"return [{{json: {{nodes: [{{type: '{BASE}httpRequest'}}]}}}}];",
            ),
        ),
        _DENYING,
    ),
    Edit(
        "an old function",
        chain(node("Function", "function", {"functionCode": "return items;"})),
        (_change("Function", functionCode="const fs = require('fs'); return [];"),),
    ),
    Edit(
        "a sort by code",
        chain(node("Sort", "sort", {"type": "simple"})),
        (_change("Sort", type="code", code="return process.mainModule.require('fs')"),),
    ),
    Edit(
        "code by an indirect eval",
        chain(_code("return items;")),
        (_change("Code", jsCode="return (0, eval)('this').process.env;"),),
    ),
]

_INSIDE = [
    Edit(
        "a workflow inside",
        chain(_call()),
        (_add("executeWorkflow", source="parameter", workflowJson=_INNER),),
    ),
    Edit(
        "an inner command changed",
        chain(node("Sub", "executeWorkflow", {"source": "parameter", "workflowJson": _INNER})),
        (_change("Sub", workflowJson=_INNER.replace('"id"', '"rm -rf /"')),),
    ),
    Edit(
        "a workflow from a file",
        chain(node("Sub", "executeWorkflow", {"source": "parameter", "workflowJson": "{}"})),
        (_change("Sub", source="localFile", workflowPath="/data/workflow.json"),),
    ),
    Edit(
        "a workflow by expression",
        chain(node("Sub", "executeWorkflow", {"source": "parameter", "workflowJson": _INNER})),
        (_change("Sub", workflowJson="={{ $json.workflow }}"),),
    ),
    Edit(
        "a workflow from an address",
        chain(_call()),
        (_add("executeWorkflow", source="url", workflowUrl="https://files.acme.test/w.json"),),
    ),
    Edit(
        "a workflow sent to n8n",
        chain(_call(method="POST", sendBody=True, specifyBody="json", jsonBody="{}")),
        (
            _change("Call", url="https://n8n.acme.test/api/v1/workflows"),
            _change("Call", jsonBody=_INNER),
        ),
    ),
    Edit(
        "a workflow made by n8n's node",
        chain(_call()),
        (_add("n8n", resource="workflow", operation="create", workflowObject=_INNER),),
    ),
    Edit(
        "the credential of n8n",
        chain(_call("https://n8n.acme.test/")),
        (_change("Call", authentication="predefinedCredentialType", nodeCredentialType="n8nApi"),),
    ),
    Edit(
        "the key of n8n",
        chain(_call("https://n8n.acme.test/hook")),
        (
            _change(
                "Call",
                sendHeaders=True,
                headerParameters={"parameters": [{"name": "X-N8N-API-KEY", "value": "k"}]},
            ),
        ),
    ),
    Edit(
        "the workflow of a tool",
        _agent(
            node(
                "Tool",
                f"{LANG}toolWorkflow",
                {"source": "database", "workflowId": {"__rl": True, "mode": "id", "value": "1"}},
            )
        ),
        (_change("Tool", source="parameter", workflowJson=_INNER),),
    ),
    Edit(
        "a tool that calls the machine",
        _agent(),
        (
            {
                "add": {
                    "tool": f"{LANG}toolHttpRequest",
                    "params": {"url": "http://127.0.0.1:5678/rest/users", "toolDescription": "x"},
                },
                "for": "Agent",
            },
        ),
    ),
    Edit(
        "tools of a server on the machine",
        _agent(),
        (
            {
                "add": {
                    "tool": f"{LANG}mcpClientTool",
                    "params": {"sseEndpoint": "http://localhost:3000/sse"},
                },
                "for": "Agent",
            },
        ),
    ),
    Edit(
        "an inner call under a denial",
        chain(_call()),
        (
            _change("Call", url=_SAFE),
            _add(
                "executeWorkflow",
                source="parameter",
                workflowJson=json.dumps(chain(_call())),
            ),
        ),
        _DENYING,
    ),
    Edit(
        "a workflow with escapes",
        chain(_call()),
        (
            _add(
                "executeWorkflow",
                source="parameter",
                workflowJson=_INNER.replace("nodes", "\\u006eodes", 1),
            ),
        ),
    ),
]

FAMILIES: dict[str, list[Edit]] = {
    "addresses": _ADDRESSES,
    "commands": _COMMANDS,
    "texts": _TEXTS,
    "inside": _INSIDE,
}


def hostile_edits(half: str) -> Iterator[Edit]:
    """Yield the edits of a half: "open" or "sealed"."""
    for edits in FAMILIES.values():
        yield from edits[0 if half == "open" else 1 :: 2]
