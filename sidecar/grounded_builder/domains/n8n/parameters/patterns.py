"""Regular expressions out of a catalog: written for JavaScript, untrusted, and bounded in time."""

from __future__ import annotations

import re
from functools import lru_cache

import regex

_LONGEST_PATTERN = 20_000
_LONGEST_TEXT = 20_000
_TIME_LIMIT_S = 0.02
# A document can hold thousands of values for one pattern: after so many it is no longer tried.
_PATIENCE = 3
# A catalog can hold thousands of such patterns: after so many each gets little time.
_MISTRUST = 20
_LITTLE_TIME_S = 0.001
_timeouts: dict[str, int] = {}
_PIECE = re.compile(
    r"\\.|\[\^?\]?(?:\\(?:.|\Z)|[^\]\\])*(?:\]|\Z)|\(\?<(?=[A-Za-z_$])|\$|.", re.DOTALL
)


def found_in(pattern: str, text: str) -> bool | None:
    """Whether a JavaScript pattern occurs in a text; None when that cannot be said in time."""
    compiled = _compiled(pattern)
    if compiled is None or len(text) > _LONGEST_TEXT or _timeouts.get(pattern, 0) >= _PATIENCE:
        return None
    try:
        limit = _TIME_LIMIT_S if len(_timeouts) < _MISTRUST else _LITTLE_TIME_S
        return compiled.search(text, timeout=limit) is not None
    except TimeoutError:
        _timeouts[pattern] = _timeouts.get(pattern, 0) + 1
        return None


@lru_cache(2_048)
def _compiled(pattern: str) -> regex.Pattern[str] | None:
    if len(pattern) > _LONGEST_PATTERN:
        return None
    try:
        return regex.compile(_translated(pattern), regex.ASCII | regex.VERSION0)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError):
        return None


def _translated(pattern: str) -> str:
    """Write a JavaScript pattern for Python: there ``$`` also matches before a last newline."""
    return "".join(_piece(match.group()) for match in _PIECE.finditer(pattern))


def _piece(piece: str) -> str:
    if piece == "$":
        return r"\Z"
    if piece == "(?<":
        return "(?P<"
    if piece == "[]":
        return "(?!)"
    if piece == "[^]":
        return r"(?s:.)"
    return piece
