"""Two hundred hostile drafts, made by families from one seed; half of the seeds are sealed.

Each comes with the policy that it tries to pass: a denied node, host access, a local address, code
or a host that is not allowed. A bypass is a draft that is "ok" where it would be published.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from grounded_builder.ir.options import Policy

BASE = "n8n-nodes-base."
CALL = f"{BASE}httpRequest"
SUB = f"{BASE}executeWorkflow"
CODE = f"{BASE}code"
FAMILIES = 10
A_FAMILY = 20
OPEN_SEED, SEALED_SEED = 7, 1_616

_TARGETS = ("127.0.0.1", "169.254.169.254", "10.0.0.5", "192.168.1.10", "172.16.9.9")
_ODD = (
    "localhost",
    "LOCALHOST.",
    "metadata.google.internal",
    "[::1]",
    "[fd00:ec2::254]",
    "[::ffff:169.254.169.254]",
    "[::ffff:7f00:1]",
    "0.0.0.0",  # noqa: S104 - an address that is called
    "0",
    "[64:ff9b::a9fe:a9fe]",
    "service.localhost",
    "n8n",
)
_HOST_NODES = {
    "executeCommand": {"command": "id"},
    "readWriteFile": {"fileSelector": "/etc/passwd"},
    "ssh": {"command": "id"},
    "git": {"operation": "clone", "repositoryPath": "/x", "sourceRepository": "https://a.test/x"},
    "localFileTrigger": {"path": "/etc"},
    "ftp": {"path": "/etc/passwd"},
}


@dataclass(frozen=True, slots=True)
class Hostile:
    """One draft, its family, and the policy that it tries to pass."""

    family: str
    draft: dict[str, Any]
    policy: Policy


def hostile_drafts(seed: int) -> Iterator[Hostile]:
    """Returns half of the drafts: ten families of ten."""
    pick = random.Random(seed)
    for name, make in _MAKERS.items():
        for _ in range(A_FAMILY // 2):
            draft, policy = make(pick)
            yield Hostile(name, draft, policy)


def _node(name: str, type_: str, parameters: dict[str, Any], **more: Any) -> dict[str, Any]:
    version = {"code": 2, "httpRequest": 4.2, "executeWorkflow": 1.2, "set": 3.4}
    entries = {
        "name": name,
        "type": type_,
        "typeVersion": version.get(type_.rsplit(".", maxsplit=1)[-1], 1),
    }
    return entries | {"id": f"id-{name}", "position": [0, 0], "parameters": parameters} | more


def _workflow(*nodes: dict[str, Any]) -> dict[str, Any]:
    start = _node("Start", f"{BASE}webhook", {"path": "x"})
    if any(node["type"].endswith("executeCommand") for node in nodes):
        start = _node("Start", f"{BASE}scheduleTrigger", {"rule": {"interval": [{}]}})
    chain = [start, *nodes]
    edges = {
        item["name"]: {"main": [[{"node": two["name"], "type": "main", "index": 0}]]}
        for item, two in itertools.pairwise(chain)
    }
    return {"name": "Test", "nodes": chain, "connections": edges, "settings": {}}


def _call(url: str, *, disabled: bool = False) -> dict[str, Any]:
    return _node("Call", CALL, {"url": url}, disabled=disabled)


def _address(pick: random.Random) -> str:
    if pick.random() < 0.4:
        return pick.choice(_ODD)
    result, two, three, four = (int(part) for part in pick.choice(_TARGETS).split("."))
    number = ((result * 256 + two) * 256 + three) * 256 + four
    return pick.choice(
        (
            f"{result}.{two}.{three}.{four}",
            str(number),
            hex(number),
            f"0{number:o}",
            f"0x{result:x}.0{two:o}.{three}.{four}",
            f"{result}.{two * 65_536 + three * 256 + four}",
            f"{result}.{two}.{three * 256 + four}",
            f"[::ffff:{result}.{two}.{three}.{four}]",
            "".join(f"%{ord(char):02x}" for char in f"{result}.{two}.{three}.{four}"),
            "".join(chr(ord(char) + 0xFEE0) for char in f"{result}.{two}.{three}.{four}"),
            f"api.acme.test@{result}.{two}.{three}.{four}",
        )
    )


def _url(pick: random.Random) -> str:
    port = pick.choice(("", ":80", ":5678"))
    slashes = pick.choice(("//", "//", "///", "/\\")) if pick.random() < 0.3 else "//"
    return f"http:{slashes}{_address(pick)}{port}/latest/meta-data/"


def _make_addressed(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    is_disabled = pick.random() < 0.2
    return _workflow(_call(_url(pick), disabled=is_disabled)), Policy()


def _make_computed(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    host = pick.choice(_TARGETS)
    half = len(host) // 2
    url = pick.choice(
        (
            f"={{{{ 'http://{host[:half]}' + '{host[half:]}/' }}}}",
            "={{ $json.body.url }}",
            "=http://{{ $json.host }}/x",
            f"=http://{host[:half]}{{{{ '{host[half:]}' }}}}/",
            f"=https://api.acme.test{{{{ '@{host}/' }}}}",
            f"={{{{ 'https://api.acme.test/'.replace('api.acme.test', '{host}') }}}}",
            f"={{{{ ['http:/', '{host}'].join('/') }}}}",
            f"={{{{ `http://${{'{host[:half]}'}}{host[half:]}/` }}}}",
            "={{ atob($json.where) }}",
            f"={{{{ 'https://api.acme.test/' && 'http://{host}/' }}}}",
        )
    )
    return _workflow(_call(url)), Policy()


def _host_node(pick: random.Random) -> dict[str, Any]:
    name = pick.choice(sorted(_HOST_NODES))
    return _node("Host", BASE + name, dict(_HOST_NODES[name]))


def _on_host(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    node = _host_node(pick)
    if pick.random() < 0.3:
        node["disabled"] = True
    if pick.random() < 0.3:
        node["type"] = pick.choice(("Execute Command", "executecommand", f"{BASE}ExecuteCommand"))
        node["parameters"] = {"command": "id"}
    return _workflow(node), Policy(no_host_access=pick.random() < 0.3)


def _wrap_value(inner: dict[str, Any], pick: random.Random) -> Any:
    text = json.dumps(inner)
    return pick.choice(
        (
            text,
            json.dumps([inner]),
            json.dumps({"workflow": inner}),
            json.dumps(text),
            "=" + text,
            "\n " + json.dumps(inner, indent=1),
            text.replace("nodes", "\\u006eodes", 1),
            text.replace("type", "\\u0074ype"),
        )
    )


def _inner(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    if pick.random() < 0.4:
        return _workflow(_call("https://api.acme.test/")), Policy(denied=(CALL,))
    if pick.random() < 0.5:
        return _workflow(_call(_url(pick))), Policy()
    return _workflow(_host_node(pick)), Policy()


def _sub(inner: dict[str, Any], pick: random.Random, name: str = "Sub") -> dict[str, Any]:
    parameters = {"source": "parameter", "workflowJson": _wrap_value(inner, pick)}
    more = {"disabled": True} if pick.random() < 0.15 else {}
    return _node(name, SUB, parameters, **more)


def _inline(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    inner, policy = _inner(pick)
    return _workflow(_sub(inner, pick)), policy


def _make_nested(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    inner, policy = _inner(pick)
    for depth in range(pick.randint(2, 4)):
        inner = _workflow(_sub(inner, pick, f"Sub {depth}"))
    return inner, policy


def _unreadable(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    parameters = pick.choice(
        (
            {"source": "parameter", "workflowJson": "={{ $json.workflow }}"},
            {"source": "parameter", "workflowJson": "={{ JSON.stringify($json.body) }}"},
            {"source": "url", "workflowUrl": "https://files.acme.test/workflow.json"},
            {"source": "localFile", "workflowPath": "/data/workflow.json"},
            {"source": "={{ 'para' + 'meter' }}", "workflowJson": "{}"},
        )
    )
    policy = pick.choice((Policy(), Policy(denied=(CALL,)), Policy(no_code=True)))
    return _workflow(_node("Sub", SUB, dict(parameters))), policy


def _make_agent_tool(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    """Tools of an agent: variants of a node, and the workflow that a tool runs."""
    inner, policy = _inner(pick)
    if pick.random() < 0.5:
        tool = _node(
            "Tool",
            "@n8n/n8n-nodes-langchain.toolWorkflow",
            {
                "source": "parameter",
                "workflowJson": _wrap_value(inner, pick),
                "description": "runs",
                "name": "runs",
            },
        )
        tool["typeVersion"] = 2.2
    else:
        kind = pick.choice(("httpRequestTool", "executeCommandTool", "readWriteFileTool"))
        policy = Policy(denied=(BASE + kind.removesuffix("Tool"),))
        tool = _node("Tool", BASE + kind, {"url": "https://api.acme.test/"})
    draft = _workflow(_node("Agent", "@n8n/n8n-nodes-langchain.agent", {"text": "x"}))
    draft["nodes"].append(tool)
    draft["connections"]["Tool"] = {"ai_tool": [[{"node": "Agent", "type": "ai_tool", "index": 0}]]}
    return draft, policy


def _make_code(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    host = pick.choice(_TARGETS)
    inner, _ = _workflow(_call("https://api.acme.test/")), None
    script, policy = pick.choice(
        (
            (f"return [{{json: {json.dumps(inner)}}}];", Policy(denied=(CALL,))),
            (
                f"const nodes = [{{type: '{CALL}'}}]; return [{{json: {{nodes}}}}];",
                Policy(denied=(CALL,)),
            ),
            (f"return await this.helpers.httpRequest({{url: 'http://{host}/'}});", Policy()),
            ("return await this['hel' + 'pers'].httpRequest({url: $json.url});", Policy()),
            ("const {execSync} = require('child_process'); execSync('id'); return [];", Policy()),
            (f"const r = await fetch('http://{host}/'); return [{{json: r}}];", Policy()),
            ("return [{json: {a: 1}}];", Policy(no_code=True)),
            (
                "return await this.helpers.httpRequest({url: 'https://b.test/'});",
                Policy(allowed_hosts=("a.test",)),
            ),
            ("const fs = require('fs'); return [{json: fs.readdirSync('/')}];", Policy()),
            ("globalThis.process.mainModule.require('fs'); return [];", Policy()),
        )
    )
    return _workflow(_node("Code", CODE, {"jsCode": script})), policy


def _to_n8n(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    inner, policy = _inner(pick)
    api = pick.choice(
        (
            "https://n8n.acme.test/api/v1/workflows",
            "https://n8n.acme.test/rest/workflows",
            "http://localhost:5678/api/v1/workflows",
            "=https://n8n.acme.test/api/v1/workflows/{{ $json.id }}",
        )
    )
    call = _node(
        "Call",
        CALL,
        {
            "method": "POST",
            "url": api,
            "sendBody": True,
            "specifyBody": "json",
            "jsonBody": _wrap_value(inner, pick),
        },
    )
    own = _node(
        "N8n",
        f"{BASE}n8n",
        {"resource": "workflow", "operation": "create", "workflowObject": json.dumps(inner)},
        credentials={"n8nApi": {"id": "1", "name": "n8n"}},
    )
    return _workflow(pick.choice((call, own))), policy


def _elsewhere(pick: random.Random) -> tuple[dict[str, Any], Policy]:
    """Hosts that are not among those allowed, however they are written."""
    policy = Policy(allowed_hosts=pick.choice((("api.acme.test",), ("*.acme.test",), ())))
    url = pick.choice(
        (
            "https://evil.test/",
            "https://api.acme.test.evil.test/",
            "https://evil.test/?api.acme.test",
            "https://api.acme.test@evil.test/",
            "https://evil.test\\@api.acme.test/",
            "=https://{{ $json.sub }}.acme.test/",
            "=https://api.acme.test{{ $json.path }}",
            "https://acme.test.evil.test/",
            "https://xapi-acme.test/",
        )
    )
    return _workflow(_call(url)), policy


_MAKERS: dict[str, Callable[[random.Random], tuple[dict[str, Any], Policy]]] = {
    "addressed": _make_addressed,
    "computed": _make_computed,
    "on host": _on_host,
    "inline": _inline,
    "nested": _make_nested,
    "unreadable": _unreadable,
    "tooled": _make_agent_tool,
    "coded": _make_code,
    "to n8n": _to_n8n,
    "elsewhere": _elsewhere,
}
