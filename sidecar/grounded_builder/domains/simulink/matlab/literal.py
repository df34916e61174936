"""Writes texts, numbers and names as MATLAB literals, which never run as code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_ASCII = range(0x20, 0x7F)
_LONGEST_NAME = 63
# https://www.mathworks.com/help/matlab/ref/iskeyword.html
_KEYWORDS = frozenset(
    """
    break case catch classdef continue else elseif end for function global if otherwise parfor
    persistent return spmd switch try while
    """.split()
)


def quote_text(text: str) -> str:
    """Returns a char row of this text in plain ASCII, with the same value in MATLAB and Octave.

    Other characters are written as UTF-8 bytes: R2019b reads files in the encoding of the locale.
    """
    if all(ord(mark) in _ASCII for mark in text):
        return _row(text)
    if all(ord(mark) < 0x80 for mark in text):
        parts = [_row(part) if ord(part[0]) in _ASCII else _codes(part) for part in _runs(text)]
        return parts[0] if len(parts) == 1 else f"[{' '.join(parts)}]"
    codes = " ".join(str(code) for code in text.encode("utf-8", "replace"))
    return f"native2unicode(uint8([{codes}]), 'UTF-8')"


def format_comment(text: str) -> str:
    """Returns one line of a comment that cannot end it or open a block comment."""
    plain = "".join(mark if ord(mark) in _ASCII else " " for mark in text)
    return "% " + " ".join(plain.split())


def vector(numbers: Sequence[float]) -> str:
    """Returns a row of numbers."""
    return f"[{' '.join(f'{number:.15g}' for number in numbers)}]"


def identifier(text: str, taken: Iterable[str] = ()) -> str:
    """Returns a valid and unique name for a variable or a model, made from the words of a text."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    name = "_".join(words)[: _LONGEST_NAME - 6] or "block"
    if not name[0].isalpha() or name in _KEYWORDS:
        name = f"m_{name}"
    used, number, free = set(taken), 2, name
    while free in used:
        free, number = f"{name}_{number}", number + 1
    return free


def _row(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _codes(text: str) -> str:
    codes = [str(ord(mark)) for mark in text]
    return f"char({codes[0]})" if len(codes) == 1 else f"char([{' '.join(codes)}])"


def _runs(text: str) -> list[str]:
    """Returns the text in pieces that are either all printable or all not."""
    return re.findall(r"[\x20-\x7e]+|[^\x20-\x7e]+", text)
