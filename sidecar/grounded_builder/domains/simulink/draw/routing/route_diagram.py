"""Adds corners to the lines of a diagram that have none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import networkx as nx

from grounded_builder.domains.simulink.draw.geometry import Box, boxes, outward, port
from grounded_builder.domains.simulink.draw.names import name_lines, name_rectangle
from grounded_builder.domains.simulink.draw.routing.net import Gate, Net
from grounded_builder.domains.simulink.draw.routing.obstacles import Field
from grounded_builder.domains.simulink.draw.routing.router import Router
from grounded_builder.domains.simulink.draw.routing.trunk import build_branches

# In pixels; positions beyond this, and values that are not numbers, are ignored.
_FARTHEST = 10_000_000.0


def route_lines(system: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a diagram whose lines without corners are routed at right angles around the blocks.

    Lines with corners, with a missing end or with an end at an unknown block are unchanged, as are
    diagrams beyond the largest size and the diagrams inside blocks.
    """
    placed = boxes(system)
    if not all(abs(side) <= _FARTHEST for box in placed.values() for side in _sides(box)):
        return dict(system)
    field = Field()
    for block in system["blocks"]:
        box = placed[block["sid"]]
        field.put(_sides(box), "block")
        if lines := name_lines(block):
            field.put(name_rectangle(block, box, lines), "name")
    nets: dict[int, tuple[Net, list[dict[str, Any]]]] = {}
    signals = _signals(system["lines"])
    for number, line in enumerate(system["lines"]):
        ends = list(_ends(line))
        if _is_whole(line, ends, placed):
            start, *targets = (_gate(end, placed) for end in (line["from"], *_ports(ends)))
            nets[number] = (Net(number, signals[number], start, targets), ends)
    Router(field, [net for net, _ in nets.values()]).lead()
    lines = []
    for number, line in enumerate(system["lines"]):
        if number not in nets:
            lines.append(line)
            continue
        net, ends = nets[number]
        entries = {key: value for key, value in line.items() if key not in ("to", "branches")}
        lines.append(entries | build_branches(net.start.at, net.ways, ends))
    return {**system, "lines": lines}


def _sides(box: Box) -> tuple[float, float, float, float]:
    return (box.left, box.top, box.right, box.bottom)


def _ends(line: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the parts of a line without further forks, except the line itself."""
    waiting = [(line, True)]
    while waiting:
        part, whole = waiting.pop()
        branches = part.get("branches") or ()
        if not branches:
            yield {"to": part.get("to")} if whole else dict(part)
        waiting += [(branch, False) for branch in reversed(branches)]


def _signals(lines: Sequence[Mapping[str, Any]]) -> list[int]:
    """Returns the signal of each line: that of the first line with which it shares a port."""
    graph: nx.Graph[Any] = nx.Graph()
    for number, line in enumerate(lines):
        graph.add_node(number)
        for end in (line.get("from"), *(item.get("to") for item in _ends(line))):
            if end is not None:
                graph.add_edge(number, (end["block"], end["kind"], end["index"]))
    results = [0] * len(lines)
    for part in nx.connected_components(graph):
        numbers = [item for item in part if isinstance(item, int)]
        for number in numbers:
            results[number] = min(numbers)
    return results


def _ports(ends: list[dict[str, Any]]) -> list[Mapping[str, Any]]:
    return [end["to"] for end in ends]


def _is_whole(
    line: Mapping[str, Any], ends: list[dict[str, Any]], placed: Mapping[str, Box]
) -> bool:
    """Returns whether a line connects a port to ports and has no corners."""
    waiting = [line]
    while waiting:
        part = waiting.pop()
        if part.get("points") or part.get("backwards"):
            return False
        waiting += part.get("branches") or ()
    there = [line.get("from"), *(end.get("to") for end in ends)]
    return all(end is not None and end["block"] in placed for end in there)


def _gate(end: Mapping[str, Any], placed: Mapping[str, Box]) -> Gate:
    box = placed[end["block"]]
    at = port(box, end["kind"], end["index"])
    dx, dy = outward(box, end["kind"], end["index"])
    if abs(dx) >= abs(dy) - 1e-6:
        away = (1.0 if dx > 0 else -1.0, 0.0)
    else:
        away = (0.0, 1.0 if dy > 0 else -1.0)
    return Gate(at, away)
