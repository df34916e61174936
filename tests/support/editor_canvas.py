"""Finds overlaps in a workflow's layout, with the sizes that n8n's editor draws.

The sizes are those of ``n8n-editor-ui`` as n8n 2.41.1 installs it, files ``dist/assets``:

- ``workflows.store-*.js``, the function of the node size: 96 by 96, 32 higher for each main port
  of a side beyond two; ``80 + 48 * (max(4, inputs) - 1)`` wide with inputs for sub-nodes, 16 more
  for a sub-node that has such inputs itself; sub-nodes are 80 by 80.
- ``useWorkflowDocumentRenderData-*.js``: main ports share their side evenly, inputs for sub-nodes
  are 48 apart from 40 on, required ones first; an edge back by more than 20 goes 40
  to the right, 130 down, back to 40 before its target, and up; every other edge is a Bezier curve;
  an output without an edge has a line of 46, 66 or 80 and a plus of 24.
- The node's description: a sticky note without a size is 240 by 160.
- ``useWorkflowDocumentRenderData-*.css``: a name is 8 below its node, in at most two lines of
  20, in twice the node's width, with a subtitle of 17 and a gap of 4; the label of an output
  starts 20 right of its port and is at most 96 wide; that of an input ends 12 left of it; that of
  an input for sub-nodes starts 24 below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.compiler.resolve_graph import resolve_graph
from grounded_builder.domains.n8n.analysis.ports import MAIN, Port, ports_of
from grounded_builder.domains.n8n.domain import N8N
from grounded_builder.domains.n8n.read.workflow import read

STICKY = "n8n-nodes-base.stickyNote"
# Mean character widths in pixels of the editor's fonts of 16 and 12 pixels.
_NAME_CHAR, _LABEL_CHAR = 9, 7
_SAMPLES = 96
_WEIGHTS = tuple(
    ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    for t in (i / _SAMPLES for i in range(_SAMPLES + 1))
)
"""Those of the start, of both control points and of the end, along a Bezier curve."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Area:
    """The area of one element on the canvas; ``owner`` is its node."""

    owner: str
    kind: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Area) -> bool:
        """Returns whether the interiors of the two areas intersect."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def holds(self, point: Point) -> bool:
        """Returns whether a point is inside the area."""
        return self.left < point[0] < self.right and self.top < point[1] < self.bottom


@dataclass(frozen=True, slots=True)
class Fault:
    """Two elements of the canvas that overlap."""

    kind: str
    first: str
    second: str


def find_faults(document: Mapping[str, Any], registry: Registry) -> list[Fault]:
    """Returns the overlaps on the editor's canvas of a workflow, and the positions off its grid."""
    canvas = _Canvas(document, registry)
    return [*canvas.off_grid(), *canvas.overlaps(), *canvas.list_crossings()]


