"""What lies in a diagram where lines are led: blocks, names, and the lines that are led already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

Rectangle = tuple[float, float, float, float]
Segment = tuple[float, float, float, float]
Kind = Literal["block", "name", "line"]

_CELL = 256


@dataclass(frozen=True, slots=True)
class Thing:
    """A rectangle, or a part of a line of the ``net``, as left, top, right, bottom in pixels."""

    left: float
    top: float
    right: float
    bottom: float
    kind: Kind
    net: int = -1

    @property
    def rectangle(self) -> Rectangle:
        """Its sides."""
        return (self.left, self.top, self.right, self.bottom)


@dataclass(slots=True)
class Field:
    """All things of a diagram by the squares that they reach into."""

    things: list[Thing] = field(default_factory=list)
    _cells: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    _lines: dict[int, list[int]] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)

    def put(self, rectangle: Rectangle, kind: Kind, net: int = -1) -> None:
        """Add a thing."""
        number = len(self.things)
        self.things.append(Thing(*rectangle, kind, net))
        for cell in _reached(rectangle):
            self._cells.setdefault(cell, []).append(number)
        if kind == "line":
            self._lines.setdefault(net, []).append(number)

    def lead(self, net: int, segments: Iterable[Segment]) -> None:
        """Add parts of a line, each level or upright."""
        for x1, y1, x2, y2 in segments:
            self.put((min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)), "line", net)

    def lift(self, net: int) -> None:
        """Take every part of a net out."""
        self._gone.update(self._lines.pop(net, ()))

    def near(self, rectangle: Rectangle) -> list[Thing]:
        """The things that touch a rectangle, in the order in which they came."""
        left, top, right, bottom = rectangle
        numbers = {one for cell in _reached(rectangle) for one in self._cells.get(cell, ())}
        found = []
        for number in sorted(numbers - self._gone if self._gone else numbers):
            one = self.things[number]
            if one.left <= right and one.right >= left and one.top <= bottom and one.bottom >= top:
                found.append(one)
        return found


def _reached(rectangle: Rectangle) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = rectangle
    for column in range(int(left // _CELL), int(right // _CELL) + 1):
        for row in range(int(top // _CELL), int(bottom // _CELL) + 1):
            yield column, row
