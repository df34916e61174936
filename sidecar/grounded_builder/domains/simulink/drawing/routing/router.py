"""Lead the lines of one diagram, nearest first, and lead those anew that came to lie badly."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from grounded_builder.domains.simulink.drawing.geometry import Point
from grounded_builder.domains.simulink.drawing.routing.field import Field, Segment, Thing
from grounded_builder.domains.simulink.drawing.routing.lattice import (
    BEND,
    BLOCK,
    LEVEL,
    LYING,
    UPRIGHT,
    Lattice,
    segment_cost,
)

_STUB, _TRACK, _TRACKS = 15.0, 10.0, 6
# A line that leads back goes below what it passes, unless that is so much farther.
_FORK, _ABOVE = 10.0, 90.0
# Blocks around which a way is sought, at first and as often as more are met.
_NEAR, _ROUNDS = 12, 5
# Lines of a diagram that are led anew, and places that are looked at for all of them.
_AGAIN, _LOOKS, _LEAST, _MOST = 250, 600_000, 150, 4_000


@dataclass(frozen=True, slots=True)
class Gate:
    """A port as a line meets it: where it is, and the step outwards, level or upright."""

    at: Point
    away: Point

    @property
    def stub(self) -> Point:
        """Where a line first turns, or turns last."""
        return (self.at[0] + self.away[0] * _STUB, self.at[1] + self.away[1] * _STUB)

    @property
    def axis(self) -> int:
        """The way the port looks."""
        return LEVEL if self.away[0] else UPRIGHT


@dataclass(slots=True)
class Net:
    """A signal: the port it leaves, those it reaches, and the parts led so far by its targets."""

    number: int
    start: Gate
    targets: list[Gate]
    ways: dict[int, list[Point]] = field(default_factory=dict)

    def segments(self) -> Iterator[Segment]:
        """Every part of its ways."""
        for way in self.ways.values():
            for (x1, y1), (x2, y2) in pairwise(way):
                yield (x1, y1, x2, y2)


class Router:
    """The lines of a diagram in the making."""

    def __init__(self, field_: Field, nets: list[Net]) -> None:
        self._field = field_
        self._nets = nets
        count = sum(len(net.targets) for net in nets)
        self._most = max(min(_LOOKS // max(count, 1), _MOST), _LEAST)
        self._again = 2 if count <= _AGAIN else 0

    def lead(self) -> None:
        """Find the ways of all nets."""
        for net in self._nets:
            self._straight(net)
        rest = [
            (_far(net, target), net.number, index)
            for net in self._nets
            for index, target in enumerate(net.targets)
            if index not in net.ways
        ]
        at = {net.number: net for net in self._nets}
        for _, number, index in sorted(rest):
            self._connect(at[number], index)
        for _ in range(self._again):
            better = [self._better(net) for net in self._nets]
            if not any(better):
                break

    def _better(self, net: Net) -> bool:
        """Whether a net that lies badly lies better when it is led once more."""
        before, ways = self._badness(net), net.ways
        if before <= 0:
            return False
        self._field.lift(net.number)
        whole = self._cost(net)
        net.ways = {}
        self._straight(net)
        for _, index in sorted(
            (_far(net, target), index)
            for index, target in enumerate(net.targets)
            if index not in net.ways
        ):
            self._connect(net, index)
        self._field.lift(net.number)
        better = self._cost(net) < whole - 1
        if not better:
            net.ways = ways
        self._field.lead(net.number, net.segments())
        return better

    def _badness(self, net: Net) -> float:
        """What a net costs beyond its length."""
        return sum(
            segment_cost(self._field, net.number, one) - abs(one[0] - one[2]) - abs(one[1] - one[3])
            for one in net.segments()
        )

    def _cost(self, net: Net) -> float:
        bends = sum(max(len(way) - 2, 0) for way in net.ways.values()) * BEND
        parts = (segment_cost(self._field, net.number, one) for one in net.segments())
        return bends + sum(parts)

    def _straight(self, net: Net) -> None:
        """Lead a net straight to the nearest port that lies right before its own."""
        (x, y), (dx, dy) = net.start.at, net.start.away
        ahead = []
        for index, target in enumerate(net.targets):
            to_x, to_y = target.at
            aside = abs(to_y - y) if dx else abs(to_x - x)
            far = (to_x - x) * dx + (to_y - y) * dy
            opposite = target.away == (-dx, -dy)
            if aside < 0.6 and far > 0 and opposite:
                ahead.append((far, index))
        for far, index in sorted(ahead)[:1]:
            to_x, to_y = net.targets[index].at
            way = [(x, y), (to_x, y) if dx else (x, to_y)]
            if segment_cost(self._field, net.number, (*way[0], *way[1])) < far + LYING:
                self._keep(net, index, way)

    def _keep(self, net: Net, index: int, way: list[Point]) -> None:
        net.ways[index] = way
        self._field.lead(
            net.number, [(*one, *other) for one, other in pairwise(way) if one != other]
        )

    def _connect(self, net: Net, index: int) -> None:
        """Lead a net to one more of its ports: from what there is of it, around what is met."""
        target = net.targets[index]
        tree = list(net.segments())
        ends = [net.start.stub, target.stub]
        blocks = {one.rectangle: one for one in self._around(ends)}
        best: tuple[float, list[Point]] | None = None
        for _ in range(_ROUNDS):
            found = self._search(net, target, tree, blocks.values())
            if found is None:
                break
            if best is None or found[0] < best[0]:
                best = found
            if found[0] < LYING:
                break
            met = {one.rectangle: one for one in self._met(net, found[1])}
            if met.keys() <= blocks.keys():
                break
            blocks |= met
        way = best[1] if best is not None else self._plain(net.start, target)
        self._keep(net, index, _without_stops([*way, target.at]))

    def _around(self, ends: list[Point]) -> list[Thing]:
        """The blocks nearest to the ends of a way, and those between them."""
        (x1, y1), (x2, y2) = ends
        margin = 40.0
        window = (
            min(x1, x2) - margin,
            min(y1, y2) - margin,
            max(x1, x2) + margin,
            max(y1, y2) + margin,
        )
        there = [one for one in self._field.near(window) if one.kind == "block"]

        def far(one: Thing) -> float:
            x, y = (one.left + one.right) / 2, (one.top + one.bottom) / 2
            return min(abs(x - x1) + abs(y - y1), abs(x - x2) + abs(y - y2))

        return sorted(there, key=far)[: 2 * _NEAR]

    def _met(self, net: Net, way: list[Point]) -> Iterator[Thing]:
        """What a way runs into, blocks and lines of others."""
        for (x1, y1), (x2, y2) in pairwise(way):
            part = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
            for one in self._field.near(part):
                if one.kind != "name" and one.net != net.number:
                    yield one

    def _search(
        self, net: Net, target: Gate, tree: list[Segment], blocks: Iterable[Thing]
    ) -> tuple[float, list[Point]] | None:
        start, end = net.start.stub, target.stub
        columns, rows = {start[0], end[0]}, {start[1], end[1]}
        for x1, y1, x2, y2 in tree:
            columns |= {x1, x2}
            rows |= {y1, y2}
        if not tree:
            columns.add(float(round((start[0] + end[0]) / 2)))
            rows.add(float(round((start[1] + end[1]) / 2)))
        for gate in (net.start, target):
            for track in range(1, _TRACKS):
                if gate.axis == LEVEL:
                    columns.add(gate.stub[0] + gate.away[0] * _TRACK * track)
                else:
                    rows.add(gate.stub[1] + gate.away[1] * _TRACK * track)
        for one in blocks:
            below = one.bottom + (_STUB if one.kind == "line" else self._name_below(one))
            columns |= {one.left - _STUB, one.right + _STUB}
            rows |= {one.top - _STUB, one.top - _STUB - _TRACK}
            rows |= {below + _TRACK * track for track in range(3)}
        lattice = Lattice(self._field, net.number, list(columns), list(rows))
        column = {at: number for number, at in enumerate(lattice.columns)}
        row = {at: number for number, at in enumerate(lattice.rows)}
        first = [((column[start[0]], row[start[1]]), net.start.axis, 0.0)]
        if tree:
            first = _forks(net, tree, lattice)
        goal = (column[end[0]], row[end[1]])
        found = lattice.way(first, goal, target.axis, self._most)
        if found is None:
            return None
        cost, places = found
        way = [(lattice.columns[x], lattice.rows[y]) for x, y in places]
        if not tree:
            way.insert(0, net.start.at)
        if end[0] < start[0]:
            highest = min(start[1], end[1])
            cost += _ABOVE * any(y < highest - 1 for _, y in way)
        return cost, way

    def _name_below(self, block: Thing) -> float:
        """How far below a block its name ends, and a stub."""
        part = (block.left, block.bottom, block.right, block.bottom + _TRACK)
        names = [one.bottom for one in self._field.near(part) if one.kind == "name"]
        return max([*names, block.bottom + 5]) - block.bottom + _TRACK

    def _plain(self, start: Gate, target: Gate) -> list[Point]:
        """A way by its ends alone."""
        (x1, y1), (x2, y2) = start.stub, target.stub
        corner = (x2, y1) if start.axis == LEVEL else (x1, y2)
        return [start.at, start.stub, corner, target.stub]


def _far(net: Net, target: Gate) -> float:
    """How far a port is; one that lies behind is farther."""
    (x1, y1), (x2, y2) = net.start.stub, target.stub
    return abs(x1 - x2) + abs(y1 - y2) + (BLOCK if x2 < x1 else 0.0)


def _forks(
    net: Net, tree: list[Segment], lattice: Lattice
) -> list[tuple[tuple[int, int], int, float]]:
    """Where a net may fork: on its parts, not right before a port."""
    ends = [net.start.at, *(net.targets[index].at for index in net.ways)]
    found: dict[tuple[int, int], float] = {}
    for x1, y1, x2, y2 in tree:
        for column, x in enumerate(lattice.columns):
            if not min(x1, x2) <= x <= max(x1, x2):
                continue
            for row, y in enumerate(lattice.rows):
                if not min(y1, y2) <= y <= max(y1, y2):
                    continue
                if all(abs(x - at[0]) + abs(y - at[1]) >= _TRACK for at in ends):
                    found[column, row] = _FORK
    return [(place, -1, cost) for place, cost in sorted(found.items())]


def _without_stops(way: list[Point]) -> list[Point]:
    """A way without places where it neither begins, turns nor ends."""
    kept: list[Point] = []
    for at in way:
        if kept and at == kept[-1]:
            continue
        if len(kept) > 1:
            (x0, y0), (x1, y1) = kept[-2], kept[-1]
            if (x0 == x1 == at[0]) or (y0 == y1 == at[1]):
                kept[-1] = at
                continue
        kept.append(at)
    return kept
