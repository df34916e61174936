"""Draws the picture of a model: its diagrams below each other, each with its path as heading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from grounded_builder.domains.simulink.draw.geometry import boxes
from grounded_builder.domains.simulink.draw.layout import lay_out
from grounded_builder.domains.simulink.draw.lines import draw_line
from grounded_builder.domains.simulink.draw.routing import route_lines
from grounded_builder.domains.simulink.draw.shapes import shape
from grounded_builder.domains.simulink.draw.svg import number, plain, text
from grounded_builder.domains.simulink.read.document import block_path, systems

_MARGIN = 30.0
_HEADING = 24.0
_NOTE = 9.0
_STYLE = """
text{font-family:Helvetica,Arial,sans-serif;fill:#000;stroke:none}
.block{fill:#fff;stroke:#000;stroke-width:1}
.block .bar{fill:#000}
.block .icon,.block polyline{fill:none;stroke:#000;stroke-width:1}
.block .thick{stroke-width:2}
.silent{opacity:.35}
.signal{fill:none;stroke:#000;stroke-width:1}
.physical{fill:none;stroke:#0072bd;stroke-width:1}
.loose{stroke:#c00;stroke-dasharray:3 2}
.fork.signal{fill:#000}
.fork.physical{fill:#0072bd}
.head{fill:#000;stroke:none}
.note{fill:#333}
.heading{font-weight:bold;fill:#555}
.sheet{fill:#fff}
"""


def draw(model: Mapping[str, Any], only: str | None = None, most: int = 100) -> str:
    """Returns an SVG picture of all diagrams of a model, or of the one at a path.

    At most ``most`` diagrams are drawn, and a line states the number of the others. Raises KeyError
    when there is no diagram at the path.
    """
    chosen = [
        (block_path(path), system)
        for _, path, system in systems(model)
        if only is None or block_path(path) == only
    ]
    if not chosen:
        raise KeyError(only)
    name = str(model.get("name") or "model")
    marks: list[str] = []
    top, widest = 0.0, 200.0
    for path, stated in chosen[:most]:
        # Diagrams of files keep their layout, including lines without corners.
        system = route_lines(lay_out(stated)) if model.get("layout") in (None, "plan") else stated
        heading = "/".join(filter(None, (name, path))).replace("\n", " ")
        part, width, height = _diagram(system, heading, top)
        marks += part
        top += height
        widest = max(widest, width)
    if len(chosen) > most:
        rest = f"{len(chosen) - most:,} more diagrams are not drawn"
        marks.append(text((_MARGIN, top + 10), rest, 10, "start", "heading"))
        top += 20
    size = f'width="{number(widest)}" height="{number(top)}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'viewBox="0 0 {number(widest)} {number(top)}">'
    )
    style = f"<style>{_STYLE.strip()}</style>"
    sheet = f'<rect class="sheet" {size}/>'
    return "\n".join([head, style, sheet, *marks, "</svg>"]) + "\n"


def _diagram(system: Mapping[str, Any], heading: str, top: float) -> tuple[list[str], float, float]:
    """Returns the marks of a diagram, its width and its height."""
    placed = boxes(system)
    notes = [note for note in system.get("annotations", ()) if len(note.get("position", ())) >= 2]
    left, upper, right, lower = _extent(system, placed, notes)
    shift = (_MARGIN - left, top + _HEADING + _MARGIN - upper)
    marks = [text((_MARGIN / 2, top + 14), heading, 11, "start", "heading")]
    marks.append(f'<g transform="translate({number(shift[0])},{number(shift[1])})">')
    for line in system["lines"]:
        marks += draw_line(line, placed)
    for block in system["blocks"]:
        marks += shape(block, placed[block["sid"]])
    for note in notes:
        marks += _note(note)
    marks.append("</g>")
    width = max(right - left + 2 * _MARGIN, len(heading) * 7 + _MARGIN)
    return marks, width, lower - upper + 2 * _MARGIN + _HEADING


def _extent(
    system: Mapping[str, Any], placed: Mapping[str, Any], notes: list[Mapping[str, Any]]
) -> tuple[float, float, float, float]:
    """Returns the bounding rectangle of a diagram."""
    xs, ys = [0.0], [0.0]
    if placed or notes:
        xs, ys = [], []
    for block in system["blocks"]:
        box = placed[block["sid"]]
        lines = block["name"].split("\n")
        half = max(map(len, lines)) * 2.6
        if len(lines) == 1 and len(block["name"]) > 32:
            half /= 1.7
        xs += [box.left, box.right, box.centre[0] - half, box.centre[0] + half]
        ys += [box.top, box.bottom + 14 + 11 * len(lines)]
        if "element" in block:
            reach = 5.2 * len(".".join(block["element"].values()))
            xs += [box.left - reach, box.right + reach]
    for note in notes:
        x, y = note["position"][:2]
        lines = plain(str(note.get("text", "")))
        xs += [x, x + max(map(len, lines), default=0) * _NOTE * 0.5]
        ys += [y, y + len(lines) * _NOTE * 1.3]
    for line in system["lines"]:
        if line.get("from") is not None and line["from"]["block"] in placed:
            box = placed[line["from"]["block"]]
            _reach(line, box.centre, xs, ys)
    return min(xs), min(ys), max(xs), max(ys)


def _reach(
    line: Mapping[str, Any], start: tuple[float, float], xs: list[float], ys: list[float]
) -> None:
    waiting = [(line, start)]
    while waiting:
        part, (x, y) = waiting.pop()
        for dx, dy in part.get("points", ()):
            x, y = x + dx, y + dy
            xs.append(x)
            ys.append(y)
        waiting += [(branch, (x, y)) for branch in part.get("branches", ())]


def _note(note: Mapping[str, Any]) -> Iterator[str]:
    x, y = note["position"][:2]
    for index, line in enumerate(plain(str(note.get("text", "")))):
        at = (x, y + _NOTE * 0.7 + index * _NOTE * 1.3)
        yield text(at, line[:300], _NOTE, "start", "note")
