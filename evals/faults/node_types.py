"""Makes faults in the type or version of a node, to inject into workflows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from random import Random
from typing import Any

from evals.faults.catalog import Tool
from evals.faults.fault import Change, Fault, Place
from evals.faults.finding import Finders
from evals.faults.scene import Placed, Scene


def _set_type(node: Placed, value: str) -> Fault:
    at = (*node.route, "type")
    return Fault((Change("put", at, value),), Place((at,), (node.name,), ("type",)))


def _set_version(node: Placed, value: Any) -> Fault:
    at = (*node.route, "typeVersion")
    return Fault((Change("put", at, value),), Place((at,), (node.name,), ("typeVersion",)))


def _short_name(tool: Tool) -> str:
    return tool.id.rpartition(".")[2]


def change_case(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        package, _, short = node.tool.id.rpartition(".")
        letters = [at for at, letter in enumerate(short) if letter.isalpha()]
        at = rng.choice(letters)
        value = f"{package}.{short[:at]}{short[at].swapcase()}{short[at + 1 :]}"
        if not scene.catalog.has(value):
            yield _set_type(node, value)


def remove_prefix(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        package, _, short = node.tool.id.rpartition(".")
        scope, _, bare = package.rpartition("/")
        package = bare if scope else package.removeprefix("n8n-")
        if not scene.catalog.has(f"{package}.{short}"):
            yield _set_type(node, f"{package}.{short}")


def remove_package(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield _set_type(node, _short_name(node.tool))


def invent_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    words = ("smart", "bulk", "easy", "super", "data", "flow", "hyper", "quick")
    for node in scene.nodes:
        short = f"{rng.choice(words)}{rng.choice(words).title()}{rng.randrange(10, 99)}"
        yield _set_type(node, f"{node.tool.package}.{short}")


def misspell_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        package, _, short = node.tool.id.rpartition(".")
        pairs = [at for at in range(1, len(short) - 1) if short[at] != short[at + 1]]
        if pairs:
            at = rng.choice(pairs)
            value = f"{package}.{short[:at]}{short[at + 1]}{short[at]}{short[at + 2 :]}"
            if not scene.catalog.has(value):
                yield _set_type(node, value)


def append_operation(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        operation = node.params.get("operation")
        if isinstance(operation, str) and operation.isidentifier():
            value = node.tool.id + operation[0].upper() + operation[1:]
            if not scene.catalog.has(value):
                yield _set_type(node, value)


def use_excluded_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    excluded = sorted(scene.catalog.excluded)
    for node in scene.nodes:
        if excluded:
            yield _set_type(node, rng.choice(excluded))


def change_package(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        for package in scene.catalog.packages:
            value = f"{package}.{_short_name(node.tool)}"
            if package != node.tool.package and not scene.catalog.has(value):
                yield _set_type(node, value)


def invent_tool_variant(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        value = f"{node.tool.id}Tool"
        if not node.is_tool_variant and not scene.catalog.has(value):
            yield _set_type(node, value)


def remove_type(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        at = (*node.route, "type")
        place = Place((at,), (node.name,), ("type",), whole_node=True)
        yield Fault((Change("drop", at),), place)


def raise_version(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        newest = max(node.tool.versions)
        yield _set_version(node, rng.choice((newest + 1, round(newest + 0.1, 1), 99)))


def use_missing_version(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        versions = list(node.tool.versions)
        gaps = [round(item + (other - item) / 2, 3) for item, other in pairwise(versions)]
        if gaps:
            yield _set_version(node, rng.choice(gaps))


def put_text_for_version(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield _set_version(node, f"{node.version:g}")


def negate_version(scene: Scene, rng: Random) -> Iterator[Fault]:
    for node in scene.nodes:
        yield _set_version(node, -node.version)


FINDERS: Finders = {
    "type-wrong-case": change_case,
    "type-without-prefix": remove_prefix,
    "type-without-package": remove_package,
    "type-invented": invent_type,
    "type-misspelt": misspell_type,
    "type-operation-glued": append_operation,
    "type-unavailable": use_excluded_type,
    "type-other-package": change_package,
    "type-invented-tool": invent_tool_variant,
    "type-absent": remove_type,
    "version-too-high": raise_version,
    "version-in-gap": use_missing_version,
    "version-text": put_text_for_version,
    "version-negative": negate_version,
}
