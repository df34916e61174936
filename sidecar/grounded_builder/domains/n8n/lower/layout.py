"""Places nodes from left to right so that edges cross as few nodes and labels as possible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import networkx as nx

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.lower.edge_paths import BACK_DEPTH, Stretch, leads_back, stretch
from grounded_builder.domains.n8n.lower.layers import layers_of
from grounded_builder.domains.n8n.lower.node_shapes import GRID, NodeShape
from grounded_builder.domains.n8n.lower.rows import Link, order_rows
from grounded_builder.domains.n8n.lower.sub_node_groups import Group, group_nodes
from grounded_builder.domains.n8n.lower.wiring import Wire

Place = tuple[int, int]

# The minimum space in pixels between columns, between rows, between parts and around an edge.
_BETWEEN_COLUMNS, _BETWEEN_ROWS, _BETWEEN_PARTS, _CLEAR = 32, 16, 96, 8
# Notes stand in rows of at least this width.
_NOTES_WIDTH = 1920
# The cost of an edge that crosses a node or a text, in steps by which a row is moved.
_NODE_WEIGHT, _TEXT_WEIGHT = 480, 60
# Bounds of the search: places of a row, orders of rows, comparisons in a part of at least so many
# steps, and pairs of an edge and a step.
_TRIED_PLACES, _TRIED_ORDERS, _WORK, _FEW, _COMPARED = 96, 300, 12_000_000, 30, 40_000


def places(
    steps: Iterable[str], drawn: Iterable[Wire], shapes: Mapping[str, NodeShape]
) -> dict[str, Place]:
    """Returns a position for each step, in n8n's canvas units, on its grid of 16.

    Notes are placed under everything else.
    """
    every = list(steps)
    order = [step for step in every if not shapes[step].is_note]
    wires = [
        wire for wire in drawn if not (shapes[wire.source].is_note or shapes[wire.target].is_note)
    ]
    groups = group_nodes(order, wires, shapes)
    main = [
        Link(wire.source, wire.output, wire.target, wire.input)
        for wire in wires
        if wire.kind == MAIN and wire.source in groups and wire.target in groups
    ]
    placed: dict[str, Place] = {}
    top = 0
    parts = _parts(list(groups), main)
    part_of = {step: index for index, part in enumerate(parts) for step in part}
    links_of: list[list[Link]] = [[] for _ in parts]
    for link in main:
        links_of[part_of[link.source]].append(link)
    for part, links in zip(parts, links_of, strict=True):
        heads = _Part(part, links, groups, shapes).places()
        highest = min(y for _, y in heads.values())
        low = top
        for step, (x, height) in heads.items():
            y = height + top - highest
            low = max(low, y + groups[step].bottom)
            for sub, (dx, dy) in groups[step].places.items():
                placed[sub] = (x + dx, y + dy)
        top = _up(low + _BETWEEN_PARTS)
    left = min((x for x, _ in placed.values()), default=0)
    right = max((x for x, _ in placed.values()), default=0) - left
    notes = {step: shapes[step] for step in every if shapes[step].is_note}
    places_of_notes = _place_notes(notes, top, max(right, _NOTES_WIDTH))
    return {
        step: places_of_notes.get(step) or (placed[step][0] - left, placed[step][1])
        for step in every
    }


def _place_notes(notes: Mapping[str, NodeShape], top: int, width: int) -> dict[str, Place]:
    """Returns the positions of notes, side by side in rows that begin within a width."""
    positions: dict[str, Place] = {}
    x, low = 0, top
    for step, shape in notes.items():
        if x > width:
            x, top = 0, low
        positions[step] = (x, top)
        x = _up(x + shape.width + _BETWEEN_COLUMNS)
        low = max(low, _up(top + shape.height + _BETWEEN_COLUMNS))
    return positions


def _parts(steps: list[str], links: list[Link]) -> list[list[str]]:
    """Returns the connected parts, each in drafted order."""
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(steps)
    graph.add_edges_from((link.source, link.target) for link in links)
    index = {step: position for position, step in enumerate(steps)}
    parts = [sorted(part, key=index.__getitem__) for part in nx.connected_components(graph)]
    return sorted(parts, key=lambda part: index[part[0]])


@dataclass(frozen=True, slots=True)
class _Crossing:
    """A piece of an edge above or below an area of a row; heights are those of the rows."""

    source: int
    start: int
    target: int
    end: int
    row: int
    top: int
    bottom: int
    piece: Stretch
    weight: int

    def is_free(self, heights: Mapping[int, int]) -> bool:
        least, most = self.piece.span(
            heights[self.source] + self.start, heights[self.target] + self.end
        )
        y = heights[self.row]
        return most + _CLEAR <= y + self.top or least - _CLEAR >= y + self.bottom


class _Part:
    """One connected part of the nodes: its columns, then its rows."""

    def __init__(
        self,
        steps: list[str],
        links: list[Link],
        groups: Mapping[str, Group],
        shapes: Mapping[str, NodeShape],
    ) -> None:
        self._groups, self._shapes, self._links = groups, shapes, links
        layers = layers_of(steps, links)
        self._layer = {step: index for index, layer in enumerate(layers) for step in layer}
        self._x = self._columns(layers)
        self._rows = order_rows(steps, links, self._layer)
        self._cut_rows()
        self._row_of = {step: index for index, row in enumerate(self._rows) for step in row}
        self._columns_of = [[self._layer[step] for step in row] for row in self._rows]
        self._crossings = self._find_crossings()
        self._work = _WORK // max(_FEW, len(steps))

    def places(self) -> dict[str, Place]:
        order = list(range(len(self._rows)))
        heights, faults = self._stack(order)
        tried = 0
        while faults and tried < _TRIED_ORDERS and self._work > 0:
            better = None
            for changed in _neighbours(order, faults):
                tried += 1
                result, left = self._stack(changed)
                if _weight(left) < _weight(faults):
                    better = changed, result, left
                    break
                if tried >= _TRIED_ORDERS or self._work <= 0:
                    break
            if better is None:
                break
            order, heights, faults = better
        return {step: (self._x[step], heights[self._row_of[step]]) for step in self._row_of}

    def _columns(self, layers: list[list[str]]) -> dict[str, int]:
        """Returns the left edge of each node; the nodes of a layer are below each other.

        The targets of edges that lead back stand aside, so that these edges come up before
        everything else in the layer.
        """
        looped = {
            link.target
            for link in self._links
            if self._layer[link.source] >= self._layer[link.target]
        }
        x: dict[str, int] = {}
        start = 0
        for layer in layers:
            aside = {step: place for place, step in enumerate(s for s in layer if s in looped)}
            end = start
            plain = max(
                (-self._groups[s].left for s in layer),
                default=0,
            )
            first = start + plain + GRID * len(aside)
            for step in layer:
                group, shape = self._groups[step], self._shapes[step]
                if step in aside:
                    x[step] = _up(max(start + plain + GRID * aside[step], start - group.left))
                else:
                    x[step] = _up(max(first, start + GRID * len(aside) - group.left))
                end = max(end, x[step] + max(group.right, shape.width + shape.behind))
            start = end + _BETWEEN_COLUMNS
        return x

    def _cut_rows(self) -> None:
        """Ends a row before a step if the edge back to it would cross the row.

        Rows of plans with too many edges back stay as they are.
        """
        compared = 0
        row_of = {step: row for row in self._rows for step in row}
        for link in self._links:
            row = row_of[link.source]
            start = self._x[link.source] + self._shapes[link.source].width
            end = self._x[link.target]
            if not leads_back(start, end) or row[0] == link.source:
                continue
            low = self._shapes[link.source].output_at(link.output) + BACK_DEPTH
            place = row.index(link.source)
            compared += place
            if compared > _COMPARED:
                return
            if any(
                area.bottom + _CLEAR > low > area.top - _CLEAR
                for step in row[:place]
                if self._layer[step] >= self._layer[link.target]
                for area in self._groups[step].areas
            ):
                rest = row[place:]
                del row[place:]
                self._rows.insert(self._rows.index(row) + 1, rest)
                row_of.update(dict.fromkeys(rest, rest))

    def _find_crossings(self) -> list[list[_Crossing]]:
        """Returns the areas that edges may cross, by each row that determines their height."""
        layers: dict[int, list[str]] = {}
        for step in self._row_of:
            layers.setdefault(self._layer[step], []).append(step)
        crossings: list[list[_Crossing]] = [[] for _ in self._rows]
        compared = 0
        for link in self._links:
            first, last = sorted((self._layer[link.source], self._layer[link.target]))
            for step in chain.from_iterable(layers[layer] for layer in range(first, last + 1)):
                compared += 1
                if compared > _COMPARED:
                    return crossings
                for crossing in self._cross(link, step):
                    for row in {crossing.source, crossing.target, crossing.row}:
                        crossings[row].append(crossing)
        return crossings

    def _cross(self, link: Link, step: str) -> Iterator[_Crossing]:
        source, target = self._shapes[link.source], self._shapes[link.target]
        start, end = self._x[link.source] + source.width, self._x[link.target]
        # An edge cannot avoid the name and labels of its own node, but it can avoid the sub-nodes.
        own = step in (link.source, link.target)
        hidden = len(self._shapes[step].areas()) if own else 0
        for area in self._groups[step].areas[hidden:]:
            left = area.left + self._x[step] - _CLEAR
            right = area.right + self._x[step] + _CLEAR
            piece = stretch(start, end, left, right)
            if piece is not None:
                yield _Crossing(
                    self._row_of[link.source],
                    source.output_at(link.output),
                    self._row_of[link.target],
                    target.input_at(link.input),
                    self._row_of[step],
                    area.top,
                    area.bottom,
                    piece,
                    _TEXT_WEIGHT if area.is_text else _NODE_WEIGHT,
                )

    def _stack(self, order: Sequence[int]) -> tuple[dict[int, int], list[_Crossing]]:
        """Returns the heights of the rows, placed one under another, and what stays crossed."""
        heights: dict[int, int] = {}
        faults: list[_Crossing] = []
        floors = [0] * (1 + max(self._layer.values()))
        for row in order:
            self._work -= len(self._crossings[row]) // 16
            least = max(floors[column] for column in self._columns_of[row])
            heights[row] = least
            here = [
                crossing
                for crossing in self._crossings[row]
                if crossing.source in heights
                and crossing.target in heights
                and crossing.row in heights
            ]
            heights[row], crossed = self._free_place(row, here, heights)
            faults += crossed
            for step, column in zip(self._rows[row], self._columns_of[row], strict=True):
                bottom = heights[row] + self._groups[step].bottom
                floors[column] = _up(bottom + _BETWEEN_ROWS)
        return heights, faults

    def _free_place(
        self, row: int, here: list[_Crossing], heights: dict[int, int]
    ) -> tuple[int, list[_Crossing]]:
        """Returns the height from the present one on that crosses least, and what it crosses.

        A crossing of words is left where avoiding it would take the row far away.
        """
        least = best = heights[row]
        fewest: list[_Crossing] | None = None
        lightest = 0
        for number in range(_TRIED_PLACES):
            if fewest is not None and number >= lightest:
                break
            heights[row] = least + number * 2 * GRID
            crossed: list[_Crossing] = []
            weight = number
            for crossing in here:
                self._work -= 1
                if not crossing.is_free(heights):
                    crossed.append(crossing)
                    weight += crossing.weight
                    if fewest is not None and weight >= lightest:
                        break
            else:
                lightest = weight
                best, fewest = heights[row], crossed
            self._work -= 1
            if not fewest or self._work <= 0:
                break
            # An area that is crossed at this place is likely to be crossed at the next.
            here.remove(crossed[-1])
            here.insert(0, crossed[-1])
        return best, fewest or []


def _weight(crossings: Iterable[_Crossing]) -> int:
    return sum(crossing.weight for crossing in crossings)


def _neighbours(order: list[int], faults: list[_Crossing]) -> Iterable[list[int]]:
    """Yields the orders that move one row of a fault."""
    rows = dict.fromkeys(row for fault in faults for row in (fault.row, fault.target, fault.source))
    for row in rows:
        rest = [other for other in order if other != row]
        for position in range(len(order)):
            changed = [*rest[:position], row, *rest[position:]]
            if changed != order:
                yield changed


def _up(value: int) -> int:
    return -(-value // GRID) * GRID
