"""Defines known matrix values with a shape and elements, makes ranges, and stacks matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from grounded_builder.domains.simulink.matlab_expr.functions import MOST_ELEMENTS

MOST_KNOWN = 4_096
Number = float | complex


@dataclass(frozen=True, slots=True)
class Known:
    """A numeric matrix: rows and columns, and its elements row by row where those are known.

    ``of_text`` marks text, whose elements are its characters.
    """

    rows: int
    columns: int
    elements: tuple[Number, ...] | None = None
    of_text: bool = False


def scalar(value: Number) -> Known:
    """Returns a single number."""
    if isinstance(value, complex) and value.imag == 0:
        value = value.real
    return Known(1, 1, (value,))


def number_of(known: Known | None) -> float | None:
    """Returns the real number that a value is; None for any other value."""
    if known is None or known.of_text or known.elements is None or len(known.elements) != 1:
        return None
    value = known.elements[0]
    return None if isinstance(value, complex) else float(value)


def build_range(parts: list[Known | None]) -> Known | None:
    """Returns the numbers of a range by start, step and end."""
    ends = [number_of(part) for part in parts]
    first, last = ends[0], ends[-1]
    step = ends[1] if len(ends) == 3 else 1.0
    if first is None or last is None or step is None or not step:
        return None
    count = math.floor((last - first) / step + 1e-10) + 1
    if count > MOST_ELEMENTS:
        return None
    count = max(count, 0)
    cells = tuple(first + step * n for n in range(count)) if count <= MOST_KNOWN else None
    return Known(1, count, cells)


def stack_vertically(rows: Sequence[Known]) -> Known | None:
    """Returns matrices concatenated vertically; None where their widths differ."""
    if not rows:
        return Known(0, 0, ())
    if len({row.columns for row in rows}) != 1 or any(row.of_text for row in rows[1:]):
        return None
    elements: tuple[Number, ...] | None = ()
    for known in rows:
        more = known.elements
        elements = None if elements is None or more is None else elements + more
    return Known(sum(row.rows for row in rows), rows[0].columns, elements, rows[0].of_text)


def stack_horizontally(cells: list[Known | None]) -> Known | None:
    """Returns matrices concatenated horizontally; None where one is unknown or heights differ."""
    known = [cell for cell in cells if cell is not None]
    if len(known) != len(cells) or any(item.of_text for item in known):
        return None
    full = [item for item in known if item.rows * item.columns]
    if not full:
        return Known(0, 0, ())
    height = full[0].rows
    if any(item.rows != height for item in full):
        return None
    width = sum(item.columns for item in full)
    if any(item.elements is None for item in full) or height * width > MOST_KNOWN:
        return Known(height, width)
    out: list[Number] = []
    for row in range(height):
        for item in full:
            cut = item.elements or ()
            out += cut[row * item.columns : (row + 1) * item.columns]
    return Known(height, width, tuple(out))
