"""Finds mechanical faults to inject into the shape of values: wrapped, unwrapped, as texts."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.catalog import Json
from evals.faults.fault import Change, Fault, Route
from evals.faults.finding import Finders
from evals.faults.names import at_value, put
from evals.faults.scene import Leaf, Placed, Scene

_SET = "n8n-nodes-base.set"
_OLD_SET = (1, 2)
_NEW_SET = 3.3
_PLAIN = ("string", "number", "boolean")
# What a filter's operators are called in the conditions of version 1 of the same nodes.
_OLD_OPERATIONS = {
    ("string", "equals"): "equal",
    ("string", "notEquals"): "notEqual",
    ("string", "contains"): "contains",
    ("string", "notContains"): "notContains",
    ("string", "empty"): "isEmpty",
    ("string", "notEmpty"): "isNotEmpty",
    ("number", "equals"): "equal",
    ("number", "gt"): "larger",
    ("number", "lt"): "smaller",
    ("boolean", "equals"): "equal",
}


def _of_type(scene: Scene, kind: str) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type == kind:
                yield node, leaf


def _several(leaf: Leaf) -> bool:
    return bool((leaf.declared.get("typeOptions") or {}).get("multipleValues"))


def collection_in_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "collection"):
        if not _several(leaf) and isinstance(leaf.value, dict) and leaf.value:
            yield put(node, leaf.route, [leaf.value])


def _groups(scene: Scene) -> Iterator[tuple[Placed, Leaf, str, Any]]:
    for node, leaf in _of_type(scene, "fixedCollection"):
        for group in leaf.declared.get("options") or ():
            held = leaf.value.get(group["name"]) if isinstance(leaf.value, dict) else None
            if held:
                yield node, leaf, str(group["name"]), held


def group_as_object(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _groups(scene):
        single = isinstance(held, list) and len(held) == 1 and isinstance(held[0], dict)
        if _several(leaf) and single:
            yield put(node, (*leaf.route, name), held[0])


def group_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _groups(scene):
        if not _several(leaf) and isinstance(held, dict):
            yield put(node, (*leaf.route, name), [held])


def _only_group(leaf: Leaf, held: Any) -> bool:
    return len(leaf.declared["options"]) == 1 and leaf.value and len(leaf.value) == 1 and bool(held)


def groups_unwrapped(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, _, held in _groups(scene):
        whole = isinstance(held, list) and all(isinstance(item, dict) for item in held)
        if _several(leaf) and whole and _only_group(leaf, held):
            yield put(node, leaf.route, held)


def entry_unwrapped(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _groups(scene):
        entry = held[0] if isinstance(held, list) and len(held) == 1 else held
        if isinstance(entry, dict) and entry and name not in entry and _only_group(leaf, held):
            yield put(node, leaf.route, entry)


def _list_assigned(node: Placed) -> list[Json] | None:
    """The assignments of a newer Set node, when every one is of a plain type."""
    held = node.params.get("assignments")
    listed = held.get("assignments") if isinstance(held, dict) else None
    if node.tool.id != _SET or node.version < _NEW_SET or not isinstance(listed, list):
        return None
    plain = all(isinstance(item, dict) and item.get("type") in _PLAIN for item in listed)
    kinds = [item["type"] for item in listed] if plain else []
    # In the old shape the types come one after another.
    ordered = kinds == sorted(kinds, key=kinds.index)
    named = plain and len({item.get("name") for item in listed}) == len(listed)
    return listed if listed and ordered and named else None


def assignments_old_keys(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        listed = _list_assigned(node)
        if listed is None or node.params.get("mode", "manual") != "manual":
            continue
        values: dict[str, list[Json]] = {}
        for item in listed:
            pair = {"name": item.get("name"), "value": item.get("value")}
            values.setdefault(item["type"], []).append(pair)
        at: Route = (*node.route, "parameters", "values")
        changes = (Change("drop", (*at[:-1], "assignments")), Change("put", at, values))
        yield at_value(node, changes, at)


def values_new_keys(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        held = node.params.get("values")
        if node.tool.id != _SET or node.version not in _OLD_SET or not isinstance(held, dict):
            continue
        if not held or not all(isinstance(item, list) and item for item in held.values()):
            continue
        pairs = [(kind, item) for kind in held for item in held[kind]]
        if not all(
            isinstance(item, dict) and {"name", "value"} <= item.keys() for _, item in pairs
        ):
            continue
        listed = [
            {"id": f"{index}", "name": item["name"], "type": kind, "value": item["value"]}
            for index, (kind, item) in enumerate(pairs)
        ]
        at: Route = (*node.route, "parameters", "assignments")
        changes = (Change("drop", (*at[:-1], "values")), Change("put", at, {"assignments": listed}))
        yield at_value(node, changes, at)


def _filters(scene: Scene) -> Iterator[tuple[Placed, Leaf, list[Json]]]:
    for node, leaf in _of_type(scene, "filter"):
        held = leaf.value.get("conditions") if isinstance(leaf.value, dict) else None
        if isinstance(held, list) and held and all(isinstance(item, dict) for item in held):
            yield node, leaf, held


def filter_of_one(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, held in _filters(scene):
        if len(held) == 1:
            yield put(node, (*leaf.route, "conditions"), held[0])


def filter_old_keys(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, held in _filters(scene):
        old: dict[str, list[Json]] = {}
        for item in held:
            operator = item.get("operator") or {}
            kind = operator.get("type")
            operation = _OLD_OPERATIONS.get((str(kind), str(operator.get("operation"))))
            if operation is None or len({*old, kind}) > 1:
                break
            pair = {"value1": item.get("leftValue"), "operation": operation}
            if not operation.startswith("is"):
                pair["value2"] = item.get("rightValue")
            old.setdefault(str(kind), []).append(pair)
        else:
            # Several conditions go by the combinator, which the old shape has elsewhere.
            if len(held) == 1:
                yield put(node, leaf.route, old)


def operand_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, held in _filters(scene):
        for index, item in enumerate(held):
            number = item.get("rightValue")
            plain = isinstance(number, int | float) and not isinstance(number, bool)
            options = leaf.value.get("options") or {}
            if plain and options.get("typeValidation", "strict") == "strict":
                yield put(node, (*leaf.route, "conditions", index, "rightValue"), f"{number}")


def locator_plain(scene: Scene, rng: Random) -> Iterator[Fault]:
    """The value of a mode that hands it on as it is, where every mode that takes it does so."""
    for node, leaf in _of_type(scene, "resourceLocator"):
        if not isinstance(leaf.value, dict) or leaf.value.get("mode") not in ("id", "list"):
            continue
        modes = {str(mode["name"]): mode for mode in leaf.declared.get("modes") or ()}
        value = modes.get(str(leaf.value.get("mode")), {})
        pointed = leaf.value.get("value")
        if isinstance(pointed, str) and pointed and "id" in modes and "extractValue" not in value:
            yield put(node, leaf.route, pointed)


def locator_without_mode(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "resourceLocator"):
        value = leaf.value
        if isinstance(value, dict) and value.get("mode") == "id" and value.get("value"):
            yield at_value(node, [Change("drop", (*leaf.route, "mode"))], leaf.route)


def member_bare(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "multiOptions"):
        if isinstance(leaf.value, list) and len(leaf.value) == 1:
            yield put(node, leaf.route, leaf.value[0])


def number_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "number"):
        number = leaf.value
        counts = isinstance(number, int | float) and not isinstance(number, bool)
        if counts and number != leaf.declared.get("default"):
            yield put(node, leaf.route, f"{number}")


def boolean_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "boolean"):
        if isinstance(leaf.value, bool):
            wrong = ("true", "True") if leaf.value else ("false", "False")
            yield put(node, leaf.route, rng.choice(wrong))


def required_of_one(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            single = leaf.type in ("options", "multiOptions") and len(leaf.options) == 1
            empty = leaf.declared.get("default") in ("", None, [])
            chosen = single and leaf.value in (leaf.options[0], [leaf.options[0]])
            if chosen and empty and leaf.declared.get("required") is True:
                yield at_value(node, [Change("drop", leaf.route)], leaf.route)


FINDERS: Finders = {
    "collection-in-list": collection_in_list,
    "group-as-object": group_as_object,
    "group-as-list": group_as_list,
    "groups-unwrapped": groups_unwrapped,
    "entry-unwrapped": entry_unwrapped,
    "assignments-old-keys": assignments_old_keys,
    "values-new-keys": values_new_keys,
    "filter-of-one": filter_of_one,
    "filter-old-keys": filter_old_keys,
    "operand-as-text": operand_as_text,
    "locator-plain": locator_plain,
    "locator-without-mode": locator_without_mode,
    "member-bare": member_bare,
    "number-as-text": number_as_text,
    "boolean-as-text": boolean_as_text,
    "required-of-one": required_of_one,
}
