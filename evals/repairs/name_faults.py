"""Makes faults with a single repair in names (types, parameters, options), to inject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from evals.faults.catalog import Json
from evals.faults.expressions import find_expression_hosts
from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finder, Finders
from evals.faults.names import misspell_uniquely, put_value
from evals.faults.scene import Leaf, Placed, Scene

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_NAMED = re.compile(r"\$\((['\"])([^'\"\\]+)\1\)")
# The names of the filter operators in version 1 of If, Filter and Switch.
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


def move_operation_into_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    """Moves the operation into the type; a resource, if the node has one, stays set."""
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
    """Checks whether a choice is shown with its own list of options."""
    return any(leaf.name == name and leaf.value in leaf.options for leaf in node.leaves)


def exceed_newest_version(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        newest = max(node.tool.versions)
        if node.version == newest:
            at = (*node.route, "typeVersion")
            place = Place((at,), (node.name,), ("typeVersion",))
            value = rng.choice((int(newest) + 1, round(newest + 0.1, 1), round(newest + 0.5, 1)))
            yield Fault((Change("put", at, value),), place)


def _make_name_finder(write: Callable[[list[str]], str]) -> Finder:
    """Returns a finder that writes names of several words in another style."""

    def find(scene: Scene, rng: Random) -> Iterator[Fault]:
        for node in scene.nodes_with_ports:
            for leaf in node.leaves:
                words = [word.lower() for word in _WORD.findall(leaf.name)]
                if len(words) > 1 and _has_effect(leaf) and write(words) != leaf.name:
                    yield from _rename_leaf(node, leaf, write(words))

    return find


def name_by_label(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            label = str(leaf.declared.get("displayName") or "")
            labels = [str(item.get("displayName")) for item in leaf.level.declared]
            mine = {str(item["name"]) for item in leaf.level.declared if _label_of(item) == label}
            if label.isascii() and len(mine) == 1 and label in labels and _has_effect(leaf):
                yield from _rename_leaf(node, leaf, label)


def _label_of(declared: Json) -> str:
    return str(declared.get("displayName") or "")


def _has_effect(leaf: Leaf) -> bool:
    """Checks whether n8n would behave differently without the value."""
    return bool(leaf.value) and leaf.value != leaf.declared.get("default")


def _rename_leaf(node: Placed, leaf: Leaf, wrong: str) -> Iterator[Fault]:
    taken = {str(item["name"]) for item in leaf.level.declared} | set(leaf.level.given)
    if wrong in taken or (not leaf.nested and wrong in node.tool.names):
        return
    route = (*leaf.route[:-1], wrong)
    place = Place((route, leaf.route), (node.name,), (wrong, leaf.name))
    yield Fault((Change("rename", leaf.route, wrong),), place)


def _list_choices(scene: Scene) -> Iterator[tuple[Placed, Leaf, str]]:
    """Yields the values that are one of a closed list."""
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            value = leaf.value
            if leaf.type == "options" and isinstance(value, str) and value in leaf.options:
                yield node, leaf, value


def misspell_option(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf, value in _list_choices(scene):
        wrong = misspell_uniquely(value, [str(option) for option in leaf.options], rng)
        if wrong is not None:
            yield put_value(node, leaf.route, wrong)


def use_option_label(scene: Scene, rng: Random) -> Iterator[Fault]:
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
            yield put_value(node, leaf.route, label)


def use_similar_operator(scene: Scene, rng: Random) -> Iterator[Fault]:
    def list_similar(operation: str) -> Iterable[str]:
        words = [word.lower() for word in _WORD.findall(operation)]
        yield operation.upper()
        if operation in _SINGULAR:
            yield _SINGULAR[operation]
        if len(words) > 1:
            yield "_".join(words)
            yield " ".join(words)
        if len(operation) > 4:
            yield operation[:2] + operation[3] + operation[2] + operation[4:]

    yield from _rename_operation(scene, rng, list_similar)


def use_old_operator(scene: Scene, rng: Random) -> Iterator[Fault]:
    yield from _rename_operation(scene, rng, lambda operation: (_OLD.get(operation, operation),))


def _rename_operation(
    scene: Scene, rng: Random, names: Callable[[str], Iterable[str]]
) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type != "filter" or not isinstance(leaf.value, dict):
                continue
            for index, condition in enumerate(_conditions_of(leaf.value)):
                operation = _operation_of(condition)
                wrong = sorted(set(names(operation)) - {operation}) if operation else []
                if wrong:
                    at = (*leaf.route, "conditions", index, "operator", "operation")
                    change = Change("put", at, rng.choice(wrong))
                    yield Fault((change,), Place((at,), (node.name,), ("operation",)))


def _conditions_of(value: Json) -> list[Any]:
    held = value.get("conditions")
    return held if isinstance(held, list) else []


def _operation_of(condition: Any) -> str:
    operator = condition.get("operator") if isinstance(condition, dict) else None
    operation = operator.get("operation") if isinstance(operator, dict) else None
    return operation if isinstance(operation, str) else ""


def put_text_for_flag(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        key = rng.choice(("retryOnFail", "alwaysOutputData", "executeOnce"))
        at = (*node.route, key)
        held = node.raw.get(key, False)
        if isinstance(held, bool):
            changes = (Change("put", at, "true" if held else "false"),)
            yield Fault(changes, Place((at,), (node.name,), (key,)))


def move_node_key_inside(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for key in _SETTINGS:
            if node.raw.get(key) and key not in node.tool.names and key not in node.params:
                at = (*node.route, "parameters", key)
                changes = (Change("drop", (*node.route, key)), Change("put", at, node.raw[key]))
                yield Fault(changes, Place((at,), (node.name,), (key,)))


def change_reference_case(scene: Scene, rng: Random) -> Iterator[Fault]:
    lowered = [name.casefold() for name in scene.names]
    for node, leaf in find_expression_hosts(scene):
        named = _NAMED.search(leaf.value) if leaf.is_expression else None
        if named is None or named[2] not in scene.names:
            continue
        name = named[2]
        wrong = name.lower() if name != name.lower() else name.title()
        if wrong not in scene.names and lowered.count(name.casefold()) == 1:
            value = leaf.value.replace(named[0], named[0].replace(name, wrong))
            yield put_value(node, leaf.route, value)


def remove_equals_sign(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in find_expression_hosts(scene):
        if leaf.is_expression and re.fullmatch(r"=\{\{[^{}]*\$json\b[^{}]*\}\}", leaf.value):
            yield put_value(node, leaf.route, leaf.value[1:])


FINDERS: Finders = {
    "type-operation-glued": move_operation_into_type,
    "version-above-newest": exceed_newest_version,
    "name-snake-case": _make_name_finder("_".join),
    "name-kebab-case": _make_name_finder("-".join),
    "name-spaced": _make_name_finder(lambda words: " ".join(word.title() for word in words)),
    "name-as-label": name_by_label,
    "node-key-inside": move_node_key_inside,
    "option-misspelt": misspell_option,
    "option-as-label": use_option_label,
    "operator-near": use_similar_operator,
    "operator-old": use_old_operator,
    "flag-as-text": put_text_for_flag,
    "reference-recased": change_reference_case,
    "equals-sign-lost": remove_equals_sign,
}
