"""Matches JavaScript regular expressions of a catalog, which is untrusted, in bounded time."""

from __future__ import annotations

import re
from functools import lru_cache

import regex

_MAX_PATTERN_LENGTH = 20_000
_MAX_TEXT_LENGTH = 20_000
_TIME_LIMIT_S = 0.02
# A document can hold thousands of values for a pattern: after so many timeouts it is not tried.
_MAX_TIMEOUTS_PER_PATTERN = 3
# A catalog can hold thousands of slow patterns: after so many the time limit is reduced.
_MAX_SLOW_PATTERNS = 20
_REDUCED_TIME_LIMIT_S = 0.001
_timeouts: dict[str, int] = {}
_PIECE = re.compile(
    r"\\.|\[\^?\]?(?:\\(?:.|\Z)|[^\]\\])*(?:\]|\Z)|\(\?<(?=[A-Za-z_$])|\$|.", re.DOTALL
)


def pattern_matches(pattern: str, text: str) -> bool | None:
    """Returns whether a JavaScript pattern occurs in a text, None if undecided in time."""
    compiled = _compile(pattern)
    if (
        compiled is None
        or len(text) > _MAX_TEXT_LENGTH
        or _timeouts.get(pattern, 0) >= _MAX_TIMEOUTS_PER_PATTERN
    ):
        return None
    try:
        limit = _TIME_LIMIT_S if len(_timeouts) < _MAX_SLOW_PATTERNS else _REDUCED_TIME_LIMIT_S
        return compiled.search(text, timeout=limit) is not None
    except TimeoutError:
        _timeouts[pattern] = _timeouts.get(pattern, 0) + 1
        return None


@lru_cache(2_048)
def _compile(pattern: str) -> regex.Pattern[str] | None:
    if len(pattern) > _MAX_PATTERN_LENGTH:
        return None
    try:
        return regex.compile(_translate(pattern), regex.ASCII | regex.VERSION0)
    except (regex.error, ValueError, OverflowError, RecursionError, MemoryError):
        return None


def _translate(pattern: str) -> str:
    """Translates a JavaScript pattern; Python's ``$`` also matches before a final newline."""
    return "".join(_translate_piece(match.group()) for match in _PIECE.finditer(pattern))


def _translate_piece(piece: str) -> str:
    if piece == "$":
        return r"\Z"
    if piece == "(?<":
        return "(?P<"
    if piece == "[]":
        return "(?!)"
    if piece == "[^]":
        return r"(?s:.)"
    return piece
