"""Converts the routes of a signal to a line of the document: a trunk with branches."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import Point

# Readers and writers of files recurse into branches: a net with more ends forks in one place.
_DEEPEST = 40


def build_branches(
    start: Point, ways: Mapping[int, list[Point]], ends: list[dict[str, Any]]
) -> Any:
    """Returns the corners of a line, and its end or its branches.

    ``ends`` are the parts of the document at the ends of the routes, by index.
    """
    children, arrivals = _tree(start, ways)
    order: list[Point] = [start]
    for place in order:
        order += children.get(place, [])
    if len(ends) > _DEEPEST or not arrivals.keys() <= set(order):
        return {"branches": _build_separate_branches(start, ways, ends, children, order)}
    made: dict[Point, list[dict[str, Any]]] = {}
    # From the leaves to the start: the parts that begin at each point.
    for place in reversed(order):
        parts = [dict(ends[index]) for index in arrivals.get(place, [])]
        for child in children.get(place, []):
            inner = made[child]
            if not inner:
                continue
            entries = inner[0] if len(inner) == 1 else {"branches": inner}
            parts.append({**entries, "points": [(place, child), *entries.get("points", [])]})
        made[place] = parts
    whole = made[start]
    results = whole[0] if len(whole) == 1 else {"branches": whole}
    return _convert_to_steps(results)


def _build_separate_branches(
    start: Point,
    ways: Mapping[int, list[Point]],
    ends: list[dict[str, Any]],
    children: Mapping[Point, list[Point]],
    order: list[Point],
) -> list[dict[str, Any]]:
    """Returns a branch for each end, all from the start, overlapping on the trunk."""
    corners: dict[Point, list[Point]] = {start: [start]}
    for place in order:
        before = corners[place]
        for child in children.get(place, []):
            straight = len(before) > 1 and _ahead(before[-2], before[-1], child)
            corners[child] = [*(before[:-1] if straight else before), child]
    last = {index: way[-1] for index, way in ways.items()}
    return [
        _convert_to_steps(
            {**end, "points": list(pairwise(corners.get(last[at], [start, last[at]])))}
        )
        for at, end in enumerate(ends)
    ]


def _tree(
    start: Point, ways: Mapping[int, list[Point]]
) -> tuple[dict[Point, list[Point]], dict[Point, list[int]]]:
    """Returns the successors of each corner and fork, and the ends there, earlier routes first."""
    places = {start, *(at for way in ways.values() for at in way)}
    columns: dict[float, list[float]] = {}
    rows: dict[float, list[float]] = {}
    for x, y in sorted(places):
        columns.setdefault(x, []).append(y)
        rows.setdefault(y, []).append(x)
    beside: dict[Point, list[Point]] = {}
    for index in sorted(ways):
        for (x1, y1), (x2, y2) in pairwise(ways[index]):
            if x1 == x2:
                between = [(x1, y) for y in columns[x1] if min(y1, y2) <= y <= max(y1, y2)]
            else:
                between = [(x, y1) for x in rows[y1] if min(x1, x2) <= x <= max(x1, x2)]
            for item, other in pairwise(between):
                for near, far in ((item, other), (other, item)):
                    if far not in beside.setdefault(near, []):
                        beside[near].append(far)
    children: dict[Point, list[Point]] = {}
    seen = {start}
    waiting = [start]
    for place in waiting:
        for there in beside.get(place, []):
            if there not in seen:
                seen.add(there)
                children.setdefault(place, []).append(there)
                waiting.append(there)
    arrivals: dict[Point, list[int]] = {}
    for index in sorted(ways):
        arrivals.setdefault(ways[index][-1], []).append(index)
    return children, arrivals


def _convert_to_steps(part: dict[str, Any]) -> dict[str, Any]:
    """Returns a part with corners as steps, without those straight ahead and the last to a port."""
    entries = {key: value for key, value in part.items() if key != "points"}
    corners: list[Point] = []
    for item, other in part.get("points", []):
        if not corners:
            corners = [item, other]
        elif len(corners) > 1 and _ahead(corners[-2], corners[-1], other):
            corners[-1] = other
        else:
            corners.append(other)
    if "branches" not in part and corners:
        corners.pop()
    steps = [
        [_whole(x2) - _whole(x1), _whole(y2) - _whole(y1)]
        for (x1, y1), (x2, y2) in pairwise(corners)
    ]
    if steps:
        entries["points"] = steps
    if "branches" in part:
        entries["branches"] = [_convert_to_steps(branch) for branch in part["branches"]]
    return entries


def _ahead(before: Point, at: Point, after: Point) -> bool:
    return (before[0] == at[0] == after[0]) or (before[1] == at[1] == after[1])


def _whole(length: float) -> float:
    """Returns a length in integer pixels, as files store corners."""
    return float(round(length))
