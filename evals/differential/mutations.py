"""Makes questions about nodes: bare ones, and copies of nodes with legal changes or removals.

Each change is legal by the catalog, or removes something: another version, resource, operation or
option, an inverted switch, an explicit default at any depth, a hidden parameter, a removed or
emptied value. n8n gives the expected result.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Mapping
from typing import Any

from evals.differential.oracle import Question
from evals.differential.questions import Tools

Declared = Mapping[str, Any]
Change = Callable[[dict[str, Any], list[Declared], random.Random], None]

_MOST_CHANGES = 4
_DEEPEST = 4


def ask_about_bare_nodes(tools: Tools) -> list[Question]:
    """Returns a question about a node without parameters for every tool at every version."""
    return [
        Question(f"{tool['id']}@{version}", tool["id"], version, {"name": "x", "parameters": {}})
        for tool in tools.values()
        for variant in tool["variants"]
        for version in variant["versions"]
    ]


def mutate_questions(
    questions: list[Question], tools: Tools, seed: int, number: int
) -> list[Question]:
    """Returns copies of nodes with one to four changes each."""
    random_ = random.Random(seed)
    made: list[Question] = []
    for position, choice in enumerate(random_.choices(questions, k=number)):
        variants = tools[choice.tool]["variants"]
        version = choice.version
        if random_.random() < 0.3:
            version = random_.choice([each for variant in variants for each in variant["versions"]])
        declared = next(each["parameters"] for each in variants if version in each["versions"])
        node = copy.deepcopy(choice.node)
        parameters = node.get("parameters")
        node["parameters"] = parameters if isinstance(parameters, dict) else {}
        for _ in range(random_.randint(1, _MOST_CHANGES)):
            (change,) = random_.choices(_CHANGES, _WEIGHTS)
            change(node["parameters"], declared, random_)
        made.append(Question(f"{choice.id}^{position}", choice.tool, version, node))
    return made


def _choose_option(
    values: dict[str, Any], declared: list[Declared], random_: random.Random
) -> None:
    """Sets another listed option, preferably of resource or operation."""
    lists = [item for item in declared if item.get("type") == "options" and _option_values(item)]
    leading = [entries for entries in lists if entries["name"] in ("resource", "operation", "mode")]
    pool = leading if leading and random_.random() < 0.6 else lists
    if pool:
        choice = random_.choice(pool)
        values[choice["name"]] = random_.choice(_option_values(choice))


def _invert_switch(
    values: dict[str, Any], declared: list[Declared], random_: random.Random
) -> None:
    """Inverts a switch."""
    switches = [item["name"] for item in declared if item.get("type") == "boolean"]
    if switches:
        name = random_.choice(switches)
        values[name] = not values.get(name, False)


def _write_default(
    values: dict[str, Any], declared: list[Declared], random_: random.Random
) -> None:
    """Writes the default of a parameter, with a member if it is a container."""
    named = [item for item in declared if "name" in item and "type" in item]
    if named:
        choice = random_.choice(named)
        values[choice["name"]] = _fill_default(choice, random_, 0)


def _remove_value(values: dict[str, Any], declared: list[Declared], random_: random.Random) -> None:
    """Removes a value at any depth."""
    del declared
    inside = _pick_mapping(values, random_)
    if inside:
        del inside[random_.choice(list(inside))]


def _empty_value(values: dict[str, Any], declared: list[Declared], random_: random.Random) -> None:
    """Empties a value at any depth: a text, a list or a locator."""
    del declared
    inside = _pick_mapping(values, random_)
    if inside:
        name = random_.choice(list(inside))
        value = inside[name]
        if isinstance(value, dict) and "value" in value:
            inside[name] = {**value, "value": ""}
        else:
            inside[name] = [] if isinstance(value, list) else {} if isinstance(value, dict) else ""


def _put_expression(
    values: dict[str, Any], declared: list[Declared], random_: random.Random
) -> None:
    """Replaces a value that others depend on, or that is required, by an expression."""
    named = [
        item
        for item in declared
        if item.get("type") in ("options", "boolean", "string", "resourceLocator", "number")
    ]
    if named:
        choice = random_.choice(named)
        text = random_.choice(("={{ $json.a }}", "=a", "={{ $fromAI('a') }}"))
        located = choice["type"] == "resourceLocator" and random_.random() < 0.5
        values[choice["name"]] = {"__rl": True, "mode": "id", "value": text} if located else text


_CHANGES: tuple[Change, ...] = (
    _choose_option,
    _invert_switch,
    _write_default,
    _remove_value,
    _empty_value,
    _put_expression,
)
_WEIGHTS = (30, 10, 25, 15, 10, 10)


def _option_values(declaration: Declared) -> list[Any]:
    return [
        option["value"]
        for option in declaration.get("options") or ()
        if isinstance(option, dict) and "value" in option
    ]


def _fill_default(declaration: Declared, random_: random.Random, depth: int) -> Any:
    """Returns the default of a declaration; most containers get members with their defaults."""
    default = copy.deepcopy(declaration.get("default"))
    kind, options = declaration.get("type"), declaration.get("options") or ()
    members = [each for each in options if isinstance(each, dict)]
    if kind not in ("collection", "fixedCollection") or not members:
        return default
    if depth >= _DEEPEST or random_.random() < 0.3:
        return default
    several = bool((declaration.get("typeOptions") or {}).get("multipleValues"))
    member = random_.choice(members)
    if kind == "collection":
        inside = (
            {member["name"]: _fill_default(member, random_, depth + 1)} if "name" in member else {}
        )
        return [inside] if several else inside
    item = {
        each["name"]: _fill_default(each, random_, depth + 1)
        for each in member.get("values") or ()
        if "name" in each and random_.random() < 0.6
    }
    return {member.get("name", ""): [item] if several else item}


def _pick_mapping(values: dict[str, Any], random_: random.Random) -> dict[str, Any]:
    """Returns a mapping at a random depth of these values, including themselves."""
    results: list[dict[str, Any]] = []
    waiting: list[Any] = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if value:
                results.append(value)
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return random_.choice(results) if results else {}
