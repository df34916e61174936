"""The marked line of a source."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from grounded_builder.diagnostics.excerpt import Look, excerpt
from grounded_builder.diagnostics.json_position import Position, locate

LINE = '  {"name": "Größe 世界", "type": "gmial", "x": 1}'


def show_excerpt(line: str, token: str, width: int = 100) -> list[str]:
    start = line.index(token)
    return excerpt([line], Position(start, len(token), 1, start + 1), Look(width))


def test_the_mark_lies_below_the_place() -> None:
    """Wide characters before the place take two columns each."""
    above, below = show_excerpt(LINE, '"gmial"')
    marked = below[below.index("^") :]
    assert marked == "^" * 7
    head = above[: above.index('"gmial"')]
    assert cell_len(head) == below.index("^")


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("count", [0, 30, 100_000])
def test_a_long_line_is_cut_around_the_place(width: int, count: int) -> None:
    """A document on one line shows the part that is meant, never more than the terminal has."""
    above, below = show_excerpt("x" * count + '"bad"' + "y" * count, '"bad"', width)
    assert max(len(above), len(below)) <= width
    column = below.index("^")
    assert above[column : column + 5] == '"bad"'


def test_excerpt_blanks_control_characters() -> None:
    """Escape codes and tabs of a document are not sent to the terminal."""
    above, _ = show_excerpt('\x1b[31m\t"bad"', '"bad"')
    assert "\x1b" not in above
    assert "\t" not in above


def test_windows_line_ends_and_other_marks_count() -> None:
    """A line ends with its line feed, whatever stands before it."""
    text = '{\r\n  "nodes": [\r\n    {"a": 1}\r\n  ]\r\n}'
    place = locate(text, [("nodes", 0, "a")])["nodes", 0, "a"]
    assert (place.line, place.column) == (3, 11)
    above, below = excerpt(text.split("\n"), place, Look(80))
    assert above[below.index("^")] == "1"
