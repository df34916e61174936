"""Draws the outlines of blocks, their names and the labels of their ports."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import Box, Point, outward, port
from grounded_builder.domains.simulink.draw.icons import icon
from grounded_builder.domains.simulink.draw.names import (
    GAP,
    LETTER,
    LINE,
    MOST,
    is_above,
    name_lines,
)
from grounded_builder.domains.simulink.draw.svg import (
    ellipse,
    fit_text,
    number,
    polygon,
    rectangle,
    text,
)
from grounded_builder.domains.simulink.draw.symbols import (
    ground,
    hexagon,
    physical,
    tag,
    terminator,
)
from grounded_builder.domains.simulink.read.document import tool_of

_BARS = frozenset({"Mux", "Demux", "BusCreator", "BusSelector"})
_NAMED = {
    "lightblue": "#add8e6",
    "darkgreen": "#008000",
    "black": "#000000",
    "white": "#ffffff",
    "red": "#ff8080",
    "green": "#80ff80",
    "blue": "#8080ff",
    "cyan": "#80ffff",
    "magenta": "#ff80ff",
    "yellow": "#ffff80",
    "gray": "#c0c0c0",
    "orange": "#ffc000",
}
_COLOUR = re.compile(r"\[\s*([\d.]+)[,\s]+([\d.]+)[,\s]+([\d.]+)")


def shape(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields the marks of a block: outline, icon, labels and name."""
    silent = block.get("properties", {}).get("Commented", "off") != "off"
    yield f'<g class="{"block silent" if silent else "block"}"{_fill(block)}>'
    yield from _outline(block, box)
    yield "</g>"
    yield from _labels(block, box)
    yield from _name(block, box)


def _fill(block: Mapping[str, Any]) -> str:
    colour = str(block.get("properties", {}).get("BackgroundColor", ""))
    match = _COLOUR.match(colour)
    if match:
        parts = [round(min(float(part), 1.0) * 255) for part in match.groups()]
        return f' style="fill:rgb({parts[0]},{parts[1]},{parts[2]})"'
    named = _NAMED.get(colour.lower())
    return f' style="fill:{named}"' if named is not None else ""


def _outline(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    kind = block["type"]
    if kind == "Gain":
        yield from _gain(block, box)
    elif kind == "Sum":
        yield from _sum(box)
    elif kind in _BARS:
        yield rectangle(box.left, box.top, box.width, box.height, "bar")
    elif kind in ("Inport", "Outport", "InportShadow"):
        yield from _oval(block, box)
    elif kind in ("From", "Goto", "GotoTagVisibility"):
        yield from tag(block, box)
    elif kind == "PMIOPort":
        yield hexagon(box)
    elif kind == "Terminator":
        yield from terminator(box)
    elif kind == "Ground":
        yield from ground(box)
    elif (drawn := physical(block, box)) is not None:
        yield from drawn
    else:
        yield rectangle(box.left, box.top, box.width, box.height)
        if block.get("mask") or kind == "Reference":
            yield from _draw_mask_name(block, box)
        yield from icon(block, box)


def _gain(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields a triangle that points to its output."""
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    x, y = box.centre
    corners: Mapping[str, list[Point]] = {
        "right": [(left, top), (right, y), (left, bottom)],
        "left": [(right, top), (left, y), (right, bottom)],
        "down": [(left, top), (right, top), (x, bottom)],
        "up": [(left, bottom), (right, bottom), (x, top)],
    }
    yield polygon(corners[box.facing])
    gain = block.get("parameters", {}).get("Gain", "1")
    words, size = fit_text(gain, box.width * 0.6, 10, 6)
    if size <= 6 and len(words) < len(" ".join(gain.split())):
        words, size = "-K-", 9
    shift = {"right": -0.14, "left": 0.14}.get(box.facing, 0) * box.width
    yield text((x + shift, y), words, size)


def _sum(box: Box) -> Iterator[str]:
    """Yields a circle or a rectangle with a sign at each input."""
    if box.round:
        yield ellipse(box.centre, box.width / 2, box.height / 2)
    else:
        yield rectangle(box.left, box.top, box.width, box.height)
    signs = [sign for sign in box.slots if sign != "|"]
    if len(signs) == 1 and not box.round:
        yield text(box.centre, "\u03a3", min(14, box.height * 0.6))
        return
    size = max(min(10, box.height / max(len(box.slots), 2) * 0.9), 5)
    for index, sign in enumerate(signs, 1):
        x, y = port(box, "in", index)
        dx, dy = outward(box, "in", index)
        inside = size * 0.55 + (1 if box.round else 2)
        at = (x - dx * inside, y - dy * inside)
        yield text(at, "+" if sign == "+" else "\u2212", size)


def _oval(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields a port of the diagram with its number."""
    half = min(box.width, box.height) / 2
    place = f'x="{number(box.left)}" y="{number(box.top)}" rx="{number(half)}"'
    size = f'width="{number(box.width)}" height="{number(box.height)}"'
    yield f"<rect {place} {size}/>"
    element = block.get("element")
    if element is not None:
        words = ".".join(filter(None, (element["bus"], element["path"])))
        side = box.left - 4 if block["type"] != "Outport" else box.right + 4
        anchor = "end" if block["type"] != "Outport" else "start"
        yield text((side, box.centre[1]), words, LETTER, anchor)
    else:
        shown = block.get("parameters", {}).get("Port", "1")
        yield text(box.centre, shown, min(10, box.height * 0.9))


def _draw_mask_name(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields the name of a mask or link without an icon."""
    if block["type"] not in ("Reference", "SubSystem"):
        return
    tool = tool_of(block) or ""
    name = tool.rpartition("/")[2] if block.get("source") else ""
    words, size = fit_text(name, box.width - 6, 9, 5)
    if words and not words.endswith("\u2026") and box.height > 14:
        yield text(box.centre, words, size)


def _labels(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields the names of a subsystem's ports at its inner edge."""
    inner = block.get("system")
    if inner is None or block.get("opaque") == "link" or box.width < 40:
        return
    for kind, type_ in (("in", "Inport"), ("out", "Outport")):
        seen = set()
        for item in inner["blocks"]:
            place = item.get("parameters", {}).get("Port", "1")
            if item["type"] != type_ or not place.isdigit() or place in seen:
                continue
            seen.add(place)
            x, y = port(box, kind, int(place))
            dx, dy = outward(box, kind, int(place))
            if dy:
                continue
            element = item.get("element")
            name = element["bus"] if element is not None else item["name"]
            words, size = fit_text(name, box.width * 0.45, 9, 5)
            yield text((x - dx * 4, y), words, size, "start" if dx < 0 else "end")


def _name(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    lines = name_lines(block)
    x = box.centre[0]
    start = box.bottom + GAP
    if is_above(block):
        start = box.top - GAP - (len(lines) - 1) * LINE
    for index, line in enumerate(lines[:MOST]):
        yield text((x, start + index * LINE), line, LETTER, kind="name")
