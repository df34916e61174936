"""Converts drafted values into the texts of Simulink parameters."""

from __future__ import annotations

from typing import Any

from grounded_builder.domains.simulink.catalog.compile_tool import Parameter


def text_of(value: Any, parameter: Parameter | None) -> str | None:
    """Returns the text of a JSON value; None for a value that no parameter can have."""
    if isinstance(value, bool):
        if parameter is not None and parameter.kind == "value":
            return "true" if value else "false"
        return "on" if value else "off"
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _matrix(value)
    return None


def number_text(value: float) -> str:
    """Returns a number in MATLAB notation."""
    if isinstance(value, int):
        return str(value)
    if value != value:  # noqa: PLR0124 - the one number that differs from itself
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _matrix(rows: list[Any]) -> str | None:
    """Returns a list of numbers as a row, or a list of lists as rows."""
    if rows and all(isinstance(row, list) for row in rows):
        lines = [_row(row) for row in rows]
        known = [line for line in lines if line is not None]
        return f"[{'; '.join(known)}]" if len(known) == len(lines) else None
    line = _row(rows)
    return None if line is None else f"[{line}]"


def _row(cells: list[Any]) -> str | None:
    texts = [
        number_text(cell)
        if isinstance(cell, int | float) and not isinstance(cell, bool)
        else cell
        if isinstance(cell, str)
        else None
        for cell in cells
    ]
    known = [text for text in texts if text is not None]
    return " ".join(known) if len(known) == len(texts) else None
