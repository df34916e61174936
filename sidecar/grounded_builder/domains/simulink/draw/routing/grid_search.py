"""Finds the cheapest path through a grid of columns and rows, and computes segment costs."""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from grounded_builder.domains.simulink.draw.routing.obstacles import Field, Thing

Place = tuple[int, int]

# Costs in pixels of line length.
BLOCK, LYING, NAME, CROSSING, BEND = 20_000.0, 600.0, 80.0, 45.0, 25.0
_CLOSE, _CLEAR, _APART = 4.0, 8.0, 7.0
LEVEL, UPRIGHT = 0, 1
# A line that leads back runs below what it passes, unless that is much longer.
_ABOVE = 0.6


class Lattice:
    """The columns and rows for the route of a line, with the costs between neighbouring points.

    Rows above the ``ceiling`` cost more.
    """

    ceiling = -math.inf

    def __init__(
        self, field: Field, signal: int, columns: Sequence[float], rows: Sequence[float]
    ) -> None:
        self.columns, self.rows = sorted(set(columns)), sorted(set(rows))
        self._field, self._signal = field, signal
        self.looked: set[tuple[Place, int]] = set()
        self._level: dict[int, list[float]] = {}
        self._upright: dict[int, list[float]] = {}

    def level(self, row: int) -> list[float]:
        """Returns the costs between neighbouring columns in a row."""
        if row not in self._level:
            at, ends = self.rows[row], self.columns
            things = self._field.near((ends[0], at - _CLEAR, ends[-1], at + _CLEAR))
            spans = ((thing.left, thing.right, thing.top, thing.bottom, thing) for thing in things)
            costs = _costs(spans, at, ends, self._signal)
            if at < self.ceiling:
                lengths = (after - before for before, after in pairwise(ends))
                costs = [a + b * _ABOVE for a, b in zip(costs, lengths, strict=True)]
            self._level[row] = costs
        return self._level[row]

    def upright(self, column: int) -> list[float]:
        """Returns the costs between neighbouring rows in a column."""
        if column not in self._upright:
            at, ends = self.columns[column], self.rows
            things = self._field.near((at - _CLEAR, ends[0], at + _CLEAR, ends[-1]))
            spans = ((thing.top, thing.bottom, thing.left, thing.right, thing) for thing in things)
            self._upright[column] = _costs(spans, at, ends, self._signal)
        return self._upright[column]

    def way(
        self,
        starts: Iterable[tuple[Place, int, float]],
        goal: Place,
        arriving: int,
        most: int,
        haste: float = 1.0,
    ) -> tuple[float, list[Place]] | None:
        """Returns the cheapest path from a start, and its cost; None after ``most`` places.

        Each start has a direction, -1 for none, and an initial cost. A higher ``haste`` examines
        fewer places, and the path may then be more expensive.
        """
        goal_x, goal_y = self.columns[goal[0]], self.rows[goal[1]]

        def far(place: Place) -> float:
            aside = abs(self.columns[place[0]] - goal_x) + abs(self.rows[place[1]] - goal_y)
            return aside * haste

        best: dict[tuple[Place, int], float] = {}
        entries: dict[tuple[Place, int], tuple[Place, int] | None] = {}
        waiting: list[tuple[float, Place, int]] = []
        for place, looking, cost in starts:
            for way in (LEVEL, UPRIGHT):
                paid = cost + (BEND if looking not in (way, -1) else 0.0)
                if paid < best.get((place, way), 1e18):
                    best[place, way], entries[place, way] = paid, None
                    heapq.heappush(waiting, (paid + far(place), place, way))
        done = self.looked
        while waiting:
            _, place, way = heapq.heappop(waiting)
            here = (place, way)
            if here in done:
                continue
            done.add(here)
            paid = best[here]
            if place == goal:
                if way == arriving:
                    return paid, _back(entries, here)
                nexts = [((place, arriving), paid + BEND)]
            elif len(done) > most:
                return None
            else:
                nexts = self._nexts(place, way, paid)
            for there, cost in nexts:
                if cost < best.get(there, 1e18):
                    best[there], entries[there] = cost, here
                    heapq.heappush(waiting, (cost + far(there[0]), *there))
        return None

    def _nexts(self, place: Place, way: int, paid: float) -> list[tuple[tuple[Place, int], float]]:
        column, row = place
        results = [((place, 1 - way), paid + BEND)]
        if way == LEVEL:
            costs = self.level(row)
            if column:
                results.append((((column - 1, row), way), paid + costs[column - 1]))
            if column < len(costs):
                results.append((((column + 1, row), way), paid + costs[column]))
            return results
        costs = self.upright(column)
        if row:
            results.append((((column, row - 1), way), paid + costs[row - 1]))
        if row < len(costs):
            results.append((((column, row + 1), way), paid + costs[row]))
        return results


def segment_cost(field: Field, signal: int, segment: tuple[float, float, float, float]) -> float:
    """Returns the cost of a horizontal or vertical segment, including its length."""
    x1, y1, x2, y2 = segment
    is_level = abs(y1 - y2) <= abs(x1 - x2)
    lattice = Lattice(field, signal, (x1, x2), (y1, y2))
    return sum(lattice.level(0) if is_level else lattice.upright(0))


def _back(
    entries: dict[tuple[Place, int], tuple[Place, int] | None], last: tuple[Place, int]
) -> list[Place]:
    places: list[Place] = []
    here: tuple[Place, int] | None = last
    while here is not None:
        if not places or places[-1] != here[0]:
            places.append(here[0])
        here = entries[here]
    return places[::-1]


def _costs(
    spans: Iterable[tuple[float, float, float, float, Thing]],
    at: float,
    ends: Sequence[float],
    signal: int,
) -> list[float]:
    """Returns the cost of each step along a line; spans are along, along, across, across."""
    costs = [after - before for before, after in pairwise(ends)]
    for first, last, low, high, thing in spans:
        if thing.kind == "line":
            if thing.signal == signal:
                continue
            if first == last:
                if low <= at <= high:
                    _cross(costs, ends, first)
            elif abs(at - low) < _APART:
                _add(costs, ends, first, last, LYING if abs(at - low) < _CLOSE else CROSSING * 2)
        elif thing.kind == "name":
            if low - _CLOSE < at < high + _CLOSE:
                _add(costs, ends, first, last, NAME)
        elif low - _CLOSE < at < high + _CLOSE:
            _add(costs, ends, first, last, BLOCK)
        elif low - _CLEAR < at < high + _CLEAR:
            _add(costs, ends, first, last, BEND)
    return costs


def _add(costs: list[float], ends: Sequence[float], first: float, last: float, cost: float) -> None:
    """Adds a cost to each step that shares more than a point with a span."""
    start = max(bisect_right(ends, first) - 1, 0)
    stop = min(bisect_left(ends, last), len(costs))
    for step in range(start, stop):
        costs[step] += cost


def _cross(costs: list[float], ends: Sequence[float], at: float) -> None:
    """Adds a cost to the step over a point; at the corner of two steps each gets half."""
    place = bisect_left(ends, at)
    if place < len(ends) and ends[place] == at:
        for step in (place - 1, place):
            if 0 <= step < len(costs):
                costs[step] += CROSSING / 2
    elif 0 < place <= len(costs):
        costs[place - 1] += CROSSING
