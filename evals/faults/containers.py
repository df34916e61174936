"""Finds faults to inject in the shape of collections, groups, filters and assignments."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finders
from evals.faults.names import put, slips_once
from evals.faults.scene import Leaf, Placed, Scene

# Operators that n8n's filter has for one type of operand and not for another.
_FOREIGN_OPERATOR = {
    "string": "gt",
    "number": "contains",
    "boolean": "contains",
    "dateTime": "contains",
    "array": "startsWith",
    "object": "gt",
}


def _of_type(scene: Scene, kind: str, *, unset: bool = False) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        leaves = (*node.leaves, *node.openings) if unset else node.leaves
        for leaf in leaves:
            if leaf.type == kind:
                yield node, leaf


def _several(leaf: Leaf) -> bool:
    return bool((leaf.declared.get("typeOptions") or {}).get("multipleValues"))


def collection_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "collection", unset=True):
        if not _several(leaf):
            yield put(node, leaf.route, rng.choice(("yes", "default options", "none")))


def collection_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "collection", unset=True):
        if not _several(leaf):
            held = leaf.value if isinstance(leaf.value, dict) else {}
            yield put(node, leaf.route, [held or {"name": "x"}])


def groups_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "fixedCollection"):
        if isinstance(leaf.value, dict) and leaf.value:
            held = next(iter(leaf.value.values()))
            yield put(node, leaf.route, held if isinstance(held, list) and held else [held])


def group_as_object(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _groups(scene):
        if _several(leaf) and isinstance(held[0], dict):
            yield put(node, (*leaf.route, name), held[0])


def group_entry_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, held in _groups(scene):
        if _several(leaf):
            yield put(node, (*leaf.route, name, rng.randrange(len(held))), "first entry")


def group_unknown(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, name, _ in _groups(scene):
        groups = [str(option["name"]) for option in leaf.declared.get("options") or ()]
        wrong = slips_once(name, sorted({*groups, *leaf.value}), rng)
        if wrong is not None:
            route = (*leaf.route, wrong)
            place = Place((route, (*leaf.route, name)), (node.name,), (wrong, name))
            yield Fault((Change("rename", (*leaf.route, name), wrong),), place)


def _groups(scene: Scene) -> Iterator[tuple[Placed, Leaf, str, list[Any]]]:
    for node, leaf in _of_type(scene, "fixedCollection"):
        for group in leaf.declared.get("options") or ():
            held = leaf.value.get(group["name"]) if isinstance(leaf.value, dict) else None
            if isinstance(held, list) and held:
                yield node, leaf, group["name"], held


def member_unknown(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "multiOptions", unset=True):
        if leaf.options:
            held = leaf.value if isinstance(leaf.value, list) else []
            yield put(node, leaf.route, [*held, "nonsuch"])


def members_as_object(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "multiOptions", unset=True):
        yield put(node, leaf.route, {"value": leaf.value})


def filter_operator(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "filter"):
        for index, condition in enumerate(_conditions(leaf)):
            operator = condition.get("operator") if isinstance(condition, dict) else None
            kind = operator.get("type") if isinstance(operator, dict) else None
            if kind in _FOREIGN_OPERATOR:
                at = (*leaf.route, "conditions", index, "operator", "operation")
                change = Change("put", at, _FOREIGN_OPERATOR[kind])
                place = Place((at, at[:-1]), (node.name,), ("operation", "operator"))
                yield Fault((change,), place)


def filter_shape(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "filter"):
        conditions = _conditions(leaf)
        if conditions and isinstance(conditions[0], dict):
            yield put(node, (*leaf.route, "conditions"), conditions[0])


def _conditions(leaf: Leaf) -> list[Any]:
    held = leaf.value.get("conditions") if isinstance(leaf.value, dict) else None
    return held if isinstance(held, list) else []


def assignments_as_list(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "assignmentCollection"):
        if _assignments(leaf):
            yield put(node, leaf.route, _assignments(leaf))


def assignment_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _of_type(scene, "assignmentCollection"):
        for index, assignment in enumerate(_assignments(leaf)):
            if isinstance(assignment, dict) and "type" in assignment:
                at = (*leaf.route, "assignments", index, "type")
                yield put(node, at, rng.choice(("integer", "text", "list")))


def _assignments(leaf: Leaf) -> list[Any]:
    held = leaf.value.get("assignments") if isinstance(leaf.value, dict) else None
    return held if isinstance(held, list) else []


FINDERS: Finders = {
    "collection-as-text": collection_as_text,
    "collection-as-list": collection_as_list,
    "groups-as-list": groups_as_list,
    "group-as-object": group_as_object,
    "group-entry-as-text": group_entry_as_text,
    "group-unknown": group_unknown,
    "member-unknown": member_unknown,
    "members-as-object": members_as_object,
    "filter-operator": filter_operator,
    "filter-shape": filter_shape,
    "assignments-as-list": assignments_as_list,
    "assignment-type": assignment_type,
}
