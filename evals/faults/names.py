"""Finds faults to inject: parameters absent, empty, misspelled or misplaced; makes name slips."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from random import Random
from typing import Any

from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.scene import Leaf, Placed, Scene

# What n8n requires when it is shown and declared required (NodeHelpers.getParameterIssues).
_REQUIRABLE = frozenset({"string", "options", "multiOptions", "dateTime", "resourceLocator"})
# The settings that a node has beside its parameters.
_NODE_KEYS = frozenset(
    {
        *("id", "name", "type", "typeVersion", "position", "parameters", "credentials", "notes"),
        *("webhookId", "disabled", "notesInFlow", "onError", "continueOnFail", "retryOnFail"),
        *("maxTries", "waitBetweenTries", "alwaysOutputData", "executeOnce", "color", "retryCount"),
        *("createdAt", "updatedAt", "issues", "extendsCredential", "rewireOutputLogTo", "cid"),
    }
)
_LONGEST_LIKENESS = 0.8


def at_value(node: Placed, changes: Iterable[Change], route: Route) -> Fault:
    """A fault in a value: its route, or its name in the node."""
    key = next(str(part) for part in reversed(route) if isinstance(part, str))
    return Fault(tuple(changes), Place((route,), (node.name,), (key,)))


def put(node: Placed, route: Route, value: Any) -> Fault:
    return at_value(node, [Change("put", route, value)], route)


def slip(name: str, rng: Random) -> str:
    """A name with one slip of the pen: a letter too few, too many, or two that change places."""
    at = rng.randrange(1, len(name) - 1)
    turned = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    doubled = name[:at] + name[at] + name[at:]
    return rng.choice([name[:at] + name[at + 1 :], doubled, turned])


def slips_once(name: str, others: Iterable[str], rng: Random) -> str | None:
    """A slip that stands for this name alone among all that are declared beside it."""
    if len(name) < 5:
        return None
    wrong = slip(name, rng)
    for other in others:
        alike = SequenceMatcher(None, wrong, other).ratio() > _LONGEST_LIKENESS
        if other == wrong or (other != name and alike):
            return None
    return None if wrong == name else wrong


def _requires(leaf: Leaf) -> bool:
    default = leaf.declared.get("default")
    held = default.get("value") if isinstance(default, dict) else default
    return (
        leaf.declared.get("required") is True
        and leaf.type in _REQUIRABLE
        and not leaf.in_collection
        and held in (None, "", [])
    )


def _is_set(value: Any) -> bool:
    return (value.get("value") if isinstance(value, dict) else value) not in (None, "", [])


def required_absent(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if _requires(leaf) and _is_set(leaf.value):
                yield at_value(node, [Change("drop", leaf.route)], leaf.route)


def required_empty(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if not _requires(leaf) or not _is_set(leaf.value):
                continue
            if isinstance(leaf.value, dict):
                yield put(node, leaf.route, {**leaf.value, "value": ""})
            else:
                yield put(node, leaf.route, [] if leaf.type == "multiOptions" else "")


def required_misspelt(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if _requires(leaf) and _is_set(leaf.value):
                yield from _rename_leaf(node, leaf, rng)


def optional_misspelt(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.nested or leaf.declared.get("required") or not leaf.value:
                continue
            yield from _rename_leaf(node, leaf, rng)


def child_misspelt(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.in_collection and leaf.level.with_defaults is False:
                yield from _rename_leaf(node, leaf, rng)


def _rename_leaf(node: Placed, leaf: Leaf, rng: Random) -> Iterator[Fault]:
    names = {str(item["name"]) for item in leaf.level.declared} | set(leaf.level.given)
    if not leaf.nested:
        names |= node.tool.names
    wrong = slips_once(leaf.name, sorted(names), rng)
    if wrong is not None:
        route = (*leaf.route[:-1], wrong)
        place = Place((route, leaf.route), (node.name,), (wrong, leaf.name))
        yield Fault((Change("rename", leaf.route, wrong),), place)


def invent_parameter(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        name = rng.choice(("zebraMode", "quuxLimit", "frobnicate"))
        yield put(node, (*node.route, "parameters", name), "on")


def hidden_set(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for declared in node.variant["parameters"]:
            name = declared["name"]
            plain = declared["type"] == "string" and name not in node.params
            if plain and node.root.surely_hidden(name):
                yield put(node, (*node.route, "parameters", name), "set by mistake")


def node_key_inside(scene: Scene, rng: Random) -> Iterator[Fault]:
    settings = {
        "onError": "continueRegularOutput",
        "retryOnFail": True,
        "alwaysOutputData": True,
        "executeOnce": True,
    }
    for node in scene.nodes_with_ports:
        key = rng.choice(sorted(settings))
        if key not in node.tool.names and key not in node.params:
            yield put(node, (*node.route, "parameters", key), settings[key])


def parameter_outside(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if not leaf.nested and leaf.name not in _NODE_KEYS and leaf.name not in node.raw:
                route = (*node.route, leaf.name)
                changes = [Change("drop", leaf.route), Change("put", route, leaf.value)]
                yield at_value(node, changes, route)


def fixed_as_expression(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            fixed = leaf.declared.get("noDataExpression") is True
            if fixed and leaf.type in ("string", "options", "boolean", "number"):
                yield put(node, leaf.route, "={{ $json.value }}")


FINDERS: Finders = {
    "required-absent": required_absent,
    "required-empty": required_empty,
    "required-misspelt": required_misspelt,
    "optional-misspelt": optional_misspelt,
    "collection-child-unknown": child_misspelt,
    "name-invented": invent_parameter,
    "hidden-set": hidden_set,
    "node-key-inside": node_key_inside,
    "parameter-outside": parameter_outside,
    "fixed-as-expression": fixed_as_expression,
}
