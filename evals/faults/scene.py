"""Reads a real workflow for the injector: nodes with their types, values, ports and edges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evals.faults.catalog import Catalog, Json, Level, Tool, Unsure
from evals.faults.fault import Route

MAIN = "main"


@dataclass(frozen=True)
class Leaf:
    """A value that is set and certainly shown, with its declaration."""

    route: Route
    declared: Json
    value: Any
    level: Level
    nested: bool
    in_collection: bool

    @property
    def name(self) -> str:
        return str(self.declared["name"])

    @property
    def type(self) -> str:
        return str(self.declared["type"])

    @property
    def is_expression(self) -> bool:
        return isinstance(self.value, str) and self.value.startswith("=")

    @property
    def options(self) -> tuple[Any, ...]:
        """Returns the values of a closed list; empty if the list is dynamic or open."""
        settings = self.declared.get("typeOptions") or {}
        if any(key.startswith("loadOptions") for key in settings) or self.declared.get(
            "allowArbitraryValues"
        ):
            return ()
        return tuple(
            option["value"] for option in self.declared.get("options") or () if "value" in option
        )


@dataclass(frozen=True)
class Placed:
    """An enabled node of a known type at a known version."""

    name: str
    index: int
    raw: Json
    tool: Tool
    version: float

    @property
    def route(self) -> Route:
        return ("nodes", self.index)

    @property
    def variant(self) -> Json:
        return self.tool.versions[self.version]

    @property
    def traits(self) -> Mapping[str, Any]:
        return self.variant.get("traits") or {}

    @property
    def starts(self) -> bool:
        return bool(self.traits.get("trigger") or self.traits.get("polling"))

    @property
    def is_tool_variant(self) -> bool:
        return self.tool.id.endswith("Tool")

    @cached_property
    def params(self) -> Json:
        given = self.raw.get("parameters")
        return given if isinstance(given, dict) else {}

    @cached_property
    def root(self) -> Level:
        return Level(self.variant["parameters"], self.params, self.version)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Returns every value that is certainly shown, containers before their contents."""
        return tuple(_read_leaves(self.root, (*self.route, "parameters"), self.root, False, False))

    @cached_property
    def openings(self) -> tuple[Leaf, ...]:
        """Returns the top-level parameters that are shown and not set."""
        at = (*self.route, "parameters")
        return tuple(
            Leaf((*at, name), declared, None, self.root, False, False)
            for name in dict.fromkeys(str(item["name"]) for item in self.root.declared)
            if name not in self.params and (declared := self.root.property_of(name)) is not None
        )

    def ports(self, side: str) -> list[Json] | None:
        """Returns the inputs or outputs, or None if they depend on values that no table lists."""
        given = self.variant[side]
        if isinstance(given, list):
            return given
        try:
            values = {key: self._read(key) for key in given["reads"]}
        except (Unsure, KeyError):
            return None
        rows = [row["ports"] for row in given.get("table") or () if row["when"] == values]
        return rows[0] if len(rows) == 1 else None

    def _read(self, key: str) -> Any:
        if "." in key:
            raise Unsure
        if self.root.is_certainly_hidden(key):
            return None
        declared = self.root.property_of(key)
        if declared is None:
            raise Unsure
        value = self.params.get(key, declared.get("default"))
        if isinstance(value, str) and value.startswith("="):
            raise Unsure
        return value


@dataclass(frozen=True)
class Wire:
    """One edge, and the route of its entry."""

    source: str
    kind: str
    output: int
    target: str
    input: int
    at: Route


