"""Makes faults in parameter values (wrong type, unlisted, out of bounds), to inject."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from evals.faults.fault import Fault
from evals.faults.finding import Finder, Finders
from evals.faults.names import put_value
from evals.faults.scene import Leaf, Placed, Scene

_CHOOSING = frozenset({"resource", "operation"})


def _settings_of(leaf: Leaf) -> dict[str, Any]:
    return leaf.declared.get("typeOptions") or {}


def _make_finder(kind: str, make: Callable[[Any], Any]) -> Finder:
    """Returns a finder that replaces every single value of a type."""

    def find(scene: Scene, rng: Random) -> Iterator[Fault]:
        for node in scene.nodes_with_ports:
            for leaf in node.leaves:
                if leaf.type == kind and not _settings_of(leaf).get("multipleValues"):
                    yield put_value(node, leaf.route, make(leaf.value))

    return find


def _make_option_finder(where: Callable[[Placed, Leaf], bool]) -> Finder:
    def find(scene: Scene, rng: Random) -> Iterator[Fault]:
        for node in scene.nodes_with_ports:
            for leaf in node.leaves:
                closed = leaf.type == "options" and leaf.options and leaf.name not in _CHOOSING
                if closed and where(node, leaf):
                    yield put_value(
                        node, leaf.route, rng.choice(("nonsuch", "automatic7", "someOther"))
                    )

    return find


def _is_langchain(node: Placed) -> bool:
    return node.tool.package.endswith("langchain")


def change_option_case(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type != "options" or leaf.value not in leaf.options:
                continue
            if isinstance(leaf.value, str) and leaf.value[:1].isalpha():
                value = leaf.value[0].swapcase() + leaf.value[1:]
                if value not in leaf.options:
                    yield put_value(node, leaf.route, value)


def use_unknown_operation(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_choices(scene, "operation"):
        yield put_value(node, leaf.route, rng.choice(("nonsuch", "upsertEverything", "sendNow7")))


def use_operation_of_other_resource(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_choices(scene, "operation"):
        declared = [
            parameter
            for parameter in node.variant["parameters"]
            if parameter["name"] == "operation"
        ]
        values = {choice["value"] for item in declared for choice in item.get("options") or ()}
        others = sorted(str(value) for value in values - set(leaf.options))
        if others:
            yield put_value(node, leaf.route, rng.choice(others))


def use_unknown_resource(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_choices(scene, "resource"):
        yield put_value(node, leaf.route, rng.choice(("nonsuch", "everything", "thing7")))


def _find_choices(scene: Scene, name: str) -> Iterator[tuple[Placed, Leaf]]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.name == name and leaf.type == "options" and leaf.options and not leaf.nested:
                yield node, leaf


def exceed_bounds(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "number"):
        bounds = _settings_of(leaf)
        low, high = bounds.get("minValue"), bounds.get("maxValue")
        beyond = [low - 1] if isinstance(low, int | float) else []
        beyond += [high + 1] if isinstance(high, int | float) else []
        if beyond:
            yield put_value(node, leaf.route, rng.choice(beyond))


def break_date(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "dateTime"):
        yield put_value(
            node, leaf.route, rng.choice(("next blue moon", "the 40th of May", "2024-99-99"))
        )


def break_json(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "json"):
        yield put_value(
            node, leaf.route, rng.choice(('{"key": ', '{"key" "value"}', '{"key": "value"'))
        )


def break_colour(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "color"):
        yield put_value(node, leaf.route, rng.choice(("#12zz45", "#1", "no colour at all")))


def _find_places(scene: Scene, kind: str) -> Iterator[tuple[Placed, Leaf]]:
    """Yields the values of a type that are set, and unset top-level parameters of that type."""
    for node in scene.nodes_with_ports:
        for leaf in (*node.leaves, *node.openings):
            if leaf.type == kind and not _settings_of(leaf).get("multipleValues"):
                yield node, leaf


def use_unknown_mode(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "resourceLocator"):
        if leaf.declared.get("modes"):
            value = leaf.value.get("value") if isinstance(leaf.value, dict) else "abc"
            yield put_value(
                node,
                leaf.route,
                {"__rl": True, "mode": rng.choice(("nowhere", "byName7")), "value": value},
            )


def violate_pattern(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node, leaf in _find_places(scene, "resourceLocator"):
        for mode in leaf.declared.get("modes") or ():
            patterns = [
                item["properties"]["regex"]
                for item in mode.get("validation") or ()
                if item.get("type") == "regex"
            ]
            value = rng.choice(("?? not it ??", "http://", " \\ "))
            if any(_refuses(pattern, value) for pattern in patterns):
                yield put_value(
                    node, leaf.route, {"__rl": True, "mode": mode["name"], "value": value}
                )


def _refuses(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is None
    except re.error:
        return False


def put_text_for_locator(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes_with_ports:
        for leaf in node.leaves:
            if leaf.type == "resourceLocator" and isinstance(leaf.value, dict):
                yield put_value(node, leaf.route, "plain text")


FINDERS: Finders = {
    "object-for-text": _make_finder("string", lambda value: {"value": value}),
    "list-for-text": _make_finder("string", lambda value: [value]),
    "object-for-number": _make_finder("number", lambda value: {"value": value}),
    "text-for-number": _make_finder("number", lambda _: "many"),
    "boolean-for-number": _make_finder("number", lambda _: True),
    "object-for-boolean": _make_finder("boolean", lambda value: {"enabled": value}),
    "text-for-boolean": _make_finder("boolean", lambda _: "maybe"),
    "number-for-boolean": _make_finder("boolean", lambda _: 7),
    "object-for-option": _make_finder("options", lambda value: {"value": value}),
    "option-unknown": _make_option_finder(
        lambda node, leaf: not leaf.nested and not _is_langchain(node) and not node.is_tool_variant
    ),
    "option-unknown-langchain": _make_option_finder(
        lambda node, leaf: not leaf.nested and _is_langchain(node)
    ),
    "option-unknown-tool": _make_option_finder(
        lambda node, leaf: not leaf.nested and node.is_tool_variant and not _is_langchain(node)
    ),
    "option-unknown-nested": _make_option_finder(lambda _, leaf: leaf.nested),
    "option-wrong-case": change_option_case,
    "operation-unknown": use_unknown_operation,
    "operation-of-other": use_operation_of_other_resource,
    "resource-unknown": use_unknown_resource,
    "number-out-of-bounds": exceed_bounds,
    "date-unreadable": break_date,
    "json-broken": break_json,
    "colour-broken": break_colour,
    "locator-mode-unknown": use_unknown_mode,
    "locator-pattern": violate_pattern,
    "locator-plain-text": put_text_for_locator,
}
