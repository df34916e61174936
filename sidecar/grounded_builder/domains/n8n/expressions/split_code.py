"""Splits an expression into its pieces of code as n8n does."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """The code between two pairs of braces; ``start`` is its position after the ``=``."""

    code: str
    start: int
    closed: bool


def split(expression: str) -> list[Chunk]:
    """Returns the pieces of code in an expression, each up to the first ``}}``, as in n8n.

    A string does not protect a pair of braces; an odd number of backslashes before it does. A piece
    that is not closed extends to the end.
    """
    chunks: list[Chunk] = []
    index, slice_start, begin = 0, 0, -1
    while index < len(expression):
        mark = "{{" if begin < 0 else "}}"
        place = expression.find(mark, index)
        if place < 0:
            break
        before = expression[slice_start:place]
        index = slice_start = place + 2
        if (len(before) - len(before.rstrip("\\"))) % 2:
            continue
        if begin < 0:
            begin = place + 2
        else:
            chunks.append(Chunk(_unescape(expression[begin:place]), begin, closed=True))
            begin = -1
    if 0 <= begin < len(expression):
        chunks.append(Chunk(_unescape(expression[begin:]), begin, closed=False))
    return chunks


def _unescape(code: str) -> str:
    """Removes the backslash of the first escaped closing pair, as n8n does."""
    return code.replace("\\}}", "}}", 1)
