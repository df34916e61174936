"""Groups each node with the sub-nodes that the layout places below it, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grounded_builder.domains.n8n.analysis.ports import MAIN
from grounded_builder.domains.n8n.lower.node_shapes import GRID, NodeShape, Rect
from grounded_builder.domains.n8n.lower.wiring import Wire

# From the lower edge of a node to its sub-nodes: labels and free inputs hang into it.
DROP = 128
_ASIDE = 16


@dataclass(frozen=True, slots=True)
class Group:
    """A node with everything under it; distances are from its upper left corner."""

    places: Mapping[str, tuple[int, int]]
    areas: tuple[Rect, ...]
    left: int
    right: int
    bottom: int


def hosts_of(wires: Iterable[Wire]) -> dict[str, str]:
    """Returns the node under which each sub-node stands: the first that it serves."""
    hosts: dict[str, str] = {}
    for wire in wires:
        if wire.kind != MAIN and not _leads_to(hosts, wire.target, wire.source):
            hosts.setdefault(wire.source, wire.target)
    return hosts


def _leads_to(hosts: Mapping[str, str], step: str, host: str) -> bool:
    while step != host and step in hosts:
        step = hosts[step]
    return step == host


def group_nodes(
    steps: list[str], wires: list[Wire], shapes: Mapping[str, NodeShape]
) -> dict[str, Group]:
    """Returns the group of each step that stands under no other."""
    hosts = hosts_of(wires)
    kinds = {wire.source: wire.kind for wire in wires if wire.kind != MAIN}
    order = {step: index for index, step in enumerate(steps)}
    subs: dict[str, list[str]] = {}
    for step in hosts:
        subs.setdefault(hosts[step], []).append(step)
    groups: dict[str, Group] = {}
    for step in _deepest_first(steps, subs):
        slots = shapes[step].slots
        below = sorted(
            subs.get(step, ()), key=lambda sub: (slots.get(kinds[sub], 0), order.get(sub, 0))
        )
        groups[step] = _join(step, shapes[step], [groups.pop(sub) for sub in below])
    return {step: groups[step] for step in steps if step in groups}


def _deepest_first(steps: list[str], subs: Mapping[str, list[str]]) -> list[str]:
    served = {sub for group in subs.values() for sub in group}
    order = [step for step in steps if step not in served]
    for step in order:
        order.extend(subs.get(step, ()))
    return order[::-1]


def _join(step: str, shape: NodeShape, below: list[Group]) -> Group:
    places: dict[str, tuple[int, int]] = {step: (0, 0)}
    areas = shape.areas()
    left = min(area.left for area in areas)
    right = max(area.right for area in areas)
    bottom = max(area.bottom for area in areas)
    width = sum(group.right - group.left for group in below) + _ASIDE * (len(below) - 1)
    x = (shape.width - width) // 2 // GRID * GRID
    y = (shape.height + DROP) // GRID * GRID
    for group in below:
        at = -(-(x - group.left) // GRID) * GRID
        places |= {sub: (at + dx, y + dy) for sub, (dx, dy) in group.places.items()}
        areas += [area.move_by(at, y) for area in group.areas]
        left, right = min(left, at + group.left), max(right, at + group.right)
        bottom = max(bottom, y + group.bottom)
        x = at + group.right + _ASIDE
    return Group(places, tuple(areas), left, right, bottom)
