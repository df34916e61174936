"""Estimate how many tokens a text takes, without any model's vocabulary."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# Vocabularies of language models hold short English words whole and take about four letters of
# longer ones at a time; signs mostly stand alone, letters of other scripts are often cut in two.
_PIECE = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
_LETTERS = 5
_DIGITS = 2
_FOREIGN = 1.5


def tokens_in(text: str) -> int:
    """Returns about how many tokens a text takes; rather too many than too few."""
    total = 0.0
    for match in _PIECE.finditer(text):
        piece = match[0]
        if not piece[0].isascii():
            total += _FOREIGN
        elif piece[0].isalpha():
            total += math.ceil(len(piece) / _LETTERS)
        else:
            total += math.ceil(len(piece) / _DIGITS)
    return math.ceil(total)


def tokens_of(texts: Iterable[str]) -> int:
    """Returns about how many tokens several texts take."""
    return sum(map(tokens_in, texts))
