"""Injects faults that change what a workflow does, and that the compiler has no reason to reject.

The kinds were fixed before any measurement: another operation, another field, another reference,
another number of items, another branch, and another wire.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Any

from grounded_builder.domains.n8n.parameters.properties import only_dicts
from grounded_builder.domains.n8n.parameters.spec import NodeSpec
from grounded_builder.ir.graph import ResolvedGraph

Json = dict[str, Any]
_FIELD = re.compile(r"\$json\.([A-Za-z_]\w{0,60})")
_REFERENCE = re.compile(r"\$\((['\"])([^'\"]{1,80})\1\)")
_NODES_WITH_BRANCHES = ("n8n-nodes-base.if", "n8n-nodes-base.filter")
_MOST_OPERATIONS = 4


@dataclass(frozen=True)
class Scene:
    """A workflow that was rehearsed: its nodes that ran, their items, and those that sent."""

    document: Json
    resolved: ResolvedGraph
    items: Mapping[str, Sequence[Mapping[str, Any]]]
    senders: Sequence[str]
    names: list[str] = field(default_factory=list)

    def copy(self) -> tuple[Json, dict[str, Json]]:
        """Returns a copy of the workflow, and its nodes by name."""
        document = deepcopy(self.document)
        return document, {node["name"]: node for node in document["nodes"]}

    def sources(self, name: str) -> list[tuple[str, int, int]]:
        """Returns the data edges into a node as source, output and place in the list."""
        return [
            (source, output, place)
            for source, kinds in self.document["connections"].items()
            for output, targets in enumerate(kinds.get("main") or ())
            for place, target in enumerate(targets or ())
            if target["node"] == name
        ]


Inject = Callable[[Scene, Random], Iterator[Json]]


def _operation(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.senders:
        bound = scene.resolved.by_name[name]
        if not isinstance(bound.spec, NodeSpec):
            continue
        for key in ("operation", "resource"):
            shown = [
                prop
                for prop in bound.spec.declarations.root.by_name.get(key, ())
                if prop.is_shown(bound.node.params, bound.node.params)
            ]
            given = bound.node.params.get(key, shown[0].raw.get("default") if shown else None)
            values = [
                entry["value"]
                for prop in shown
                for entry in only_dicts(prop.raw.get("options"))
                if entry.get("value") != given
            ]
            for value in rng.sample(values, min(_MOST_OPERATIONS, len(values))):
                document, nodes = scene.copy()
                nodes[name]["parameters"][key] = value
                yield document


def _fields_before(scene: Scene, name: str) -> list[str]:
    items = [item for source, _, _ in scene.sources(name) for item in scene.items.get(source, ())]
    return sorted({key for item in items for key in (item.get("json") or {}) if key.isidentifier()})


def _rewrite(scene: Scene, name: str, change: Callable[[str], str]) -> Json | None:
    """Returns the workflow with the expressions of a node changed, None if nothing changes."""
    document, nodes = scene.copy()
    before = json.dumps(nodes[name]["parameters"], ensure_ascii=False)
    nodes[name]["parameters"] = _map_texts(nodes[name]["parameters"], change)
    return None if json.dumps(nodes[name]["parameters"], ensure_ascii=False) == before else document


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value) if value.startswith("=") else value
    if isinstance(value, list):
        return [_map_texts(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _map_texts(item, change) for key, item in value.items()}
    return value


def _other_field(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        others = _fields_before(scene, name)
        used = _FIELD.findall(json.dumps(scene.resolved.by_name[name].node.params))
        for old in dict.fromkeys(used):
            choices = [item for item in others if item != old]
            if choices:
                new = rng.choice(choices)
                changed = _rewrite(
                    scene,
                    name,
                    lambda text, old=old, new=new: re.sub(  # type: ignore[misc]
                        rf"\$json\.{old}\b", f"$json.{new}", text
                    ),
                )
                if changed:
                    yield changed


def _list_leaves(value: Any, route: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _list_leaves(item, (*route, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _list_leaves(item, (*route, index))
    elif isinstance(value, str) and value.startswith("=") and "{{" in value:
        yield route


def _holder(value: Any, route: Sequence[Any]) -> Any:
    for step in route[:-1]:
        value = value[step]
    return value


def _swapped_fields(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        leaves = list(_list_leaves(scene.resolved.by_name[name].node.params))
        for first, second in pairwise(leaves):
            document, nodes = scene.copy()
            params = nodes[name]["parameters"]
            a, b = _holder(params, first), _holder(params, second)
            if a[first[-1]] == b[second[-1]]:
                continue
            a[first[-1]], b[second[-1]] = b[second[-1]], a[first[-1]]
            yield document


def _field_left_out(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        for route in _list_leaves(scene.resolved.by_name[name].node.params):
            document, nodes = scene.copy()
            holder = _holder(nodes[name]["parameters"], route)
            if isinstance(holder, dict):
                del holder[route[-1]]
                yield document


def _constant(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        for route in _list_leaves(scene.resolved.by_name[name].node.params):
            document, nodes = scene.copy()
            _holder(nodes[name]["parameters"], route)[route[-1]] = "example"
            yield document


def _other_node(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        text = json.dumps(scene.resolved.by_name[name].node.params, ensure_ascii=False)
        for _, referred in dict.fromkeys(_REFERENCE.findall(text)):
            choices = [other for other in scene.items if other not in (referred, name)]
            if choices:
                new = rng.choice(choices)
                changed = _rewrite(
                    scene,
                    name,
                    lambda text, old=referred, new=new: text.replace(  # type: ignore[misc]
                        f"$('{old}')", f"$('{new}')"
                    ),
                )
                if changed:
                    yield changed


def _json_for_reference(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        changed = _rewrite(
            scene, name, lambda text: re.sub(r"\$\('[^']{1,80}'\)\.item\.json", "$json", text)
        )
        if changed:
            yield changed


def _first_for_item(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        if (
            max(
                (len(scene.items.get(source, ())) for source, _, _ in scene.sources(name)),
                default=0,
            )
            < 2
        ):
            continue
        changed = _rewrite(
            scene, name, lambda text: text.replace("').item.json", "').first().json")
        )
        if changed:
            yield changed


def _insert(scene: Scene, name: str, node: Json) -> Json | None:
    """Returns the workflow with a node before another, at all its data inputs."""
    document, _ = scene.copy()
    sources = scene.sources(name)
    if not sources:
        return None
    document["nodes"].append({**node, "name": "Inserted", "id": "inserted", "position": [0, 0]})
    for source, output, place in sources:
        document["connections"][source]["main"][output][place]["node"] = "Inserted"
    target = {"node": name, "type": "main", "index": 0}
    document["connections"]["Inserted"] = {"main": [[target]]}
    return document


def _only_first_item(scene: Scene, rng: Random) -> Iterator[Json]:
    limit = {"type": "n8n-nodes-base.limit", "typeVersion": 1, "parameters": {"maxItems": 1}}
    for name in scene.senders:
        if sum(len(scene.items.get(source, ())) for source, _, _ in scene.sources(name)) > 1:
            changed = _insert(scene, name, limit)
            if changed:
                yield changed


def _execute_once(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.senders:
        if sum(len(scene.items.get(source, ())) for source, _, _ in scene.sources(name)) > 1:
            document, nodes = scene.copy()
            nodes[name]["executeOnce"] = True
            yield document


def _joined_items(scene: Scene, rng: Random) -> Iterator[Json]:
    aggregate = {
        "type": "n8n-nodes-base.aggregate",
        "typeVersion": 1,
        "parameters": {"aggregate": "aggregateAllItemData"},
    }
    for name in scene.senders:
        changed = _insert(scene, name, aggregate)
        if changed:
            yield changed


def _node_left_out(scene: Scene, rng: Random) -> Iterator[Json]:
    """Connects what stands before a node to what follows it."""
    for name in scene.items:
        targets = (scene.document["connections"].get(name) or {}).get("main") or []
        sources = scene.sources(name)
        if len(targets) != 1 or not targets[0] or not sources:
            continue
        document, nodes = scene.copy()
        del document["connections"][name]
        for source, output, place in sources:
            document["connections"][source]["main"][output][place] = deepcopy(targets[0][0])
        document["nodes"].remove(nodes[name])
        yield document


def _branches_swapped(scene: Scene, rng: Random) -> Iterator[Json]:
    for name in scene.items:
        node = scene.resolved.by_name[name].node
        outputs = (scene.document["connections"].get(name) or {}).get("main") or []
        if node.tool in _NODES_WITH_BRANCHES and outputs:
            document, _ = scene.copy()
            padded = [*outputs, [], []][:2]
            document["connections"][name]["main"] = [deepcopy(padded[1]), deepcopy(padded[0])]
            yield document


KINDS: Mapping[str, tuple[str, Inject]] = {
    "other-operation": ("operation", _operation),
    "other-field": ("field", _other_field),
    "swapped-fields": ("field", _swapped_fields),
    "field-left-out": ("field", _field_left_out),
    "constant": ("field", _constant),
    "other-node": ("reference", _other_node),
    "json-for-reference": ("reference", _json_for_reference),
    "first-for-item": ("reference", _first_for_item),
    "only-first-item": ("items", _only_first_item),
    "execute-once": ("items", _execute_once),
    "joined-items": ("items", _joined_items),
    "branches-swapped": ("wiring", _branches_swapped),
    "node-left-out": ("wiring", _node_left_out),
}
