"""Defines the state of a line being routed: ports, routes, nearest segments, possible forks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from grounded_builder.domains.simulink.draw.geometry import Point
from grounded_builder.domains.simulink.draw.routing.grid_search import (
    BLOCK,
    LEVEL,
    UPRIGHT,
    Lattice,
    Place,
)
from grounded_builder.domains.simulink.draw.routing.obstacles import Segment

_STUB, _FORK, _AHEAD = 15.0, 10.0, 10.0
# The segments of a line at which it may fork: the nearest of the first and of the latest ones.
_PARTS, _FIRST, _LATEST = 12, 20, 100


@dataclass(frozen=True, slots=True)
class Gate:
    """A port as the end of a route: its position, and the step outwards."""

    at: Point
    away: Point

    @property
    def stub(self) -> Point:
        """Returns the point at which a line first turns, or turns last."""
        return (self.at[0] + self.away[0] * _STUB, self.at[1] + self.away[1] * _STUB)

    @property
    def axis(self) -> int:
        """Returns the direction of the port."""
        return LEVEL if self.away[0] else UPRIGHT


@dataclass(slots=True)
class Net:
    """A line: its start, its targets, and the routes found so far, by target.

    Lines that share a port, as physical ones may, have one ``signal``.
    """

    number: int
    signal: int
    start: Gate
    targets: list[Gate]
    ways: dict[int, list[Point]] = field(default_factory=dict)

    def segments(self) -> Iterator[Segment]:
        """Yields all segments of its routes."""
        for way in self.ways.values():
            for (x1, y1), (x2, y2) in pairwise(way):
                yield (x1, y1, x2, y2)


def distance(net: Net, target: Gate) -> float:
    """Returns the priority of a target in the order of routing; targets behind the start are last.

    Of lines over the same columns those with the larger vertical distance get the outer tracks.
    """
    (x1, y1), (x2, y2) = net.start.stub, target.stub
    if x2 >= x1:
        return x2 - x1 - abs(y1 - y2) / 100
    return BLOCK + x1 - x2 + abs(y1 - y2)


def nearest(net: Net, to: Point) -> list[Segment]:
    """Returns the segments of a line that are nearest to a point."""
    x, y = to
    tree = list(net.segments())
    if len(tree) > _FIRST + _LATEST:
        tree = tree[:_FIRST] + tree[-_LATEST:]

    def distance(segment: Segment) -> float:
        x1, y1, x2, y2 = segment
        left, right, top, bottom = min(x1, x2), max(x1, x2), min(y1, y2), max(y1, y2)
        return max(left - x, x - right, 0.0) + max(top - y, y - bottom, 0.0)

    return sorted(tree, key=distance)[:_PARTS] if len(tree) > _PARTS else tree


def forks(net: Net, tree: list[Segment], lattice: Lattice) -> list[tuple[Place, int, float]]:
    """Returns the places at which a line may fork: on its segments, not directly before a port."""
    ends = {net.start.at, *(net.targets[index].at for index in net.ways)}
    entries: set[Place] = set()
    for x1, y1, x2, y2 in tree:
        closed = [at for at in ((x1, y1), (x2, y2)) if at in ends]
        columns = [
            number for number, x in enumerate(lattice.columns) if min(x1, x2) <= x <= max(x1, x2)
        ]
        for row, y in enumerate(lattice.rows):
            if not min(y1, y2) <= y <= max(y1, y2):
                continue
            for column in columns:
                x = lattice.columns[column]
                if all(abs(x - at[0]) + abs(y - at[1]) >= _AHEAD for at in closed):
                    entries.add((column, row))
    return [(place, -1, _FORK) for place in sorted(entries)]


def without_stops(way: list[Point]) -> list[Point]:
    """Returns a route without points at which it neither begins, turns nor ends."""
    results: list[Point] = []
    for at in way:
        if results and at == results[-1]:
            continue
        if len(results) > 1:
            (x0, y0), (x1, y1) = results[-2], results[-1]
            if (x0 == x1 == at[0]) or (y0 == y1 == at[1]):
                results[-1] = at
                continue
        results.append(at)
    return results
