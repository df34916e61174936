"""Decide whether a name is a typo of another one, word by word."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

_WORD = re.compile(r"\d+|[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[A-Z]")
# Minimum number of letters of a name for any typo, and of a word for a wrong letter.
_MIN_LENGTH, _MIN_WORD_LENGTH = 4, 4
_MIN_LENGTH_FOR_TWO_TYPOS = 10
_MAX_LENGTH = 200


def is_typo(given: str, text: str) -> bool:
    """Returns whether one letter is added, missing, wrong or transposed; in long names two.

    Digits, the first letter of a word and short words must be equal: ``value2`` is not ``value1``,
    ``bcc`` not ``cc``, ``textA`` not ``textB``. Two typos must be in different words.
    """
    if not _MIN_LENGTH <= len(given) <= _MAX_LENGTH or abs(len(given) - len(text)) > 2:
        return False
    if _digits(given) != _digits(text):
        return False
    words, others = _WORD.findall(given), _WORD.findall(text)
    if len(words) != len(others):
        return OSA.distance(given.casefold(), text.casefold()) == 1
    pairs = [
        (word.casefold(), other.casefold())
        for word, other in zip(words, others, strict=True)
        if word.casefold() != other.casefold()
    ]
    most = 2 if len(given) >= _MIN_LENGTH_FOR_TWO_TYPOS else 1
    return len(pairs) <= most and all(_is_word_typo(*pair) for pair in pairs)


def _is_word_typo(given: str, text: str) -> bool:
    if given[:1] != text[:1] and sorted(given) != sorted(text):
        return False
    if OSA.distance(given, text) != 1:
        return False
    # In a short word a wrong letter makes another word.
    return len(given) != len(text) or sorted(given) == sorted(text) or len(text) >= _MIN_WORD_LENGTH


def _digits(text: str) -> str:
    return "".join(mark for mark in text if mark.isdigit())
