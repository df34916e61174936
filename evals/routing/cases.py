"""Makes cases of tool selection from public tool definitions; each expects its own tool.

The request is the description of the tool without the words of its name. If its authors also wrote
a title, the request is the title, and the tool gets a meaningless name.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STOP, split_identifier, stem
from grounded_builder.domains.tools.read.definitions import Definition, read_definitions
from tests.support.mcp_clients import list_published_tools, run_over_stdio

OPENAPI = Path(__file__).parents[2] / "docs" / "openapi.json"
CONNECTED = 25
CASES = 200
_LEAST_WORDS = 4
_WORD = re.compile(r"[^\W_]+")
_SERVERS = (
    (sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"),
    ("grounded", "mcp"),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A request, the connected tools, and the name of the expected one."""

    source: str
    request: str
    tools: tuple[Mapping[str, Any], ...]
    wanted: str


def make_titled_cases(tools: list[dict[str, Any]], count: int, seed: int) -> list[Case]:
    """Returns cases with the title as request and the description as definition."""
    chance = random.Random(seed)
    opaque = [
        {**tool, "name": f"t{number}", "provider": "", "operation": ""}
        for number, tool in enumerate(tools)
        if tool["description"].strip()
    ]
    titles = {
        new["name"]: _remove_words(old["operation"], old["provider"])
        for new, old in zip(opaque, (o for o in tools if o["description"].strip()), strict=True)
    }
    pool = {"titles": opaque}
    everything = {
        definition.name: ("titles", definition, it)
        for definition, it in _read_pairs(pool["titles"])
    }
    asked = sorted(
        name
        for name, title in titles.items()
        if title.casefold() != everything[name][1].description.casefold()
        and _count_content_words(title) > 1
    )
    chance.shuffle(asked)
    return [_make_case(name, everything, chance, titles[name]) for name in asked[:count]]


def make_cases(pool: Mapping[str, list[dict[str, Any]]], count: int, seed: int) -> list[Case]:
    """Returns ``count`` cases, spread evenly over the sources, each among other tools."""
    chance = random.Random(seed)
    everything = {
        item.name: (source, item, definition)
        for source, definitions in sorted(pool.items())
        for item, definition in _read_pairs(definitions)
    }
    asked = {
        source: [
            name
            for name, (own, definition, _) in everything.items()
            if own == source and _description_of(definition)
        ]
        for source in pool
    }
    picked: list[str] = []
    for source in sorted(pool, key=lambda name: len(asked[name])):
        left = len([other for other in pool if not set(asked[other]) & set(picked)])
        names = sorted(asked[source])
        chance.shuffle(names)
        picked += names[: max(1, (count - len(picked)) // max(1, left))]
    return [_make_case(name, everything, chance) for name in picked[:count]]


def read_own_tools() -> list[dict[str, Any]]:
    """Returns the operations of the sidecar's own HTTP interface, as functions."""
    document = json.loads(OPENAPI.read_text("utf-8"))
    results = []
    for path, methods in document["paths"].items():
        for method, facts in methods.items():
            body = facts.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = body.get("schema", {"type": "object", "properties": {}})
            name = f"{method}_{'_'.join(_WORD.findall(path))}"
            described = f"{facts['description']}".split("\n")[0]
            results.append({"name": name, "description": described, "parameters": schema})
    return results


def read_server_tools(**env: str) -> list[dict[str, Any]]:
    """Returns the tools of MCP servers: a time server and the sidecar itself."""
    return [
        item
        for server in _SERVERS
        for item in run_over_stdio(*server, work=list_published_tools, **env)
    ]


def read_operation_tools(catalog: Path) -> list[dict[str, Any]]:
    """Returns the operations of a catalog's agent tools, one tool per operation."""
    entries: dict[str, dict[str, Any]] = {}
    for raw in catalog.read_bytes().splitlines():
        line = orjson.loads(raw)
        if line["kind"] != "tool" or "ai_tool" not in line.get("capabilities", ()):
            continue
        variant = line["variants"][-1]
        service = line["id"].rpartition(".")[2].removesuffix("Tool")
        for operation in variant.get("operations", ()):
            values = "_".join(str(value) for value in operation["params"].values())
            entries[f"{service}_{values}"] = {
                "name": f"{service}_{values}",
                "description": operation.get("description", ""),
                "provider": service,
                "operation": operation["name"],
                "parameters": {"type": "object", "properties": {}},
            }
    return list(entries.values())


def _read_pairs(
    definitions: Iterable[dict[str, Any]],
) -> Iterator[tuple[Definition, dict[str, Any]]]:
    for definition in definitions:
        for read_definition in read_definitions([definition]):
            yield read_definition, definition


def _description_of(definition: Definition) -> str:
    """Returns the first sentence without the words of the name; empty if too short."""
    first = re.split(r"(?<=[.!?])\s|\n", definition.description.strip())[0]
    left = _remove_words(first, f"{definition.name} {definition.provider}")
    return left if _count_content_words(left) >= _LEAST_WORDS else ""


def _remove_words(text: str, name: str) -> str:
    named = {stem(word) for word in split_identifier(name)}
    words = re.findall(r"[\w'-]+", text)
    return " ".join(
        w for w in words if not any(stem(part) in named for part in split_identifier(w))
    )


def _count_content_words(text: str) -> int:
    return sum(word.casefold() not in STOP | GENERIC_NOUNS for word in text.split())


def _make_case(
    name: str,
    everything: Mapping[str, tuple[str, Definition, dict[str, Any]]],
    chance: random.Random,
    request: str = "",
) -> Case:
    source, result, definition = everything[name]
    # A description cannot distinguish two tools that share it.
    others = sorted(
        other
        for other, (_, it, _) in everything.items()
        if other != name and it.description.strip() != result.description.strip()
    )
    connected = [definition, *(everything[o][2] for o in chance.sample(others, CONNECTED - 1))]
    chance.shuffle(connected)
    return Case(source, request or _description_of(result), tuple(connected), name)
