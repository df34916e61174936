"""Makes faults with a single repair in the shape of values (wrapped, as text), to inject."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.catalog import Json
from evals.faults.fault import Change, Fault, Route
from evals.faults.finding import Finders
from evals.faults.names import fault_at, put_value
from evals.faults.scene import Leaf, Placed, Scene

_SET = "n8n-nodes-base.set"
_OLD_SET = (1, 2)
_NEW_SET = 3.3
_PLAIN = ("string", "number", "boolean")
# The names of the filter operators in the conditions of version 1 of the same nodes.
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


def _find_leaves(scene: Scene, kind: str) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type == kind:
                yield node, leaf


def _is_multiple(leaf: Leaf) -> bool:
    return bool((leaf.declared.get("typeOptions") or {}).get("multipleValues"))


def wrap_collection(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "collection"):
        if not _is_multiple(leaf) and isinstance(leaf.value, dict) and leaf.value:
            yield put_value(node, leaf.route, [leaf.value])


def _find_groups(scene: Scene) -> Iterator[tuple[Placed, Leaf, str, Any]]:
    for node, leaf in _find_leaves(scene, "fixedCollection"):
        for group in leaf.declared.get("options") or ():
            held = leaf.value.get(group["name"]) if isinstance(leaf.value, dict) else None
            if held:
                yield node, leaf, str(group["name"]), held


def unwrap_group_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _find_groups(scene):
        single = isinstance(held, list) and len(held) == 1 and isinstance(held[0], dict)
        if _is_multiple(leaf) and single:
            yield put_value(node, (*leaf.route, name), held[0])


def wrap_group(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _find_groups(scene):
        if not _is_multiple(leaf) and isinstance(held, dict):
            yield put_value(node, (*leaf.route, name), [held])


def _is_only_group(leaf: Leaf, held: Any) -> bool:
    return len(leaf.declared["options"]) == 1 and leaf.value and len(leaf.value) == 1 and bool(held)


def unwrap_groups(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, _, held in _find_groups(scene):
        whole = isinstance(held, list) and all(isinstance(item, dict) for item in held)
        if _is_multiple(leaf) and whole and _is_only_group(leaf, held):
            yield put_value(node, leaf.route, held)


def unwrap_entry(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _find_groups(scene):
        entry = held[0] if isinstance(held, list) and len(held) == 1 else held
        if isinstance(entry, dict) and entry and name not in entry and _is_only_group(leaf, held):
            yield put_value(node, leaf.route, entry)


def _assignments_of(node: Placed) -> list[Json] | None:
    """Returns the assignments of a newer Set node if all have plain types, else None."""
    held = node.params.get("assignments")
    listed = held.get("assignments") if isinstance(held, dict) else None
    if node.tool.id != _SET or node.version < _NEW_SET or not isinstance(listed, list):
        return None
    plain = all(isinstance(item, dict) and item.get("type") in _PLAIN for item in listed)
    kinds = [item["type"] for item in listed] if plain else []
    # The old shape groups the values by type.
    ordered = kinds == sorted(kinds, key=kinds.index)
    named = plain and len({item.get("name") for item in listed}) == len(listed)
    return listed if listed and ordered and named else None


def use_old_assignments(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        listed = _assignments_of(node)
        if listed is None or node.params.get("mode", "manual") != "manual":
            continue
        values: dict[str, list[Json]] = {}
        for item in listed:
            pair = {"name": item.get("name"), "value": item.get("value")}
            values.setdefault(item["type"], []).append(pair)
        at: Route = (*node.route, "parameters", "values")
        changes = (Change("drop", (*at[:-1], "assignments")), Change("put", at, values))
        yield fault_at(node, changes, at)


def use_new_values(scene: Scene, rng: Random) -> Iterator[Fault]:
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
        yield fault_at(node, changes, at)


def _find_filters(scene: Scene) -> Iterator[tuple[Placed, Leaf, list[Json]]]:
    for node, leaf in _find_leaves(scene, "filter"):
        held = leaf.value.get("conditions") if isinstance(leaf.value, dict) else None
        if isinstance(held, list) and held and all(isinstance(item, dict) for item in held):
            yield node, leaf, held


def unwrap_condition(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, held in _find_filters(scene):
        if len(held) == 1:
            yield put_value(node, (*leaf.route, "conditions"), held[0])


def use_old_conditions(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Writes a filter in the old shape, which compares without regard to types, but to case."""
    for node, leaf, held in _find_filters(scene):
        options = leaf.value.get("options") or {}
        if options.get("typeValidation") != "loose" or options.get("caseSensitive") is False:
            continue
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
            # Several conditions depend on the combinator, which the old shape has elsewhere.
            if len(held) == 1:
                yield put_value(node, leaf.route, old)


