"""Computes positions of new nodes: near related nodes, without overlap, moving no other node."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.n8n.analysis.ports import UNKNOWN
from grounded_builder.domains.n8n.api_schema import is_position
from grounded_builder.domains.n8n.check.flow.triggers import NOTE
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.lower.node_shapes import NODE, NodeShape, Rect, shape_of

ROW, SUB_COLUMN, SUB_ROW = 192, 176, 224
_BESIDE = 128
_MOST_TRIED = 400

Place = tuple[int, int]


def after(canvas: Canvas, name: str) -> Place:
    """Returns the position to the right of a node."""
    x, y = _place(canvas, name)
    return _free(canvas, (x + _width(canvas, name) + _BESIDE, y), (0, ROW))


def before(canvas: Canvas, name: str) -> Place:
    """Returns the position to the left of a node."""
    x, y = _place(canvas, name)
    return _free(canvas, (x - NODE - _BESIDE, y), (0, ROW))


def between(canvas: Canvas, text: str, other: str) -> Place:
    """Returns the position in the middle of two nodes, or below where there is no room."""
    (x1, y1), (x2, y2) = _place(canvas, text), _place(canvas, other)
    return _free(canvas, ((x1 + x2) // 2, (y1 + y2) // 2), (0, ROW))


def below(canvas: Canvas, name: str) -> Place:
    """Returns the position under a node that is served."""
    x, y = _place(canvas, name)
    return _free(canvas, (x, y + SUB_ROW), (SUB_COLUMN, 0))


def apart(canvas: Canvas) -> Place:
    """Returns the position under all nodes, at the left."""
    places = [place for _, place in _places(canvas)]
    if not places:
        return (0, 0)
    return (min(x for x, _ in places), max(y for _, y in places) + ROW)


def _free(canvas: Canvas, wanted: Place, step: Place) -> Place:
    """Returns the first place from the wanted one on where a node covers no other and its name."""
    taken = [
        area.move_by(*_place(canvas, node.name))
        for node in canvas.graph.nodes
        if node.tool != NOTE and is_position(node.source.get("position"))
        for area in _shape(canvas, node.name).areas()
    ]
    own = shape_of(UNKNOWN, 0, frozenset(), serves=False).areas()
    for tries in range(_MOST_TRIED):
        x, y = wanted[0] + tries * step[0], wanted[1] + tries * step[1]
        if not any(_overlap(area.move_by(x, y), other) for area in own for other in taken):
            return (x, y)
    return wanted


def _overlap(area: Rect, other: Rect) -> bool:
    return (
        area.left < other.right
        and other.left < area.right
        and area.top < other.bottom
        and other.top < area.bottom
    )


def _shape(canvas: Canvas, name: str) -> NodeShape:
    return shape_of(canvas.ports(name), 0, frozenset(), serves=False)


def _width(canvas: Canvas, name: str) -> int:
    return _shape(canvas, name).width


def _place(canvas: Canvas, name: str) -> Place:
    position = canvas.resolved_node(name).node.source.get("position")
    return _whole(position) if is_position(position) else (0, 0)


def _places(canvas: Canvas) -> list[tuple[str | None, Place]]:
    positions = ((node.tool, node.source.get("position")) for node in canvas.graph.nodes)
    return [(tool, _whole(position)) for tool, position in positions if is_position(position)]


def _whole(position: Any) -> Place:
    return (round(position[0]), round(position[1]))