@dataclass(frozen=True)
class Scene:
    """A workflow whose nodes are objects with unique names."""

    document: Json
    catalog: Catalog
    nodes: tuple[Placed, ...]
    wires: tuple[Wire, ...]

    @cached_property
    def by_name(self) -> dict[str, Placed]:
        return {node.name: node for node in self.nodes}

    @cached_property
    def nodes_with_ports(self) -> tuple[Placed, ...]:
        """Returns the nodes with ports, which excludes sticky notes."""
        return tuple(
            node for node in self.nodes if node.variant["inputs"] or node.variant["outputs"]
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Returns the names of all nodes in document order, of unknown types too."""
        return tuple(str(node["name"]) for node in self.document["nodes"])

    @cached_property
    def all_known(self) -> bool:
        """Checks whether every enabled node has a known type and version."""
        enabled = [node for node in self.document["nodes"] if node.get("disabled") is not True]
        return len(enabled) == len(self.nodes)

    @cached_property
    def after(self) -> dict[str, tuple[str, ...]]:
        """Returns the targets of the main edges of each node."""
        leading: dict[str, list[str]] = {}
        for wire in self.wires:
            if wire.kind == MAIN:
                leading.setdefault(wire.source, []).append(wire.target)
        return {name: tuple(targets) for name, targets in leading.items()}

    def find_reached(self, start: str, without: str | None = None) -> set[str]:
        """Returns every node reachable over main edges, without paths through ``without``."""
        seen: set[str] = set()
        stack = [start]
        while stack:
            for target in self.after.get(stack.pop(), ()):
                if target not in seen and target != without:
                    seen.add(target)
                    stack.append(target)
        return seen

    def wires_of(self, *, source: str | None = None, target: str | None = None) -> list[Wire]:
        return [
            wire
            for wire in self.wires
            if source in (None, wire.source) and target in (None, wire.target)
        ]


def read_scene(document: Any, catalog: Catalog) -> Scene | None:
    """Returns the scene of a workflow, or None if its nodes or edges are malformed."""
    if not isinstance(document, dict) or not isinstance(document.get("nodes"), list):
        return None
    raw = document["nodes"]
    names = [item.get("name") if isinstance(item, dict) else None for item in raw]
    if not all(isinstance(name, str) and name for name in names) or len(set(names)) != len(names):
        return None
    try:
        wires = tuple(_read_wires(document.get("connections", {})))
    except (AttributeError, KeyError, TypeError):
        return None
    if any(wire.source not in names or wire.target not in names for wire in wires):
        return None
    placed = (_place_node(index, item, catalog) for index, item in enumerate(raw))
    return Scene(document, catalog, tuple(item for item in placed if item is not None), wires)


def _place_node(index: int, raw: Json, catalog: Catalog) -> Placed | None:
    tool = catalog.tools.get(str(raw.get("type")))
    version = raw.get("typeVersion")
    known = isinstance(version, int | float) and not isinstance(version, bool)
    if tool is None or not known or version not in tool.versions or raw.get("disabled") is True:
        return None
    return Placed(raw["name"], index, raw, tool, version)


def _read_wires(connections: Json) -> Iterator[Wire]:
    for source, kinds in connections.items():
        for kind, outputs in kinds.items():
            for output, targets in enumerate(outputs):
                for position, target in enumerate(targets or ()):
                    at = ("connections", source, kind, output, position)
                    if target["type"] != kind:
                        raise KeyError(kind)
                    yield Wire(source, kind, output, target["node"], target["index"], at)


def _read_leaves(
    level: Level, at: Route, root: Level, nested: bool, in_collection: bool
) -> Iterator[Leaf]:
    for name, value in level.given.items():
        declared = level.property_of(name)
        if declared is None:
            continue
        here = (*at, name)
        yield Leaf(here, declared, value, level, nested, in_collection)
        if not isinstance(value, dict):
            continue
        if declared["type"] == "collection":
            options = [option for option in declared.get("options") or () if "type" in option]
            inner = Level(options, value, level.version, root, with_defaults=False)
            yield from _read_leaves(inner, here, root, True, True)
        elif declared["type"] == "fixedCollection":
            for group, entry, entry_at in _read_entries(declared, value, here):
                inner = Level(group["values"], entry, level.version, root)
                yield from _read_leaves(inner, entry_at, root, True, in_collection)


def _read_entries(declared: Json, value: Json, at: Route) -> Iterator[tuple[Json, Json, Route]]:
    """Yields the objects in the groups of a fixed collection, with group and route."""
    groups: Iterable[Json] = declared.get("options") or ()
    several = bool((declared.get("typeOptions") or {}).get("multipleValues"))
    for group in groups:
        held = value.get(group["name"])
        if several and isinstance(held, list):
            for index, entry in enumerate(held):
                if isinstance(entry, dict):
                    yield group, entry, (*at, group["name"], index)
        elif not several and isinstance(held, dict):
            yield group, held, (*at, group["name"])
