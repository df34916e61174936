"""Makes questions about nodes: of real workflows, damaged copies of them, and invented ones."""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evals.differential.oracle import Question

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "n8n" / "workflows.jsonl.gz"

Tools = Mapping[str, Mapping[str, Any]]

_ODD: tuple[Any, ...] = (
    *(None, "", 0, 1, True, False, "abc", "0", "true", "123", 12.5),
    *("=x", "={{ $json.a }}", "={{ $fromAI('a') }}", "2024-01-01", "https://example.com"),
    *([], {}, [1], ["x"], {"a": 1}, {"values": [{}]}, {"parameters": [{"name": "a"}]}),
    {"__rl": True, "mode": "list", "value": ""},
    {"__rl": True, "mode": "url", "value": "https://example.com/x"},
    {"__rl": True, "mode": "id", "value": "REPLACE ME"},
    {"mappingMode": "defineBelow", "value": {"a": "x"}, "schema": [{"id": "a", "type": "number"}]},
)


def read_tools(catalog: Path) -> Tools:
    """Returns the tools of a catalog file by id."""
    entries = (json.loads(line) for line in catalog.read_bytes().splitlines())
    return {entry["id"]: entry for entry in entries if entry["kind"] == "tool"}


def ask_about_real_nodes(
    tools: Tools, seed: int, workflows: int | None = None
) -> tuple[list[Question], Counter[str]]:
    """Returns the nodes of real workflows that the catalog knows, and why others are skipped."""
    lines = gzip.decompress(SHARED.read_bytes()).splitlines()
    if workflows is not None:
        lines = random.Random(seed).sample(lines, min(workflows, len(lines)))
    questions: list[Question] = []
    skipped: Counter[str] = Counter()
    for line in lines:
        entry = json.loads(line)
        for index, node in enumerate(entry["workflow"].get("nodes") or ()):
            reason, version = _skip_reason(node, tools)
            if reason:
                skipped[reason] += 1
            else:
                name = f"{entry['id']}/{index}"
                questions.append(Question(name, node["type"], version, node))
    return questions, skipped


def break_questions(questions: list[Question], seed: int, number: int) -> list[Question]:
    """Returns copies of nodes in which a few parameters are removed, renamed or replaced."""
    random_ = random.Random(seed)
    chosen = random_.choices(questions, k=number)
    made: list[Question] = []
    for position, question in enumerate(chosen):
        node = copy.deepcopy(question.node)
        for _ in range(random_.randint(1, 4)):
            parameters = _break_value(node.get("parameters") or {}, random_)
            node["parameters"] = parameters if isinstance(parameters, dict) else {}
        made.append(Question(f"{question.id}~{position}", question.tool, question.version, node))
    return made


def invent_questions(tools: Tools, seed: int, each: int = 1) -> Iterator[Question]:
    """Yields nodes with random values for random parameters, for every tool and version."""
    random_ = random.Random(seed)
    for tool in tools.values():
        for variant in tool["variants"]:
            for version in variant["versions"]:
                for position in range(each):
                    parameters = _invent_values(variant["parameters"], random_, 14)
                    node = {"name": "x", "type": tool["id"], "parameters": parameters}
                    yield Question(f"{tool['id']}@{version}/{position}", tool["id"], version, node)


def _skip_reason(node: Any, tools: Tools) -> tuple[str, float]:
    if not isinstance(node, dict) or not isinstance(node.get("parameters", {}), dict):
        return "no node", 0
    tool = tools.get(node.get("type", ""))
    if tool is None:
        return "unknown type", 0
    versions = [version for variant in tool["variants"] for version in variant["versions"]]
    version = float(node.get("typeVersion") or tool.get("default_version") or max(versions))
    return ("", version) if version in versions else ("unknown version", 0)


def _break_value(value: Any, random_: random.Random) -> Any:
    roll = random_.random()
    if isinstance(value, dict) and value and roll < 0.7:
        key = random_.choice(list(value))
        changed = dict(value)
        fate = random_.random()
        if fate < 0.2:
            del changed[key]
        elif fate < 0.3:
            changed[f"{key}x"] = changed.pop(key)
        else:
            changed[key] = _break_value(changed[key], random_)
        return changed
    if isinstance(value, list) and value and roll < 0.7:
        index = random_.randrange(len(value))
        return [*value[:index], _break_value(value[index], random_), *value[index + 1 :]]
    return copy.deepcopy(random_.choice(_ODD))


def _invent_values(declared: list[Any], random_: random.Random, most: int) -> dict[str, Any]:
    chosen = random_.sample(declared, min(len(declared), random_.randint(0, most)))
    return {item["name"]: _invent_value(item, random_) for item in chosen if "name" in item}


def _invent_value(declared: Mapping[str, Any], random_: random.Random) -> Any:
    options = [option for option in declared.get("options") or () if isinstance(option, dict)]
    several = bool((declared.get("typeOptions") or {}).get("multipleValues"))
    roll = random_.random()
    if declared["type"] == "collection" and roll < 0.7:
        inside = _invent_values(options, random_, 3)
        return [inside] if several else inside
    if declared["type"] == "fixedCollection" and roll < 0.8:
        groups = {}
        for group in random_.sample(options, min(len(options), 2)):
            item = _invent_values(group.get("values") or [], random_, 3)
            groups[group.get("name", "")] = [item] if several else item
        return groups
    values = [option["value"] for option in options if "value" in option]
    if values and roll < 0.9:
        return random_.choice(values)
    return copy.deepcopy(random_.choice((declared.get("default"), *_ODD)))
