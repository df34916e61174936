"""Converts a resolved graph to the view that checks read: diagrams, blocks, lines as nets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.simulink.catalog.compile_tool import BlockSpec
from grounded_builder.domains.simulink.read.document import block_path, ends, systems
from grounded_builder.ir.graph import ResolvedGraph

# Insides with rules of their own: charts, and contents that another file defines.
_CLOSED = frozenset({"chart", "function", "link", "protected", "s-function"})


@dataclass(slots=True, eq=False)
class BlockView:
    """A block in its diagram.

    ``name`` is its path in the model, ``type`` its BlockType, ``inner`` the diagram inside it.
    ``active`` is false for blocks that take no part in simulations, ``given`` are the parameters
    that the file writes at the block, and ``counted`` caches the counts of its ports.
    """

    block: Mapping[str, Any]
    at: Route
    name: str
    spec: BlockSpec | None
    diagram: Diagram
    defaults: Mapping[str, str]
    active: bool
    type: str
    given: Mapping[str, str]
    inner: Diagram | None = None
    counted: Mapping[str, int] | None = None
    is_counted: bool = False

    @property
    def opaque(self) -> str | None:
        """Returns the reason why its inside is not read; None where it is read."""
        reason: str | None = self.block.get("opaque")
        return reason

    def value(self, name: str, otherwise: str | None = None) -> str | None:
        """Returns a parameter of the block.

        The value of the block comes first, then the default of the file for the BlockType, then the
        built-in default.
        """
        if name in self.given:
            return self.given[name]
        if name in self.defaults:
            return self.defaults[name]
        known = self.spec.value(name, {}) if self.spec is not None else None
        return known if known is not None else otherwise

    def lies_in(self, diagram: Diagram) -> bool:
        """Returns whether the block is in a diagram or in one below it."""
        return self.diagram is diagram or any(item is diagram for item in self.diagram.outer())

    def parameters(self) -> Mapping[str, str]:
        """Returns all parameters that the file states for the block."""
        return {**self.defaults, **self.given} if self.defaults else self.given


@dataclass(frozen=True, slots=True)
class Arrival:
    """An end of a line: the end as written, and its block where there is one."""

    at: Route
    end: Mapping[str, Any] | None
    item: BlockView | None


@dataclass(slots=True, eq=False)
class Net:
    """A line: where it begins and where it ends."""

    at: Route
    line: Mapping[str, Any]
    start: Mapping[str, Any] | None
    source: BlockView | None
    arrivals: tuple[Arrival, ...]
    physical: bool

    def ends(self) -> Iterator[tuple[Route, Mapping[str, Any], BlockView | None]]:
        """Yields every end that names a port, including the first."""
        if self.start is not None:
            yield (*self.at, "from"), self.start, self.source
        for arrival in self.arrivals:
            if arrival.end is not None:
                yield arrival.at, arrival.end, arrival.item


@dataclass(slots=True, eq=False)
class Diagram:
    """A diagram of the model.

    ``judged`` is true where its lines follow the rules of plain diagrams, ``library`` where the
    file is a library.
    """

    at: Route
    path: tuple[str, ...]
    owner: BlockView | None
    judged: bool
    library: bool
    items: list[BlockView] = field(default_factory=list)
    nets: list[Net] = field(default_factory=list)
    by_sid: dict[str, BlockView] = field(default_factory=dict)
    by_type: dict[str, list[BlockView]] = field(default_factory=dict)

    def of(self, *types: str) -> list[BlockView]:
        """Returns its blocks of these BlockTypes."""
        return [item for kind in types for item in self.by_type.get(kind, ())]

    @property
    def is_shelf(self) -> bool:
        """Returns whether it holds the unconnected blocks of a library, which users copy."""
        return self.library and (self.owner is None or not self.nets)

    def outer(self) -> Iterator[Diagram]:
        """Yields the diagrams around it, the nearest first."""
        here = self.owner
        while here is not None:
            yield here.diagram
            here = here.diagram.owner


@dataclass(frozen=True, slots=True)
class ModelView:
    """A whole model; ``whole`` is true where nothing outside the file can supply what it lacks."""

    model: Mapping[str, Any]
    diagrams: tuple[Diagram, ...]
    whole: bool

    def items(self) -> Iterator[BlockView]:
        """Yields every block, diagram by diagram."""
        for diagram in self.diagrams:
            yield from diagram.items

    def checked_diagrams(self) -> Iterator[Diagram]:
        """Yields the diagrams that are checked."""
        return (diagram for diagram in self.diagrams if diagram.judged)


def build_view(resolved: ResolvedGraph) -> ModelView:
    """Returns the view of a resolved graph."""
    model = resolved.graph.document
    specs = {bound.node.at: bound.spec for bound in resolved.nodes}
    stated: Mapping[str, Mapping[str, str]] = model.get("defaults", {})
    by_route: dict[Route, BlockView] = {}
    diagrams = []
    kind = model.get("kind", "model")
    for route, path, system in systems(model):
        owner = by_route.get(route[:-1])
        diagram = Diagram(route, path, owner, _is_judged(owner), kind == "library")
        if owner is not None:
            owner.inner = diagram
        for index, block in enumerate(system["blocks"]):
            at = (*route, "blocks", index)
            spec = specs.get(at)
            item = BlockView(
                block=block,
                at=at,
                name=block_path((*path, block["name"])),
                spec=spec if isinstance(spec, BlockSpec) else None,
                diagram=diagram,
                defaults=stated.get(block["type"], {}),
                active=block.get("properties", {}).get("Commented", "off") == "off"
                and (owner is None or owner.active),
                type=block["type"],
                given=block.get("parameters", {}),
            )
            diagram.items.append(item)
            diagram.by_type.setdefault(block["type"], []).append(item)
            diagram.by_sid.setdefault(block["sid"], item)
            if block.get("system") is not None:
                by_route[at] = item
        diagram.nets = [
            _build_net(line, (*route, "lines", index), diagram)
            for index, line in enumerate(system["lines"])
        ]
        diagrams.append(diagram)
    return ModelView(model, tuple(diagrams), kind == "model")


def _is_judged(owner: BlockView | None) -> bool:
    """Returns whether a block contains a plain diagram that takes part in simulations."""
    if owner is None:
        return True
    if not owner.diagram.judged or not owner.active or owner.opaque in _CLOSED:
        return False
    return owner.value("Variant") != "on" and owner.value("TemplateBlock") in (None, "")


def _build_net(line: Mapping[str, Any], at: Route, diagram: Diagram) -> Net:
    start = line.get("from")
    arrivals = tuple(
        Arrival(route, end, diagram.by_sid.get(end["block"]) if end is not None else None)
        for route, end in ends(line, at)
    )
    return Net(
        at=at,
        line=line,
        start=start,
        source=diagram.by_sid.get(start["block"]) if start is not None else None,
        arrivals=arrivals,
        physical=bool(line.get("physical")),
    )
