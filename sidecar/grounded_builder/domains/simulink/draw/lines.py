"""Draws the lines of a diagram: corners, forks, arrow heads and names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import Box, Point, outward, port
from grounded_builder.domains.simulink.draw.svg import number, polygon, polyline, text
from grounded_builder.domains.simulink.read.document import PHYSICAL

_HEAD = 5.0
_STUB = 12.0
_LETTER = 4.5
_NEARLY = 2.5
# Simulink moves ports to a grid, so that a line without corners is straight wherever its ports are.
_GRID = 6.0


def draw_line(line: Mapping[str, Any], placed: Mapping[str, Box]) -> Iterator[str]:
    """Yields the marks of a line with its branches."""
    start = _port(line.get("from"), placed)
    if start is None:
        return
    physical = bool(line.get("physical"))
    kind = "physical" if physical else "signal"
    box, end = placed[line["from"]["block"]], line["from"]
    way = outward(box, end["kind"], end["index"])
    first = True
    waiting: list[tuple[Mapping[str, Any], Point]] = [(line, start)]
    while waiting:
        part, here = waiting.pop()
        target = part.get("to")
        arrives = _port(target, placed)
        if part.get("backwards"):
            corners, here = _backwards(part, here, arrives)
            arrives = None
        else:
            corners = [here]
            for dx, dy in part.get("points", ()):
                here = (here[0] + dx, here[1] + dy)
                corners.append(here)
        branches = part.get("branches", ())
        if arrives is not None and target is not None:
            leaving = way if first and len(corners) == 1 else None
            corners += _elbow(corners, arrives, leaving, placed[target["block"]], target)
        elif target is None and not branches and len(corners) == 1:
            corners.append((here[0] + way[0] * _STUB, here[1] + way[1] * _STUB))
        loose = target is None and not branches
        yield polyline(corners, f"{kind} loose" if loose else kind)
        if arrives is not None and not physical and target is not None:
            yield _arrow(placed[target["block"]], target, corners[-1])
        if len(branches) > 1 or (branches and arrives is not None):
            x, y = here
            yield f'<circle cx="{number(x)}" cy="{number(y)}" r="1.8" class="fork {kind}"/>'
        name = part.get("name")
        if name:
            yield _draw_name(corners, str(name))
        first = False
        waiting += [(branch, here) for branch in reversed(branches)]


def _port(end: Mapping[str, Any] | None, placed: Mapping[str, Box]) -> Point | None:
    if end is None or end["block"] not in placed:
        return None
    return port(placed[end["block"]], end["kind"], end["index"])


def _backwards(
    part: Mapping[str, Any], fork: Point, begins: Point | None
) -> tuple[list[Point], Point]:
    """Returns the corners of a branch that runs to the fork, and its start."""
    steps = part.get("points", ())
    if begins is None:
        begins = (fork[0] - sum(dx for dx, _ in steps), fork[1] - sum(dy for _, dy in steps))
    corners, here = [begins], begins
    for dx, dy in steps:
        here = (here[0] + dx, here[1] + dy)
        corners.append(here)
    (x, y), (to_x, to_y) = here, fork
    if abs(to_x - x) > _NEARLY and abs(to_y - y) > _NEARLY:
        level = len(corners) > 1 and abs(corners[-2][1] - y) < _NEARLY
        corners.append((x, to_y) if level else (to_x, y))
    corners.append(fork)
    return corners, begins


def _elbow(
    corners: list[Point],
    arrives: Point,
    leaving: Point | None,
    box: Box,
    target: Mapping[str, Any],
) -> list[Point]:
    """Returns the path from the last corner to a port: straight if nearly so, else with a bend."""
    (x, y), (to_x, to_y) = corners[-1], arrives
    if len(corners) > 1:
        # Stored corners are integer pixels, and a port may be between them: the last corner is
        # moved.
        before = corners[-2]
        if abs(before[0] - x) < 0.01 and abs(to_y - y) <= _GRID:
            corners[-1] = (x, to_y)
            return [arrives]
        if abs(before[1] - y) < 0.01 and abs(to_x - x) <= _GRID:
            corners[-1] = (to_x, y)
            return [arrives]
    if leaving is not None and leaving[0] and abs(to_y - y) <= _GRID:
        return [(to_x, y)]
    if leaving is not None and leaving[1] and abs(to_x - x) <= _GRID:
        return [(x, to_y)]
    if abs(to_x - x) <= _NEARLY or abs(to_y - y) <= _NEARLY:
        if leaving is None and len(corners) == 1:
            corners[0] = (x, to_y) if abs(to_y - y) <= _NEARLY else (to_x, y)
        return [arrives]
    facing = outward(box, target["kind"], target["index"])
    sideways = bool(facing[0])
    if leaving is not None and bool(leaving[0]) == sideways:
        if sideways:
            middle = (x + to_x) / 2
            return [(middle, y), (middle, to_y), arrives]
        middle = (y + to_y) / 2
        return [(x, middle), (to_x, middle), arrives]
    return [(x, to_y), arrives] if sideways else [(to_x, y), arrives]


def _arrow(box: Box, end: Mapping[str, Any], at: Point) -> str:
    """Returns an arrow head at an input, which points into the block."""
    if end["kind"] in PHYSICAL:
        return ""
    x, y = at
    dx, dy = outward(box, end["kind"], end["index"])
    length = math.hypot(dx, dy) or 1
    dx, dy = dx / length, dy / length
    back = (x + dx * _HEAD, y + dy * _HEAD)
    side = (-dy * _HEAD * 0.55, dx * _HEAD * 0.55)
    return polygon(
        [(x, y), (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])],
        "head",
    )


def _draw_name(corners: list[Point], name: str) -> str:
    """Returns the name of a signal above the longest horizontal part of its line."""
    parts = list(pairwise(corners))
    level = [part for part in parts if abs(part[0][1] - part[1][1]) < 1] or parts
    if not level:
        return text((corners[0][0], corners[0][1] - 6), name, 8, kind="note")
    a, b = max(level, key=lambda part: abs(part[0][0] - part[1][0]))
    if abs(a[0] - b[0]) < len(name) * _LETTER:
        return text((min(a[0], b[0]) + 2, a[1] - 6), name, 8, "start", "note")
    return text(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 6), name, 8, kind="note")
