"""Indexes the obstacles for routes in a diagram: blocks, names and routed lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

Rectangle = tuple[float, float, float, float]
Segment = tuple[float, float, float, float]
Kind = Literal["block", "name", "line"]

_CELL, _MOST = 256, 4_096


@dataclass(frozen=True, slots=True)
class Thing:
    """An obstacle: a rectangle, or a segment of a line of the ``signal``, in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    kind: Kind
    signal: int = -1

    @property
    def rectangle(self) -> Rectangle:
        """Returns its sides: left, top, right, bottom."""
        return (self.left, self.top, self.right, self.bottom)


@dataclass(slots=True)
class Field:
    """All obstacles of a diagram, indexed by grid squares; very large ones are not indexed."""

    things: list[Thing] = field(default_factory=list)
    seen: int = 0
    _cells: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    _vast: list[int] = field(default_factory=list)
    _lines: dict[int, list[int]] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)

    def put(self, rectangle: Rectangle, kind: Kind, signal: int = -1) -> int:
        """Adds an obstacle and returns its number."""
        number = len(self.things)
        self.things.append(Thing(*rectangle, kind, signal))
        cells = _covered_squares(rectangle)
        if cells is None:
            self._vast.append(number)
        for cell in cells or ():
            self._cells.setdefault(cell, []).append(number)
        return number

    def lead(self, net: int, signal: int, segments: Iterable[Segment]) -> None:
        """Adds horizontal and vertical segments of a line."""
        for x1, y1, x2, y2 in segments:
            sides = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
            self._lines.setdefault(net, []).append(self.put(sides, "line", signal))

    def lift(self, net: int) -> None:
        """Removes all segments of a net."""
        self._gone.update(self._lines.pop(net, ()))

    def near(self, rectangle: Rectangle) -> list[Thing]:
        """Returns the obstacles that touch a rectangle, in the order in which they were added."""
        left, top, right, bottom = rectangle
        cells = _covered_squares(rectangle)
        numbers = set(range(len(self.things)) if cells is None else self._vast)
        numbers.update(item for cell in cells or () for item in self._cells.get(cell, ()))
        self.seen += len(numbers)
        return [
            thing
            for thing in map(self.things.__getitem__, sorted(numbers - self._gone))
            if thing.left <= right
            and thing.right >= left
            and thing.top <= bottom
            and thing.bottom >= top
        ]


def _covered_squares(rectangle: Rectangle) -> list[tuple[int, int]] | None:
    """Returns the squares that a rectangle covers; None where they are too many."""
    left, top, right, bottom = (int(side // _CELL) for side in rectangle)
    if (right - left + 1) * (bottom - top + 1) > _MOST:
        return None
    return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]
