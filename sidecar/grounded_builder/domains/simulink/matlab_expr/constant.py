"""What is proven of a value: its shape, and its elements where those are known."""

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
    """A single number."""
    if isinstance(value, complex) and value.imag == 0:
        value = value.real
    return Known(1, 1, (value,))


def number_of(known: Known | None) -> float | None:
    """The real number that a value is; None for anything else."""
    if known is None or known.of_text or known.elements is None or len(known.elements) != 1:
        return None
    one = known.elements[0]
    return None if isinstance(one, complex) else float(one)


def counted(parts: list[Known | None]) -> Known | None:
    """The numbers from a first to a last one, by a step."""
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


def below(rows: Sequence[Known]) -> Known | None:
    """Matrices under each other; None where their widths differ."""
    if not rows:
        return Known(0, 0, ())
    if len({row.columns for row in rows}) != 1 or any(row.of_text for row in rows[1:]):
        return None
    elements: tuple[Number, ...] | None = ()
    for one in rows:
        more = one.elements
        elements = None if elements is None or more is None else elements + more
    return Known(sum(row.rows for row in rows), rows[0].columns, elements, rows[0].of_text)


def beside(cells: list[Known | None]) -> Known | None:
    """Matrices side by side; None where one is not known or their heights differ."""
    known = [cell for cell in cells if cell is not None]
    if len(known) != len(cells) or any(one.of_text for one in known):
        return None
    full = [one for one in known if one.rows * one.columns]
    if not full:
        return Known(0, 0, ())
    height = full[0].rows
    if any(one.rows != height for one in full):
        return None
    width = sum(one.columns for one in full)
    if any(one.elements is None for one in full) or height * width > MOST_KNOWN:
        return Known(height, width)
    out: list[Number] = []
    for row in range(height):
        for one in full:
            cut = one.elements or ()
            out += cut[row * one.columns : (row + 1) * one.columns]
    return Known(height, width, tuple(out))
