"""Finds mechanical slips to inject into names: types, parameters, options, references."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from evals.faults.catalog import Json
from evals.faults.expressions import hosts
from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finder, Finders
from evals.faults.names import put, slips_once
from evals.faults.scene import Leaf, Placed, Scene

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_NAMED = re.compile(r"\$\((['\"])([^'\"\\]+)\1\)")
# How version 1 of If, Filter and Switch names what a filter's operators do.
_OLD = {
    "equals": "equal",
    "notEquals": "notEqual",
    "gt": "larger",
    "gte": "largerEqual",
    "lt": "smaller",
    "lte": "smallerEqual",
    "empty": "isEmpty",
    "notEmpty": "isNotEmpty",
}
_SETTINGS = ("onError", "retryOnFail", "alwaysOutputData", "executeOnce", "maxTries", "disabled")
_SINGULAR = {"equals": "equal", "contains": "contain", "startsWith": "startWith"}


def operation_glued(scene: Scene, rng: Random) -> Iterator[Fault]:
    """The operation is told by the type alone; a resource, where the node has one, is set."""
    for node in scene.nodes:
        operation, resource = node.params.get("operation"), node.params.get("resource")
        if not isinstance(operation, str) or not operation.isidentifier():
            continue
        text = node.tool.id + operation[0].upper() + operation[1:]
        if scene.catalog.has(text) or not _is_stated(node, "operation"):
            continue
        if resource is None and "resource" in node.tool.names:
            continue
        at = (*node.route, "type")
        changes = (
            Change("put", at, text),
            Change("drop", (*node.route, "parameters", "operation")),
        )
        yield Fault(changes, Place((at,), (node.name,), ("type",)))


def _is_stated(node: Placed, name: str) -> bool:
    """Whether a choice is shown with a list of its own."""
    return any(leaf.name == name and leaf.value in leaf.options for leaf in node.leaves)


def above_newest(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        newest = max(node.tool.versions)
        if node.version == newest:
            at = (*node.route, "typeVersion")
            place = Place((at,), (node.name,), ("typeVersion",))
            value = rng.choice((int(newest) + 1, round(newest + 0.1, 1), round(newest + 0.5, 1)))
            yield Fault((Change("put", at, value),), place)


def _write_name(write: Callable[[list[str]], str]) -> Finder:
    """Names of more than one word are written in another style."""

    def find(scene: Scene, rng: Random) -> Iterator[Fault]:
        for node in scene.nodes_with_ports:
            for leaf in node.leaves:
                words = [word.lower() for word in _WORD.findall(leaf.name)]
                if len(words) > 1 and _speaks(leaf) and write(words) != leaf.name:
                    yield from _rename_leaf(node, leaf, write(words))

    return find


def as_label(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            label = str(leaf.declared.get("displayName") or "")
            labels = [str(item.get("displayName")) for item in leaf.level.declared]
            mine = {str(item["name"]) for item in leaf.level.declared if _label(item) == label}
            if label.isascii() and len(mine) == 1 and label in labels and _speaks(leaf):
                yield from _rename_leaf(node, leaf, label)


def _label(declared: Json) -> str:
    return str(declared.get("displayName") or "")


def _speaks(leaf: Leaf) -> bool:
    """Whether n8n would do something else without the value."""
    return bool(leaf.value) and leaf.value != leaf.declared.get("default")


def _rename_leaf(node: Placed, leaf: Leaf, wrong: str) -> Iterator[Fault]:
    taken = {str(item["name"]) for item in leaf.level.declared} | set(leaf.level.given)
    if wrong in taken or (not leaf.nested and wrong in node.tool.names):
        return
    route = (*leaf.route[:-1], wrong)
    place = Place((route, leaf.route), (node.name,), (wrong, leaf.name))
    yield Fault((Change("rename", leaf.route, wrong),), place)


def _list_choices(scene: Scene) -> Iterator[tuple[Placed, Leaf, str]]:
    """Texts that are one of a closed list."""
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            value = leaf.value
            if leaf.type == "options" and isinstance(value, str) and value in leaf.options:
                yield node, leaf, value


def option_misspelt(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, value in _list_choices(scene):
        wrong = slips_once(value, [str(option) for option in leaf.options], rng)
        if wrong is not None:
            yield put(node, leaf.route, wrong)


def option_as_label(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, value in _list_choices(scene):
        labels = [
            str(option.get("name")) for option in leaf.declared["options"] if "value" in option
        ]
        label = next(
            str(option.get("name"))
            for option in leaf.declared["options"]
            if option.get("value") == value
        )
        if labels.count(label) == 1 and label not in leaf.options:
            yield put(node, leaf.route, label)


def operator_near(scene: Scene, rng: Random) -> Iterator[Fault]:
    def near(operation: str) -> Iterable[str]:
        words = [word.lower() for word in _WORD.findall(operation)]
        yield operation.upper()
        if operation in _SINGULAR:
            yield _SINGULAR[operation]
        if len(words) > 1:
            yield "_".join(words)
            yield " ".join(words)
        if len(operation) > 4:
            yield operation[:2] + operation[3] + operation[2] + operation[4:]

    yield from _rename_operation(scene, rng, near)


def operator_old(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _rename_operation(scene, rng, lambda operation: (_OLD.get(operation, operation),))


def _rename_operation(
    scene: Scene, rng: Random, names: Callable[[str], Iterable[str]]
) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type != "filter" or not isinstance(leaf.value, dict):
                continue
            for index, condition in enumerate(_conditions(leaf.value)):
                operation = _operation(condition)
                wrong = sorted(set(names(operation)) - {operation}) if operation else []
                if wrong:
                    at = (*leaf.route, "conditions", index, "operator", "operation")
                    change = Change("put", at, rng.choice(wrong))
                    yield Fault((change,), Place((at,), (node.name,), ("operation",)))


def _conditions(value: Json) -> list[Any]:
    held = value.get("conditions")
    return held if isinstance(held, list) else []


def _operation(condition: Any) -> str:
    operator = condition.get("operator") if isinstance(condition, dict) else None
    operation = operator.get("operation") if isinstance(operator, dict) else None
    return operation if isinstance(operation, str) else ""


def flag_as_text(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        key = rng.choice(("retryOnFail", "alwaysOutputData", "executeOnce"))
        at = (*node.route, key)
        held = node.raw.get(key, False)
        if isinstance(held, bool):
            changes = (Change("put", at, "true" if held else "false"),)
            yield Fault(changes, Place((at,), (node.name,), (key,)))


def node_key_inside(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for key in _SETTINGS:
            if node.raw.get(key) and key not in node.tool.names and key not in node.params:
                at = (*node.route, "parameters", key)
                changes = (Change("drop", (*node.route, key)), Change("put", at, node.raw[key]))
                yield Fault(changes, Place((at,), (node.name,), (key,)))


def reference_recased(scene: Scene, rng: Random) -> Iterator[Fault]:
    lowered = [name.casefold() for name in scene.names]
    for node, leaf in hosts(scene):
        named = _NAMED.search(leaf.value) if leaf.is_expression else None
        if named is None or named[2] not in scene.names:
            continue
        name = named[2]
        wrong = name.lower() if name != name.lower() else name.title()
        if wrong not in scene.names and lowered.count(name.casefold()) == 1:
            value = leaf.value.replace(named[0], named[0].replace(name, wrong))
            yield put(node, leaf.route, value)


def equals_sign_lost(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in hosts(scene):
        if leaf.is_expression and re.fullmatch(r"=\{\{[^{}]*\$json\b[^{}]*\}\}", leaf.value):
            yield put(node, leaf.route, leaf.value[1:])


FINDERS: Finders = {
    "type-operation-glued": operation_glued,
    "version-above-newest": above_newest,
    "name-snake-case": _write_name("_".join),
    "name-kebab-case": _write_name("-".join),
    "name-spaced": _write_name(lambda words: " ".join(word.title() for word in words)),
    "name-as-label": as_label,
    "node-key-inside": node_key_inside,
    "option-misspelt": option_misspelt,
    "option-as-label": option_as_label,
    "operator-near": operator_near,
    "operator-old": operator_old,
    "flag-as-text": flag_as_text,
    "reference-recased": reference_recased,
    "equals-sign-lost": equals_sign_lost,
}
