"""Makes faults in the shape of collections, groups, filters and assignments, to inject."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finders
from evals.faults.names import misspell_uniquely, put_value
from evals.faults.scene import Leaf, Placed, Scene

# Maps each operand type to an operator of another type in n8n's filter.
_FOREIGN_OPERATOR = {
    "string": "gt",
    "number": "contains",
    "boolean": "contains",
    "dateTime": "contains",
    "array": "startsWith",
    "object": "gt",
}


def _find_leaves(scene: Scene, kind: str, *, unset: bool = False) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        leaves = (*node.leaves, *node.openings) if unset else node.leaves
        for leaf in leaves:
            if leaf.type == kind:
                yield node, leaf


def _is_multiple(leaf: Leaf) -> bool:
    return bool((leaf.declared.get("typeOptions") or {}).get("multipleValues"))


def put_text_for_collection(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "collection", unset=True):
        if not _is_multiple(leaf):
            yield put_value(node, leaf.route, rng.choice(("yes", "default options", "none")))


def put_list_for_collection(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "collection", unset=True):
        if not _is_multiple(leaf):
            held = leaf.value if isinstance(leaf.value, dict) else {}
            yield put_value(node, leaf.route, [held or {"name": "x"}])


def put_list_for_groups(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "fixedCollection"):
        if isinstance(leaf.value, dict) and leaf.value:
            held = next(iter(leaf.value.values()))
            yield put_value(node, leaf.route, held if isinstance(held, list) and held else [held])


def put_object_for_group(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _find_groups(scene):
        if _is_multiple(leaf) and isinstance(held[0], dict):
            yield put_value(node, (*leaf.route, name), held[0])


def put_text_for_entry(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _find_groups(scene):
        if _is_multiple(leaf):
            yield put_value(node, (*leaf.route, name, rng.randrange(len(held))), "first entry")


def misspell_group(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, _ in _find_groups(scene):
        groups = [str(option["name"]) for option in leaf.declared.get("options") or ()]
        wrong = misspell_uniquely(name, sorted({*groups, *leaf.value}), rng)
        if wrong is not None:
            route = (*leaf.route, wrong)
            place = Place((route, (*leaf.route, name)), (node.name,), (wrong, name))
            yield Fault((Change("rename", (*leaf.route, name), wrong),), place)


def _find_groups(scene: Scene) -> Iterator[tuple[Placed, Leaf, str, list[Any]]]:
    for node, leaf in _find_leaves(scene, "fixedCollection"):
        for group in leaf.declared.get("options") or ():
            held = leaf.value.get(group["name"]) if isinstance(leaf.value, dict) else None
            if isinstance(held, list) and held:
                yield node, leaf, group["name"], held


def add_unknown_member(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "multiOptions", unset=True):
        if leaf.options:
            held = leaf.value if isinstance(leaf.value, list) else []
            yield put_value(node, leaf.route, [*held, "nonsuch"])


def put_object_for_members(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "multiOptions", unset=True):
        yield put_value(node, leaf.route, {"value": leaf.value})


def use_foreign_operator(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "filter"):
        for index, condition in enumerate(_conditions_of(leaf)):
            operator = condition.get("operator") if isinstance(condition, dict) else None
            kind = operator.get("type") if isinstance(operator, dict) else None
            if kind in _FOREIGN_OPERATOR:
                at = (*leaf.route, "conditions", index, "operator", "operation")
                change = Change("put", at, _FOREIGN_OPERATOR[kind])
                place = Place((at, at[:-1]), (node.name,), ("operation", "operator"))
                yield Fault((change,), place)


def put_object_for_conditions(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "filter"):
        conditions = _conditions_of(leaf)
        if conditions and isinstance(conditions[0], dict):
            yield put_value(node, (*leaf.route, "conditions"), conditions[0])


def _conditions_of(leaf: Leaf) -> list[Any]:
    held = leaf.value.get("conditions") if isinstance(leaf.value, dict) else None
    return held if isinstance(held, list) else []


def put_list_for_assignments(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "assignmentCollection"):
        if _assignments_of(leaf):
            yield put_value(node, leaf.route, _assignments_of(leaf))


def use_unknown_assignment_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_leaves(scene, "assignmentCollection"):
        for index, assignment in enumerate(_assignments_of(leaf)):
            if isinstance(assignment, dict) and "type" in assignment:
                at = (*leaf.route, "assignments", index, "type")
                yield put_value(node, at, rng.choice(("integer", "text", "list")))


def _assignments_of(leaf: Leaf) -> list[Any]:
    held = leaf.value.get("assignments") if isinstance(leaf.value, dict) else None
    return held if isinstance(held, list) else []


FINDERS: Finders = {
    "collection-as-text": put_text_for_collection,
    "collection-as-list": put_list_for_collection,
    "groups-as-list": put_list_for_groups,
    "group-as-object": put_object_for_group,
    "group-entry-as-text": put_text_for_entry,
    "group-unknown": misspell_group,
    "member-unknown": add_unknown_member,
    "members-as-object": put_object_for_members,
    "filter-operator": use_foreign_operator,
    "filter-shape": put_object_for_conditions,
    "assignments-as-list": put_list_for_assignments,
    "assignment-type": use_unknown_assignment_type,
}
