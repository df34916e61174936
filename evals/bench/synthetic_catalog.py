"""Writes a catalog of synthetic tools from a seed, and makes nodes and workflows of its tools.

Names have two or three words, a service and an object; a service has one to eight tools. A tool has
a resource, one to twelve operations and up to ten other parameters, about 2 kB of JSON on average,
so that 100,000 tools stay within the default limit on a catalog file (256 MB).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

TRIGGER = "invented-nodes-0.start"
"""The only trigger of the catalog."""
_SEED = 20_261
_SYLLABLES = (
    "ac al ba bel ca cor da del el fin fo gra ha in ka lan lo ma mer na no or pa pi qua ra ri sa "
    "sol ta tem tor u va ven wa xi yo ze"
).split()
_OBJECTS = (
    "Account Answer Article Asset Board Booking Budget Campaign Card Channel Comment Contact "
    "Contract Customer Deal Device Document Event Expense Feed File Folder Form Group Invoice "
    "Issue Item Label Lead List Location Meeting Member Message Metric Note Order Page Payment "
    "Post Product Project Quote Record Report Review Row Schedule Segment Sensor Shipment Survey "
    "Task Team Ticket Topic User Vendor Video Voucher Webinar Workspace"
).split()
_VERBS = (
    "Create Get Update Delete Search List Archive Copy Move Share Lock Restore Export Import Assign"
).split()
_FIELDS = (
    "title body due date owner status priority tags color amount currency address email phone "
    "language region limit offset filter order source target comment reference"
).split()
_PACKAGE_OF = 200


def write_catalog(path: Path, tools: int) -> None:
    """Writes a catalog file of ``tools`` tools."""
    with path.open("w", encoding="utf-8") as stream:
        packages = [
            {"name": f"invented-nodes-{number}", "version": "1.0.0", "community": True}
            for number in range(-(-tools // _PACKAGE_OF))
        ]
        header = {
            "kind": "header",
            "domain": "n8n",
            "schema": 1,
            "origin": "installed",
            "versions": {"n8n": "9.8.7"},
            "packages": packages,
            "generator": "tests",
        }
        end = {"kind": "end", "tools": tools, "credentials": 0}
        for line in (header, _make_trigger(), *_make_tools(tools - 1), end):
            stream.write(json.dumps(line, separators=(",", ":")) + "\n")


def make_chain(nodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns a workflow that starts with the trigger and connects each node to the next."""
    start = {"id": "start", "name": "Start", "type": TRIGGER, "typeVersion": 1}
    nodes = [{**start, "position": [-220, 0], "parameters": {}}, *nodes]
    names = [node["name"] for node in nodes]
    connections = {
        name: {"main": [[{"node": after, "type": "main", "index": 0}]]}
        for name, after in pairwise(names)
    }
    return {"name": "Chain", "nodes": nodes, "connections": connections, "settings": {}}


def make_node(number: int, tool: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Returns a node of a tool of this catalog, with an operation and expressions."""
    variant = tool["variants"][0]
    operation = draw.choice(variant["operations"])
    texts = [row["name"] for row in variant["parameters"] if row["type"] == "string"]
    values = {name: f"={{{{ $json.field{place} }}}}" for place, name in enumerate(texts[:3])}
    return {
        "id": f"node-{number}",
        "name": f"Step {number}",
        "type": tool["id"],
        "typeVersion": 1,
        "position": [220 * number, 0],
        "parameters": {**operation["params"], **values},
    }


def _make_trigger() -> dict[str, Any]:
    variant: dict[str, Any] = {
        "versions": [1],
        "inputs": [],
        "outputs": [{"kind": "main"}],
        "parameters": [],
        "traits": {"trigger": True, "group": ["trigger"], "default_name": "Start"},
    }
    facts = {"package": "invented-nodes-0", "default_version": 1, "variants": [variant]}
    return {"kind": "tool", "id": TRIGGER, "name": "Start", **facts}


def _make_tools(count: int) -> Iterator[dict[str, Any]]:
    draw = random.Random(_SEED)
    services: set[str] = set()
    made = 0
    while made < count:
        service = "".join(draw.choices(_SYLLABLES, k=draw.randint(2, 4))).title()
        if service in services:
            continue
        services.add(service)
        for topic in draw.sample(_OBJECTS, min(draw.randint(1, 8), count - made)):
            package = f"invented-nodes-{made // _PACKAGE_OF}"
            yield _make_tool(package, service, topic, draw)
            made += 1


def _make_tool(package: str, service: str, topic: str, draw: random.Random) -> dict[str, Any]:
    verbs = draw.sample(_VERBS, min(12, 1 + int(draw.expovariate(1 / 4))))
    operations = [
        {
            "params": {"resource": topic.lower(), "operation": verb.lower()},
            "name": f"{verb} {topic}",
        }
        for verb in verbs
    ]
    name = f"{service} {topic}"
    return {
        "kind": "tool",
        "id": f"{package}.{service.lower()}{topic}",
        "name": name,
        "aliases": [f"{service}{topic}"],
        "keywords": draw.sample(_FIELDS, 3),
        "description": f"Works with the {topic.lower()} of {service}, its {draw.choice(_FIELDS)}",
        "family": service.lower(),
        "package": package,
        "default_version": 1,
        "variants": [
            {
                "versions": [1],
                "inputs": [{"kind": "main"}],
                "outputs": [{"kind": "main"}],
                "parameters": [
                    _make_choice("resource", [topic]),
                    _make_choice("operation", verbs),
                    *(
                        _make_field(field, draw)
                        for field in draw.sample(_FIELDS, draw.randint(3, 10))
                    ),
                ],
                "operations": operations,
                "traits": {"group": ["transform"], "default_name": name},
            }
        ],
    }


def _make_choice(name: str, values: list[str]) -> dict[str, Any]:
    options = [{"name": value, "value": value.lower()} for value in values]
    first = options[0]["value"]
    return {"name": name, "type": "options", "options": options, "default": first}


def _make_field(name: str, draw: random.Random) -> dict[str, Any]:
    kind, value = draw.choice([("string", ""), ("string", ""), ("number", 0), ("boolean", False)])
    return {
        "displayName": name.title(),
        "name": name,
        "type": kind,
        "default": value,
        "description": f"The {name} to use, as the service shows it in its own pages",
    }
