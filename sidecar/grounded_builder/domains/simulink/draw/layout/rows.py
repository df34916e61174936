"""Orders the blocks within columns to cross few lines, and places them so lines are straight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_SWEEPS = 2
_MANY = 3
_WEAK = 0.001


@dataclass(frozen=True, slots=True)
class Joint:
    """A line between two blocks, with the offsets from their tops at which it leaves and arrives.

    ``weak`` is true where it arrives from above or below.
    """

    start: str
    leaves: float
    end: str
    arrives: float
    weak: bool


def tops(
    columns: Sequence[Sequence[str]], heights: Mapping[str, float], joints: Sequence[Joint]
) -> dict[str, float]:
    """Returns the top of every block, the highest at 0; ``heights`` include the space below."""
    into: dict[str, list[Joint]] = {}
    out: dict[str, list[Joint]] = {}
    for joint in joints:
        into.setdefault(joint.end, []).append(joint)
        out.setdefault(joint.start, []).append(joint)
    depth = {block: column for column, layer in enumerate(columns) for block in layer}
    layers = _sort_columns(columns, into, out)
    entries: dict[str, float] = {}
    for layer in layers:
        top = 0.0
        for block in layer:
            entries[block] = top
            top += heights[block]

    def wish(block: str, *, ahead: bool) -> tuple[float, float]:
        """Returns the preferred top of a block for its lines on one side, and their weight."""
        there = (out if ahead else into).get(block, [])
        if ahead:
            wanted = [entries[item.end] + item.arrives - item.leaves for item in there]
        else:
            wanted = [entries[item.start] + item.leaves - item.arrives for item in there]
        if not wanted:
            return entries[block], _WEAK
        if len(wanted) >= _MANY:
            return sum(wanted) / len(wanted), 1.0

        def main(at: int) -> tuple[bool, int]:
            result = there[at]
            return (not result.weak, len(out.get(result.end, ())) if ahead else depth[result.start])

        best = max(range(len(there)), key=main)
        return wanted[best], _WEAK if there[best].weak else 1.0

    for ahead in (False, True) * _SWEEPS + (False,):
        for layer in reversed(layers) if ahead else layers:
            wishes = [wish(block, ahead=ahead) for block in layer]
            _settle(layer, wishes, heights, entries)
    for layer in reversed(layers):
        wishes = [
            (entries[block], 1e6) if into.get(block) else wish(block, ahead=True) for block in layer
        ]
        _settle(layer, wishes, heights, entries)
    least = min(entries.values(), default=0.0)
    return {block: float(round(top - least)) for block, top in entries.items()}


def _settle(
    layer: Sequence[str],
    wishes: Sequence[tuple[float, float]],
    heights: Mapping[str, float],
    entries: dict[str, float],
) -> None:
    """Places the blocks of a column as close to their preferred tops as their heights allow."""
    groups: list[list[float]] = []  # mean of the preferred tops, weight, count
    above = 0.0
    offsets = []
    for block, (wanted, weight) in zip(layer, wishes, strict=True):
        groups.append([wanted - above, weight, 1.0])
        offsets.append(above)
        above += heights[block]
        while len(groups) > 1 and groups[-2][0] > groups[-1][0]:
            mean, heavy, count = groups.pop()
            other = groups[-1]
            whole = other[1] + heavy
            groups[-1] = [(other[0] * other[1] + mean * heavy) / whole, whole, other[2] + count]
    place = 0
    for mean, _, count in groups:
        for _ in range(int(count)):
            entries[layer[place]] = mean + offsets[place]
            place += 1


def _sort_columns(
    columns: Sequence[Sequence[str]],
    into: Mapping[str, list[Joint]],
    out: Mapping[str, list[Joint]],
) -> list[list[str]]:
    """Returns each column in the order that crosses few lines, by the median of the neighbours."""
    layers = [list(layer) for layer in columns]
    place = {block: float(at) for layer in layers for at, block in enumerate(layer)}

    def middle(block: str, joints: list[Joint], *, ahead: bool) -> float:
        if not joints:
            return place[block]
        if ahead:
            whole = sum(place[joint.end] + joint.arrives / 1000 for joint in joints)
        else:
            whole = sum(place[joint.start] + joint.leaves / 1000 for joint in joints)
        return whole / len(joints)

    for sweep in range(2 * _SWEEPS):
        ahead = sweep % 2 == 1
        for layer in layers[::-1] if ahead else layers:
            sides = out if ahead else into
            keys = {name: middle(name, sides.get(name, []), ahead=ahead) for name in layer}
            layer.sort(key=keys.__getitem__)
            place |= {block: float(at) for at, block in enumerate(layer)}
    return layers