class _Canvas:
    def __init__(self, document: Mapping[str, Any], registry: Registry) -> None:
        graph = read(document).graph
        assert graph is not None
        resolved = resolve_graph(graph, N8N, registry)[0]
        self._nodes = {node["name"]: node for node in document["nodes"]}
        self._ports = {name: ports_of(resolved.by_name[name]) for name in self._nodes}
        self._edges = [
            (edge.source, edge.source_kind, edge.source_index, edge.target, edge.target_index)
            for edge in graph.edges
        ]
        self._bodies = {name: self._body(name) for name in self._nodes}
        self._words = [area for name in self._nodes for area in self._around(name)]

    def off_grid(self) -> Iterator[Fault]:
        for name, node in self._nodes.items():
            if any(value % 16 for value in node["position"]):
                yield Fault("off the grid", name, str(node["position"]))

    def overlaps(self) -> Iterator[Fault]:
        areas = [*self._bodies.values(), *self._words]
        for area, other in combinations(areas, 2):
            if area.owner != other.owner and area.overlaps(other):
                kinds = sorted((area.kind, other.kind))
                yield Fault(" on ".join(kinds), area.owner, other.owner)

    def list_crossings(self) -> Iterator[Fault]:
        for edge in self._edges:
            way = list(self._way(*edge))
            reach = Area(
                "",
                "edge",
                min(x for x, _ in way) - 1,
                min(y for _, y in way) - 1,
                max(x for x, _ in way) + 1,
                max(y for _, y in way) + 1,
            )
            for area in (*self._bodies.values(), *self._words):
                if area.kind == "plus" or area.owner in (edge[0], edge[3]):
                    continue
                if reach.overlaps(area) and any(area.holds(point) for point in way):
                    yield Fault(f"edge through {area.kind}", f"{edge[0]} -> {edge[3]}", area.owner)

    def _body(self, name: str) -> Area:
        node = self._nodes[name]
        x, y = node["position"]
        if node["type"] == STICKY:
            given = node["parameters"]
            right, bottom = x + given.get("width", 240), y + given.get("height", 160)
            return Area(name, "note", x, y, right, bottom)
        ports = self._ports[name]
        below, above = _others(ports.inputs), _others(ports.outputs)
        tall = 96 + 32 * max(0, max(len(_main(ports.inputs)), len(_main(ports.outputs)), 1) - 2)
        if below:
            wide = 80 + 16 * ((1 if above else 0) + (max(4, len(below)) - 1) * 3)
            tall = 80 if above else tall
        else:
            wide, tall = (80, 80) if above else (96, tall)
        return Area(name, "node", x, y, x + wide, y + tall)

    def _around(self, name: str) -> Iterator[Area]:
        """Yields the labels and free ports that the editor draws outside of a node."""
        if self._nodes[name]["type"] == STICKY:
            return
        ports, body = self._ports[name], self._bodies[name]
        wide = body.right - body.left
        if not _others(ports.inputs):
            middle, text = body.left + wide / 2, len(name) * _NAME_CHAR
            half, lines = wide, 1 if text <= 2 * wide else 2
            top = body.bottom + 8
            bottom = top + lines * 20 + 4 + 17
            yield Area(name, "name", middle - half, top, middle + half, bottom)
        outputs = _main(ports.outputs)
        longest = max((len(port.name) for port in outputs), default=0)
        for index, port in enumerate(outputs):
            x, y = self._port_at(name, "outputs", MAIN, index)
            linked = any(edge[:3] == (name, MAIN, index) for edge in self._edges)
            text = min(96, len(port.name) * _LABEL_CHAR)
            if port.name:
                yield Area(name, "label", x + 20, y - 8, x + 20 + text, y + 8)
            if not linked:
                line = 46 if not longest else 66 if longest <= 6 else 80
                yield Area(name, "plus", x + 8, y - 12, x + 8 + line + 24, y + 12)
        for index, port in enumerate(_main(ports.inputs)):
            x, y = self._port_at(name, "inputs", MAIN, index)
            text = len(port.name) * _LABEL_CHAR
            if text:
                yield Area(name, "label", x - 12 - text, y - 8, x - 12, y + 8)
        for port, x in _spread(body, _others(ports.inputs)):
            half = len(port.name) * _LABEL_CHAR / 2
            if half:
                yield Area(name, "label", x - half, body.bottom + 16, x + half, body.bottom + 32)

    def _port_at(self, name: str, side: str, kind: str, index: int) -> Point:
        body = self._bodies[name]
        sides = getattr(self._ports[name], side)
        if kind != MAIN:
            if side == "outputs":
                return ((body.left + body.right) / 2, body.top)
            lower = [(port, x) for port, x in _spread(body, _others(sides)) if port.kind == kind]
            return (lower[min(index, len(lower) - 1)][1], body.bottom)
        count = max(len(_main(sides)), index + 1)
        y = body.top + (body.bottom - body.top) * (index + 1) / (count + 1)
        return (body.right if side == "outputs" else body.left, y)

    def _way(self, source: str, kind: str, output: int, target: str, index: int) -> Iterator[Point]:
        """Yields closely spaced points along an edge."""
        start = self._port_at(source, "outputs", kind, output)
        end = self._port_at(target, "inputs", kind, index)
        if kind != MAIN:
            yield from _curve(start, end, upright=True)
        elif start[0] - 20 > end[0]:
            low = start[1] + 130
            corners = [start, (start[0] + 40, start[1]), (start[0] + 40, low)]
            corners += [(end[0] - 40, low), (end[0] - 40, end[1]), end]
            for (ax, ay), (bx, by) in pairwise(corners):
                steps = max(2, int(abs(bx - ax) + abs(by - ay)) // 8)
                for i in range(steps + 1):
                    yield (ax + (bx - ax) * i / steps, ay + (by - ay) * i / steps)
        else:
            yield from _curve(start, end, upright=False)


def _curve(start: Point, end: Point, *, upright: bool) -> Iterator[Point]:
    """Yields points of the Bezier curve of Vue Flow, with its control points."""
    (ax, ay), (bx, by) = start, end
    if upright:
        reach = _reach(ay - by)
        controls = ((ax, ay - reach), (bx, by + reach))
    else:
        reach = _reach(bx - ax)
        controls = ((ax + reach, ay), (bx - reach, by))
    (cx, cy), (dx, dy) = controls
    for a, c, d, b in _WEIGHTS:
        yield a * ax + c * cx + d * dx + b * bx, a * ay + c * cy + d * dy + b * by


def _reach(distance: float) -> float:
    return 0.5 * distance if distance >= 0 else 0.25 * 25 * (-distance) ** 0.5


def _spread(body: Area, ports: list[Port]) -> Iterator[tuple[Port, float]]:
    """Yields the inputs for sub-nodes with their x: required ones left, others right."""
    required = sum(port.required for port in ports)
    gap = max(0, 4 - len(ports))
    for index, port in enumerate(ports):
        slot = index + (gap if index >= required else 0)
        yield port, body.left + 40 + 48 * slot


def _main(side: Any) -> list[Port]:
    return list((side or {}).get(MAIN, ()))


def _others(side: Any) -> list[Port]:
    return [port for kind, ports in (side or {}).items() if kind != MAIN for port in ports]
