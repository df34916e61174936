"""The line of a source that a finding is about, its place marked."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style

from grounded_builder.diagnostics.json_position import Position

_LEAST = 12
_CUT = "…"
_BRACKETS = ("{", "[")


@dataclass(frozen=True, slots=True)
class Look:
    """How text is shown: columns of the terminal, and whether it has colours."""

    width: int = 100
    colour: bool = False

    def painted(self, text: str, style: str) -> str:
        """The text in a style of rich's words, plain without colours."""
        if not self.colour:
            return text
        return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)


PLAIN = Look()


def excerpt(lines: list[str], place: Position, look: Look) -> list[str]:
    """The source line, cut around the place where it is long, and the mark below it.

    Nothing where the line is a mere bracket.
    """
    if place.line > len(lines):
        return []
    line = lines[place.line - 1]
    if line.strip() in _BRACKETS:
        return []
    number = str(place.line)
    room = max(look.width - len(number) - 5, _LEAST)
    shown, start, length = _window(line, place.column - 1, max(place.length, 1), room)
    indent = " " * cell_len(shown[:start])
    mark = "^" * max(cell_len(shown[start : start + length]), 1)
    gutter = look.painted(f"  {number} |", "blue")
    below = look.painted(f"  {' ' * len(number)} |", "blue")
    return [f"{gutter} {shown}", f"{below} {indent}{look.painted(mark, 'bold')}"]


def _window(line: str, start: int, length: int, room: int) -> tuple[str, int, int]:
    """The part of a line that has room, with where the place is in it."""
    clean = "".join(char if char.isprintable() else " " for char in line[: start + length + room])
    length = min(length, max(len(clean) - start, 0), room - 2)
    if len(clean) <= room and len(line) <= room:
        return clean.rstrip(), start, length
    begin = max(0, min(start - (room - length) // 2, start))
    head = _CUT if begin else ""
    taken = clean[begin : begin + room - len(head) - 1]
    tail = _CUT if begin + len(taken) < len(line) else ""
    return head + taken + tail, start - begin + len(head), length
