"""Makes faults of missing, misspelled or misplaced parameters, to inject; misspells names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from random import Random
from typing import Any

from evals.faults.fault import Change, Fault, Place, Route
from evals.faults.finding import Finders
from evals.faults.scene import Leaf, Placed, Scene

# The types that n8n requires when shown and required (NodeHelpers.getParameterIssues).
_REQUIRABLE = frozenset({"string", "options", "multiOptions", "dateTime", "resourceLocator"})
# The settings of a node outside its parameters.
_NODE_KEYS = frozenset(
    {
        *("id", "name", "type", "typeVersion", "position", "parameters", "credentials", "notes"),
        *("webhookId", "disabled", "notesInFlow", "onError", "continueOnFail", "retryOnFail"),
        *("maxTries", "waitBetweenTries", "alwaysOutputData", "executeOnce", "color", "retryCount"),
        *("createdAt", "updatedAt", "issues", "extendsCredential", "rewireOutputLogTo", "cid"),
    }
)
_LONGEST_LIKENESS = 0.8


def fault_at(node: Placed, changes: Iterable[Change], route: Route) -> Fault:
    """Returns a fault whose place is a value's route, or the value's key in the node."""
    key = next(str(part) for part in reversed(route) if isinstance(part, str))
    return Fault(tuple(changes), Place((route,), (node.name,), (key,)))


def put_value(node: Placed, route: Route, value: Any) -> Fault:
    """Returns a fault that puts a value at a route."""
    return fault_at(node, [Change("put", route, value)], route)


def misspell(name: str, rng: Random) -> str:
    """Returns a name with one letter dropped, doubled or swapped with the next."""
    at = rng.randrange(1, len(name) - 1)
    turned = name[:at] + name[at + 1] + name[at] + name[at + 2 :]
    doubled = name[:at] + name[at] + name[at:]
    return rng.choice([name[:at] + name[at + 1 :], doubled, turned])


def misspell_uniquely(name: str, others: Iterable[str], rng: Random) -> str | None:
    """Returns a misspelling that resembles this name only, or None if it resembles another."""
    if len(name) < 5:
        return None
    wrong = misspell(name, rng)
    for other in others:
        alike = SequenceMatcher(None, wrong, other).ratio() > _LONGEST_LIKENESS
        if other == wrong or (other != name and alike):
            return None
    return None if wrong == name else wrong


def _is_required(leaf: Leaf) -> bool:
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


def remove_required(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if _is_required(leaf) and _is_set(leaf.value):
                yield fault_at(node, [Change("drop", leaf.route)], leaf.route)


def empty_required(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if not _is_required(leaf) or not _is_set(leaf.value):
                continue
            if isinstance(leaf.value, dict):
                yield put_value(node, leaf.route, {**leaf.value, "value": ""})
            else:
                yield put_value(node, leaf.route, [] if leaf.type == "multiOptions" else "")


def misspell_required(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if _is_required(leaf) and _is_set(leaf.value):
                yield from _rename_leaf(node, leaf, rng)


def misspell_optional(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.nested or leaf.declared.get("required") or not leaf.value:
                continue
            yield from _rename_leaf(node, leaf, rng)


def misspell_child(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.in_collection and leaf.level.with_defaults is False:
                yield from _rename_leaf(node, leaf, rng)


def _rename_leaf(node: Placed, leaf: Leaf, rng: Random) -> Iterator[Fault]:
    names = {str(item["name"]) for item in leaf.level.declared} | set(leaf.level.given)
    if not leaf.nested:
        names |= node.tool.names
    wrong = misspell_uniquely(leaf.name, sorted(names), rng)
    if wrong is not None:
        route = (*leaf.route[:-1], wrong)
        place = Place((route, leaf.route), (node.name,), (wrong, leaf.name))
        yield Fault((Change("rename", leaf.route, wrong),), place)


def invent_parameter(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        name = rng.choice(("zebraMode", "quuxLimit", "frobnicate"))
        yield put_value(node, (*node.route, "parameters", name), "on")


def set_hidden(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for declared in node.variant["parameters"]:
            name = declared["name"]
            plain = declared["type"] == "string" and name not in node.params
            if plain and node.root.is_certainly_hidden(name):
                yield put_value(node, (*node.route, "parameters", name), "set by mistake")


def put_node_key_inside(scene: Scene, rng: Random) -> Iterator[Fault]:
    settings = {
        "onError": "continueRegularOutput",
        "retryOnFail": True,
        "alwaysOutputData": True,
        "executeOnce": True,
    }
    for node in scene.nodes_with_ports:
        key = rng.choice(sorted(settings))
        if key not in node.tool.names and key not in node.params:
            yield put_value(node, (*node.route, "parameters", key), settings[key])


def move_parameter_outside(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if not leaf.nested and leaf.name not in _NODE_KEYS and leaf.name not in node.raw:
                route = (*node.route, leaf.name)
                changes = [Change("drop", leaf.route), Change("put", route, leaf.value)]
                yield fault_at(node, changes, route)


def put_expression_for_fixed(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            fixed = leaf.declared.get("noDataExpression") is True
            if fixed and leaf.type in ("string", "options", "boolean", "number"):
                yield put_value(node, leaf.route, "={{ $json.value }}")


FINDERS: Finders = {
    "required-absent": remove_required,
    "required-empty": empty_required,
    "required-misspelt": misspell_required,
    "optional-misspelt": misspell_optional,
    "collection-child-unknown": misspell_child,
    "name-invented": invent_parameter,
    "hidden-set": set_hidden,
    "node-key-inside": put_node_key_inside,
    "parameter-outside": move_parameter_outside,
    "fixed-as-expression": put_expression_for_fixed,
}
