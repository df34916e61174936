"""Computes the boxes of blocks, and positions and directions of ports, in pixels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.read.document import ends

Point = tuple[float, float]
# The direction in which a block points: the side of its outputs.
Facing = str

_ROTATED = {"0": "right", "90": "down", "180": "left", "270": "up"}
_MIRRORED = {"right": "left", "left": "right", "up": "down", "down": "up"}
_INNER = {
    "in": "Inport",
    "out": "Outport",
    "enable": "EnablePort",
    "trigger": "TriggerPort",
    "ifaction": "ActionPort",
    "reset": "ResetPort",
}
_TOP = ("enable", "trigger", "ifaction", "reset", "event")
# The parameters of a Sum that is added from the library.
_LIBRARY_SUM, _SUM = "simulink/Math Operations/Sum", ("round", "|++")
_COLUMNS, _WIDE, _HIGH = 8, 120, 90


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle of a block, its direction, and its port counts by kind."""

    left: float
    top: float
    right: float
    bottom: float
    facing: Facing
    counts: Mapping[str, int]
    round: bool = False
    slots: str = ""

    @property
    def width(self) -> float:
        """Returns the width."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Returns the height."""
        return self.bottom - self.top

    @property
    def centre(self) -> Point:
        """Returns the centre."""
        return ((self.left + self.right) / 2, (self.top + self.bottom) / 2)


def boxes(system: Mapping[str, Any]) -> dict[str, Box]:
    """Returns the box of every block by sid; blocks without a position are placed in rows."""
    used: dict[str, Counter[str]] = {}
    for line in system["lines"]:
        for end in (line.get("from"), *(end for _, end in ends(line, ()))):
            if end is not None:
                most = used.setdefault(end["block"], Counter())
                most[end["kind"]] = max(most[end["kind"]], end["index"])
    placed = {}
    for index, block in enumerate(system["blocks"]):
        position = block.get("position") or _grid(index)
        placed[block["sid"]] = _box(block, position, used.get(block["sid"], Counter()))
    return placed


def _grid(index: int) -> list[float]:
    left, top = (index % _COLUMNS) * _WIDE, (index // _COLUMNS) * _HIGH
    return [left, top, left + 60, top + 40]


def _box(block: Mapping[str, Any], position: list[float], used: Counter[str]) -> Box:
    left, top, right, bottom = position
    parameters: Mapping[str, str] = block.get("parameters", {})
    counts = dict(used)
    for kind, count in _counts(block).items():
        counts[kind] = max(count, counts.get(kind, 0))
    slots, is_round = "", False
    if block["type"] == "Sum":
        shape, signs = _SUM if block.get("source") == _LIBRARY_SUM else ("rectangular", "++")
        is_round = parameters.get("IconShape", shape) == "round"
        slots = parameters.get("Inputs", signs)
        slots = "+" * int(slots) if slots.isdigit() and int(slots) < 100 else slots
        slots = slots if set(slots) <= set("+-|") else ""
    return Box(
        min(left, right),
        min(top, bottom),
        max(left, right),
        max(top, bottom),
        output_side(block),
        counts,
        is_round,
        slots,
    )


def _counts(block: Mapping[str, Any]) -> Mapping[str, int]:
    if block.get("ports") is not None:
        counts: Mapping[str, int] = block["ports"]
        return counts
    inner = block.get("system")
    if inner is not None:
        value = Counter(item["type"] for item in inner["blocks"])
        return {kind: value[type_] for kind, type_ in _INNER.items() if value[type_]}
    return ports_of(block["type"], block.get("source"), block.get("parameters", {})) or {}


def output_side(block: Mapping[str, Any]) -> Facing:
    """Returns the side of a block's outputs, in either notation."""
    properties = block.get("properties", {})
    way = properties.get("Orientation") or _ROTATED.get(properties.get("BlockRotation", "0"))
    way = way if way in _MIRRORED else "right"
    return _MIRRORED[way] if properties.get("BlockMirror") == "on" else way


def port(box: Box, kind: str, index: int) -> Point:
    """Returns the position of a port."""
    if box.round and kind == "in" and box.slots:
        return _around(box, index)
    if kind in ("out", "rconn"):
        before = box.counts.get("out", 0) if kind == "rconn" else 0
        whole = box.counts.get("out", 0) + box.counts.get("rconn", 0)
        return _along(box, box.facing, before + index, whole)
    if kind == "state":
        return _along(box, _beside(box.facing), 1, 1)
    if kind in _TOP:
        there = [name for name in _TOP if box.counts.get(name)]
        place = there.index(kind) + 1 if kind in there else 1
        return _along(box, _above(box.facing), place, max(len(there), 1))
    if box.slots and kind == "in":
        seen = [at for at, sign in enumerate(box.slots, 1) if sign != "|"]
        place = seen[index - 1] if index <= len(seen) else index
        return _along(box, _MIRRORED[box.facing], place, len(box.slots))
    before = box.counts.get("in", 0) if kind == "lconn" else 0
    whole = box.counts.get("in", 0) + box.counts.get("lconn", 0)
    return _along(box, _MIRRORED[box.facing], before + index, whole)


def outward(box: Box, kind: str, index: int) -> Point:
    """Returns the direction away from a block at a port."""
    x, y = port(box, kind, index)
    if box.round:
        centre = box.centre
        length = math.hypot(x - centre[0], y - centre[1]) or 1
        return ((x - centre[0]) / length, (y - centre[1]) / length)
    distances = {
        (-1.0, 0.0): abs(x - box.left),
        (1.0, 0.0): abs(x - box.right),
        (0.0, -1.0): abs(y - box.top),
        (0.0, 1.0): abs(y - box.bottom),
    }
    return min(distances, key=distances.__getitem__)


def _along(box: Box, side: Facing, index: int, whole: int) -> Point:
    """Returns the centre of a part of a side that is divided into equal parts."""
    part = (index - 0.5) / max(whole, index, 1)
    if side in ("left", "right"):
        return (box.left if side == "left" else box.right, box.top + box.height * part)
    return (box.left + box.width * part, box.top if side == "up" else box.bottom)


def _around(box: Box, index: int) -> Point:
    """Returns the position of an input of a round Sum, from the top over the back to the bottom."""
    seen = [at for at, sign in enumerate(box.slots) if sign != "|"]
    place = seen[index - 1] if index <= len(seen) else len(box.slots) - 1
    share = place / (len(box.slots) - 1) if len(box.slots) > 1 else 0.5
    turn = {"right": 0, "down": 90, "left": 180, "up": 270}[box.facing]
    angle = math.radians(270 - 180 * share + turn)
    if box.facing == "left":
        angle = math.radians(270 + 180 * share)
    x, y = box.centre
    return (x + box.width / 2 * math.cos(angle), y + box.height / 2 * math.sin(angle))


def _above(way: Facing) -> Facing:
    return "up" if way in ("left", "right") else "left"


def _beside(way: Facing) -> Facing:
    return "down" if way in ("left", "right") else "right"
