"""Estimates the number of tokens of a text, without a model's vocabulary."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

# Vocabularies of language models contain short English words and take about four letters of
# longer ones at a time; signs are mostly single tokens, letters of other scripts are often split.
_PIECE = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]")
_LETTERS = 5
_DIGITS = 2
_FOREIGN = 1.5


def tokens_in(text: str) -> int:
    """Returns the estimated number of tokens of a text, rather too high than too low."""
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
    """Returns the estimated number of tokens of several texts."""
    return sum(map(tokens_in, texts))
