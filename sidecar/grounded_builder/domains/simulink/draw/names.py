"""Splits block names into lines, and computes whether and where a name is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import Box

LETTER, LINE, GAP = 9.0, 11.0, 8.0
_WIDEST, MOST = 16, 4
_WIDE = 0.5


def name_lines(block: Mapping[str, Any]) -> list[str]:
    """Returns the lines of a block's name; long names have two, hidden names none."""
    if block.get("properties", {}).get("ShowName", "on") == "off":
        return []
    lines = [line for line in block["name"].split("\n") if line.strip()]
    if len(lines) == 1 and len(lines[0]) > 2 * _WIDEST and " " in lines[0]:
        middle = len(lines[0]) // 2
        cut = min(
            (at for at, char in enumerate(lines[0]) if char == " "), key=lambda at: abs(at - middle)
        )
        lines = [lines[0][:cut], lines[0][cut + 1 :]]
    return lines


def is_above(block: Mapping[str, Any]) -> bool:
    """Returns whether the name is above its block."""
    properties: Mapping[str, str] = block.get("properties", {})
    placed = (properties.get("NamePlacement"), properties.get("NameLocation"))
    return placed[0] == "alternate" or placed[1] == "top"


def name_rectangle(
    block: Mapping[str, Any], box: Box, lines: Sequence[str]
) -> tuple[float, float, float, float]:
    """Returns the rectangle of a name: left, top, right, bottom."""
    x = box.centre[0]
    lines = lines[:MOST]
    half = max(map(len, lines)) * LETTER * _WIDE / 2
    high = LINE * len(lines)
    top = box.top - 2 - high if is_above(block) else box.bottom + 2
    return (x - half, top, x + half, top + high)
