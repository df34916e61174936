"""Derives the ports of a block from its uses."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

_SIDES = {"Left": "lconn", "Top": "lconn", "Right": "rconn", "Bottom": "rconn"}
_SIGNALS = frozenset({"input", "output"})


def usual_ports(use: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the ports of more than half of the uses, if these differ."""
    shapes = _count_ports(use)
    if not shapes:
        return None
    shape, count = shapes.most_common(1)[0]
    return dict(shape) if 2 * count > shapes.total() else None


def static_ports(use: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the ports of every use if all agree, otherwise None."""
    shapes = _count_ports(use)
    if len(shapes) > 1:
        return None
    if shapes:
        return dict(next(iter(shapes)))
    if "max_in" not in use:
        return None
    counted = {
        "in": use["max_in"],
        "out": use["max_out"],
        "lconn": use["lconn"],
        "rconn": use["rconn"],
    }
    return {key: number for key, number in counted.items() if number} or None


def is_physical(use: Mapping[str, Any]) -> bool:
    """Return whether any use has a physical port."""
    return bool(use.get("lconn") or use.get("rconn"))


def connections(observed: Any) -> list[list[str]] | None:
    """Return kind, id, label and domain of the physical ports of the usual configuration."""
    if not observed:
        return None
    sides = observed["configs"][0][0]
    return [
        [_SIDES[side], port, label, "signal" if domain in _SIGNALS else domain.rpartition(".")[2]]
        for side in ("Left", "Top", "Right", "Bottom")
        for port, label, domain in sides.get(side, ())
    ]


def _count_ports(use: Mapping[str, Any]) -> Counter[tuple[tuple[str, int], ...]]:
    shapes = Counter[tuple[tuple[str, int], ...]]()
    for text, count in use.get("port_shapes") or ():
        shape = {key: int(number) for key, number in json.loads(text).items() if number}
        shapes[tuple(sorted(shape.items()))] += count
    return shapes