def put_text_for_operand(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, held in _find_filters(scene):
        for index, item in enumerate(held):
            number = item.get("rightValue")
            plain = isinstance(number, int | float) and not isinstance(number, bool)
            options = leaf.value.get("options") or {}
            if plain and options.get("typeValidation", "strict") == "strict":
                yield put_value(node, (*leaf.route, "conditions", index, "rightValue"), f"{number}")


def unwrap_locator(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Replaces a locator by its value, if its mode passes the value on unchanged."""
    for node, leaf in _find_leaves(scene, "resourceLocator"):
        if not isinstance(leaf.value, dict) or leaf.value.get("mode") not in ("id", "list"):
            continue
        modes = {str(mode["name"]): mode for mode in leaf.declared.get("modes") or ()}
        value = modes.get(str(leaf.value.get("mode")), {})
        pointed = leaf.value.get("value")
        if isinstance(pointed, str) and pointed and "id" in modes and "extractValue" not in value:
            yield put_value(node, leaf.route, pointed)


def remove_locator_mode(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "resourceLocator"):
        value = leaf.value
        if isinstance(value, dict) and value.get("mode") == "id" and value.get("value"):
            yield fault_at(node, [Change("drop", (*leaf.route, "mode"))], leaf.route)


def unwrap_member(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "multiOptions"):
        if isinstance(leaf.value, list) and len(leaf.value) == 1:
            yield put_value(node, leaf.route, leaf.value[0])


def put_text_for_number(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "number"):
        number = leaf.value
        counts = isinstance(number, int | float) and not isinstance(number, bool)
        if counts and number != leaf.declared.get("default"):
            yield put_value(node, leaf.route, f"{number}")


def put_text_for_boolean(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "boolean"):
        if isinstance(leaf.value, bool):
            wrong = ("true", "True") if leaf.value else ("false", "False")
            yield put_value(node, leaf.route, rng.choice(wrong))


def remove_single_choice(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            single = leaf.type in ("options", "multiOptions") and len(leaf.options) == 1
            empty = leaf.declared.get("default") in ("", None, [])
            chosen = single and leaf.value in (leaf.options[0], [leaf.options[0]])
            if chosen and empty and leaf.declared.get("required") is True:
                yield fault_at(node, [Change("drop", leaf.route)], leaf.route)


FINDERS: Finders = {
    "collection-in-list": wrap_collection,
    "group-as-object": unwrap_group_list,
    "group-as-list": wrap_group,
    "groups-unwrapped": unwrap_groups,
    "entry-unwrapped": unwrap_entry,
    "assignments-old-keys": use_old_assignments,
    "values-new-keys": use_new_values,
    "filter-of-one": unwrap_condition,
    "filter-old-keys": use_old_conditions,
    "operand-as-text": put_text_for_operand,
    "locator-plain": unwrap_locator,
    "locator-without-mode": remove_locator_mode,
    "member-bare": unwrap_member,
    "number-as-text": put_text_for_number,
    "boolean-as-text": put_text_for_boolean,
    "required-of-one": remove_single_choice,
}
