"""The pieces of code in an expression, cut as n8n cuts them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Chunk:
    """The code between two braces; ``start`` is its place in the expression, after the ``=``."""

    code: str
    start: int
    closed: bool


def split(expression: str) -> list[Chunk]:
    """Returns the pieces of code in an expression, cut as n8n cuts it: up to the first ``}}``.

    A string does not protect a brace pair, an odd number of backslashes before it does; what is
    never closed is code to the end.
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
            chunks.append(Chunk(_unescaped(expression[begin:place]), begin, closed=True))
            begin = -1
    if 0 <= begin < len(expression):
        chunks.append(Chunk(_unescaped(expression[begin:]), begin, closed=False))
    return chunks


def _unescaped(code: str) -> str:
    """n8n takes the backslash off the first escaped closing pair."""
    return code.replace("\\}}", "}}", 1)
