"""Formats the source line of a diagnostic, with its place marked."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from grounded_builder.diagnostics.json_position import Position

_MIN_WIDTH = 12
_ELLIPSIS = "…"
_BRACKETS = ("{", "[")


@dataclass(frozen=True, slots=True)
class Look:
    """The display options: columns of the terminal, and whether it has colours."""

    width: int = 100
    colour: bool = False

    def paint(self, text: str, style: str) -> str:
        """Returns a text in a style of the library rich, unchanged without colours."""
        if not self.colour:
            return text
        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


PLAIN = Look()


def excerpt(lines: list[str], place: Position, look: Look) -> list[str]:
    """Returns the source line, cut around the place if it is long, and the mark below it.

    Returns [] if the line is only a bracket.
    """
    if place.line > len(lines):
        return []
    line = lines[place.line - 1]
    if line.strip() in _BRACKETS:
        return []
    number = str(place.line)
    room = max(look.width - len(number) - 5, _MIN_WIDTH)
    shown, start, length = _cut_window(line, place.column - 1, max(place.length, 1), room)
    indent = " " * cell_len(shown[:start])
    mark = "^" * max(cell_len(shown[start : start + length]), 1)
    gutter = look.paint(f"  {number} |", "blue")
    below = look.paint(f"  {' ' * len(number)} |", "blue")
    return [f"{gutter} {shown}", f"{below} {indent}{look.paint(mark, 'bold')}"]


def _cut_window(line: str, start: int, length: int, room: int) -> tuple[str, int, int]:
    """Returns the part of a line that fits, with the start and length of the place in it."""
    clean = "".join(char if char.isprintable() else " " for char in line[: start + length + room])
    length = min(length, max(len(clean) - start, 0), room - 2)
    if len(clean) <= room and len(line) <= room:
        return clean.rstrip(), start, length
    begin = max(0, min(start - (room - length) // 2, start))
    head = _ELLIPSIS if begin else ""
    taken = clean[begin : begin + room - len(head) - 1]
    tail = _ELLIPSIS if begin + len(taken) < len(line) else ""
    return head + taken + tail, start - begin + len(head), length
