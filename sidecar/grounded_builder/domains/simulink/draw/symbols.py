"""Draws the symbols of particular blocks: tags, ports, elements of circuits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import Box, port
from grounded_builder.domains.simulink.draw.svg import (
    fit_text,
    path,
    polygon,
    polyline,
    rectangle,
    text,
)
from grounded_builder.domains.simulink.read.document import tool_of


def tag(block: Mapping[str, Any], box: Box) -> Iterator[str]:
    """Yields a flag that points in the direction of the signal, with the name of the tag."""
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    depth, (_, y) = min(box.height / 2, box.width / 3), box.centre
    goes_right = box.facing != "left"
    if block["type"] != "Goto":
        edge = [(left, top), (right - depth, top), (right, y), (right - depth, bottom)]
        edge.append((left, bottom))
    elif goes_right:
        edge = [(left, top), (right, top), (right, bottom), (left, bottom), (left + depth, y)]
    else:
        edge = [(right, top), (left + depth, top), (left, y), (left + depth, bottom)]
        edge.append((right, bottom))
    yield polygon(edge)
    name = block.get("parameters", {}).get("GotoTag", "A")
    visible = block.get("parameters", {}).get("TagVisibility", "local")
    shown = {"global": name, "scoped": f"{{{name}}}"}.get(visible, f"[{name}]")
    words, size = fit_text(shown, box.width - depth - 2)
    yield text(box.centre, words, size)


def hexagon(box: Box) -> str:
    """Returns a physical port of the diagram."""
    depth, (_, y) = box.height / 2, box.centre
    left, top, right, bottom = box.left, box.top, box.right, box.bottom
    return polygon(
        [
            (left + depth, top),
            (right - depth, top),
            (right, y),
            (right - depth, bottom),
            (left + depth, bottom),
            (left, y),
        ]
    )


def terminator(box: Box) -> Iterator[str]:
    """Yields a line that ends at a bar."""
    x, y = box.centre
    at = port(box, "in", 1)
    yield polyline([at, (x, y)])
    high = min(box.height, 16) / 2
    yield polyline([(x, y - high), (x, y + high)], "thick")


def ground(box: Box) -> Iterator[str]:
    """Yields three bars that become shorter downwards."""
    x, y = box.centre
    yield polyline([port(box, "out", 1), (x, y), (x, y + box.height * 0.2)])
    for step, half in ((0.2, 8), (0.35, 5), (0.5, 2)):
        here = y + box.height * step
        yield polyline([(x - half, here), (x + half, here)])


def physical(block: Mapping[str, Any], box: Box) -> list[str] | None:
    """Returns the symbol of a common physical block; None for any other."""
    tool = tool_of(block) or ""
    name = tool.rpartition("/")[2]
    (x, y), (left, right) = box.centre, (box.left, box.right)
    if name in ("Electrical Reference", "Thermal Reference") or name.endswith("al Reference"):
        at = port(box, "lconn", 1)
        bars = [
            polyline([(x - half, y + step), (x + half, y + step)])
            for step, half in ((0, 9), (4, 6), (8, 3))
        ]
        return [polyline([at, (x, y)]), *bars]
    if name == "Solver Configuration":
        frame = rectangle(left, box.top, box.width, box.height)
        words, size = fit_text("f(x) = 0", box.width - 4)
        return [frame, text((x, y), words, size)]
    if name in ("PS-Simulink Converter", "Simulink-PS Converter"):
        words = "PS S" if name.startswith("PS") else "S PS"
        size = min(9.0, box.width / 3)
        return [rectangle(left, box.top, box.width, box.height), text((x, y), words, size)]
    if not tool.startswith(("fl_lib/Electrical/Electrical Elements/", "ee_lib/Passive/")):
        return None
    half, high = box.width / 2, min(box.height / 3, 8)
    if name == "Resistor":
        steps = [
            (left, y),
            *(
                (left + box.width * (0.25 + 0.5 * n / 6), y + (high, -high)[n % 2])
                for n in range(1, 6)
            ),
            (right, y),
        ]
        return [polyline(steps)]
    if name == "Capacitor":
        return [
            polyline([(left, y), (x - 3, y)]),
            polyline([(x - 3, y - high), (x - 3, y + high)]),
            polyline([(x + 3, y - high), (x + 3, y + high)]),
            polyline([(x + 3, y), (right, y)]),
        ]
    if name == "Inductor":
        arc = half / 4
        arcs = "".join(f" a{arc:.1f},{arc:.1f} 0 0 1 {2 * arc:.1f},0" for _ in range(4))
        return [path(f"M{left:.1f},{y:.1f} M{left:.1f},{y:.1f}{arcs}", "icon")]
    return None
