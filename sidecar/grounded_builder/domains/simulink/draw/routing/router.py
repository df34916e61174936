"""Routes the lines of a diagram, the shortest first, and reroutes lines with a poor route."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from grounded_builder.domains.simulink.draw.geometry import Point
from grounded_builder.domains.simulink.draw.routing.grid_search import (
    BEND,
    LEVEL,
    LYING,
    Lattice,
    segment_cost,
)
from grounded_builder.domains.simulink.draw.routing.net import (
    Gate,
    Net,
    distance,
    forks,
    nearest,
    without_stops,
)
from grounded_builder.domains.simulink.draw.routing.obstacles import Field, Segment, Thing

_STUB, _TRACK, _TRACKS = 15.0, 10.0, 6
# The number of blocks to route around, at first and after each collision.
_NEAR, _ROUNDS = 24, 5
# The number of lines of a diagram to reroute, and of places to examine for all of them.
_PASSES, _AGAIN, _LOOKS, _MOST, _LEAST = 6, 250, 300_000, 4_000, 60
# In diagrams with more lines than this, fewer places are examined for each.
_HASTY, _FEWER, _HASTE = 400, 3, 3.0
# The number of obstacles to examine for a diagram and for a line. Beyond it, lines are routed
# without a search: between neighbours, else below all blocks on one of several tracks.
_SIGHTS, _EACH, _BESIDE, _LANES = 2_500_000, 400, 300.0, 40
# The distance of a detour when the search finds no path.
_AROUND = (40.0, 80.0, 160.0, 320.0)


class Router:
    """Routes the lines of one diagram."""

    def __init__(self, field_: Field, nets: list[Net]) -> None:
        self._field = field_
        self._nets = nets
        count = sum(len(net.targets) for net in nets)
        self._looks, self._left = _LOOKS, count
        self._sights = _SIGHTS + _EACH * count
        self._lowest = max((thing.bottom for thing in field_.things), default=0.0)
        self._again = _PASSES if count <= _AGAIN else 0
        self._hasty = count > _HASTY
        self._haste = _HASTE if self._hasty else 1.0
        self._near = _NEAR // _FEWER if self._hasty else _NEAR
        self._tracks = _TRACKS // 2 if self._hasty else _TRACKS

    def lead(self) -> None:
        """Routes all nets."""
        for net in self._nets:
            self._straight(net)
        rest = [
            (distance(net, target), net.number, index)
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
        """Reroutes a net; returns whether the new route is better."""
        before, ways = self._badness(net), net.ways
        if before <= 0 or self._looks <= 0 or self._field.seen > self._sights:
            return False
        self._field.lift(net.number)
        whole = self._cost(net)
        net.ways = {}
        self._straight(net)
        for _, index in sorted(
            (distance(net, target), index)
            for index, target in enumerate(net.targets)
            if index not in net.ways
        ):
            self._connect(net, index)
        self._field.lift(net.number)
        better = self._cost(net) < whole - 1
        if not better:
            net.ways = ways
        self._field.lead(net.number, net.signal, net.segments())
        return better

    def _badness(self, net: Net) -> float:
        """Returns the cost of a net beyond its length."""
        return sum(
            segment_cost(self._field, net.signal, segment)
            - abs(segment[0] - segment[2])
            - abs(segment[1] - segment[3])
            for segment in net.segments()
        )

    def _cost(self, net: Net) -> float:
        bends = sum(max(len(way) - 2, 0) for way in net.ways.values()) * BEND
        parts = (segment_cost(self._field, net.signal, segment) for segment in net.segments())
        return bends + sum(parts)

    def _straight(self, net: Net) -> None:
        """Routes a net straight to the nearest port directly in front of its own."""
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
            if segment_cost(self._field, net.signal, (*way[0], *way[1])) < far + LYING:
                self._keep(net, index, way)

    def _keep(self, net: Net, index: int, way: list[Point]) -> None:
        net.ways[index] = way
        parts = [(*item, *other) for item, other in pairwise(way) if item != other]
        self._field.lead(net.number, net.signal, parts)

    def _connect(self, net: Net, index: int) -> None:
        """Routes a net to one more port, starting from its routes, around obstacles on the way."""
        target = net.targets[index]
        if self._field.seen > self._sights:
            self._keep(net, index, without_stops([*self._blind(net, target), target.at]))
            return
        tree = nearest(net, target.stub)
        ends = [net.start.stub, target.stub]
        blocks = {thing.rectangle: thing for thing in self._around(ends)}
        best: tuple[float, list[Point]] | None = None
        self._left = max(self._left - 1, 1)
        most = max(min(3 * self._looks // self._left, _MOST), _LEAST)
        for _ in range(2 if self._hasty else _ROUNDS):
            search = self._search(net, target, (tree, blocks.values()), most)
            if search is None:
                break
            if best is None or search[0] < best[0]:
                best = search
            if search[0] < LYING:
                break
            met = {thing.rectangle: thing for thing in self._crossed_things(net, search[1])}
            if met.keys() <= blocks.keys():
                break
            blocks |= met
        way = best[1] if best is not None else self._plain(net, target)
        self._keep(net, index, without_stops([*way, target.at]))

    def _around(self, ends: list[Point]) -> list[Thing]:
        """Returns the blocks nearest to the ends of a route, and those between them."""
        (x1, y1), (x2, y2) = ends
        margin = 40.0
        window = (
            min(x1, x2) - margin,
            min(y1, y2) - margin,
            max(x1, x2) + margin,
            max(y1, y2) + margin,
        )
        there = [thing for thing in self._field.near(window) if thing.kind == "block"]

        def far(thing: Thing) -> float:
            x, y = (thing.left + thing.right) / 2, (thing.top + thing.bottom) / 2
            return min(abs(x - x1) + abs(y - y1), abs(x - x2) + abs(y - y2))

        return sorted(there, key=far)[: self._near]

    def _crossed_things(self, net: Net, way: list[Point]) -> Iterator[Thing]:
        """Yields the blocks and lines of other nets that a route crosses."""
        for (x1, y1), (x2, y2) in pairwise(way):
            part = (min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2))
            for thing in self._field.near(part):
                if thing.kind != "name" and thing.signal != net.signal:
                    yield thing

    def _search(
        self, net: Net, target: Gate, known: tuple[list[Segment], Iterable[Thing]], most: int
    ) -> tuple[float, list[Point]] | None:
        """Returns a path on the grid of ``known`` segments and blocks, and its cost."""
        tree, blocks = known
        start, end = net.start.stub, target.stub
        columns, rows = {start[0], end[0]}, {start[1], end[1]}
        for x1, y1, x2, y2 in tree:
            columns |= {x1, x2}
            rows |= {y1, y2}
        if not tree:
            columns.add(float(round((start[0] + end[0]) / 2)))
            rows.add(float(round((start[1] + end[1]) / 2)))
        for gate in (net.start, target):
            for track in range(1, self._tracks):
                if gate.axis == LEVEL:
                    columns.add(gate.stub[0] + gate.away[0] * _TRACK * track)
                else:
                    rows.add(gate.stub[1] + gate.away[1] * _TRACK * track)
        for block in blocks:
            below = block.bottom + (_STUB if block.kind == "line" else self._name_below(block))
            columns |= {block.left - _STUB, block.right + _STUB}
            rows |= {block.top - _STUB, block.top - _STUB - _TRACK}
            rows |= {below + _TRACK * track for track in range(3)}
        lattice = Lattice(self._field, net.signal, list(columns), list(rows))
        if end[0] < start[0] and target.away[1] >= 0:
            lattice.ceiling = min(start[1], end[1])
        column = {at: number for number, at in enumerate(lattice.columns)}
        row = {at: number for number, at in enumerate(lattice.rows)}
        first = [((column[start[0]], row[start[1]]), net.start.axis, 0.0)]
        if tree:
            first = forks(net, tree, lattice)
        goal = (column[end[0]], row[end[1]])
        results = lattice.way(first, goal, target.axis, most, self._haste)
        self._looks -= len(lattice.looked)
        if results is None:
            return None
        cost, places = results
        way = [(lattice.columns[x], lattice.rows[y]) for x, y in places]
        if not tree:
            way.insert(0, net.start.at)
        return cost, way

    def _name_below(self, block: Thing) -> float:
        """Returns the distance from a block to the end of its name, with a stub."""
        part = (block.left, block.bottom, block.right, block.bottom + _TRACK)
        names = [thing.bottom for thing in self._field.near(part) if thing.kind == "name"]
        return max([*names, block.bottom + 5]) - block.bottom + _TRACK

    def _blind(self, net: Net, target: Gate) -> list[Point]:
        """Returns a route by its ends alone, without regard to obstacles."""
        (x1, y1), (x2, y2) = net.start.stub, target.stub
        if 0 <= x2 - x1 < _BESIDE:
            x = min(x1 + _TRACK * (net.number % _TRACKS), x2)
            return [net.start.at, (x1, y1), (x, y1), (x, y2), (x2, y2)]
        lane = self._lowest + _STUB + _TRACK * (1 + net.number % _LANES)
        return [net.start.at, (x1, y1), (x1, lane), (x2, lane), (x2, y2)]

    def _plain(self, net: Net, target: Gate) -> list[Point]:
        """Returns the cheapest of a few routes by their ends alone."""
        (x1, y1), (x2, y2) = net.start.stub, target.stub
        middle = float(round((x1 + x2) / 2))
        columns = [x1, x2, middle]
        rows = [y1, y2, float(round((y1 + y2) / 2))]
        for far in _AROUND:
            rows += [max(y1, y2) + far, min(y1, y2) - far]
        ways = [[(x1, y1), (x, y1), (x, y2), (x2, y2)] for x in columns]
        ways += [[(x1, y1), (x1, y), (x2, y), (x2, y2)] for y in rows]

        def cost(way: list[Point]) -> float:
            parts = [(*item, *other) for item, other in pairwise(way) if item != other]
            return sum(segment_cost(self._field, net.signal, part) for part in parts)

        return [net.start.at, *min(ways, key=cost)]
