"""Whether a name is another one with a slip of the pen, word by word."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

_WORD = re.compile(r"\d+|[^\W\d_]?[^\W\d_A-Z]+|[A-Z]+(?![a-z])|[A-Z]")
# Letters that a name needs for a slip to count, and a word for a wrong letter in it.
_LEAST, _LEAST_WORD = 4, 4
_TWO_SLIPS = 10
_LONGEST = 200


def is_slip(given: str, text: str) -> bool:
    """Returns whether one letter is too many, too few, wrong or out of place; in long names two.

    Numbers count, and so do a word's first letter and short words: ``value2`` is not ``value1``,
    ``bcc`` not ``cc``, ``textA`` not ``textB``; of two slips each lies in a word of its own.
    """
    if not _LEAST <= len(given) <= _LONGEST or abs(len(given) - len(text)) > 2:
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
    most = 2 if len(given) >= _TWO_SLIPS else 1
    return len(pairs) <= most and all(_is_word_slip(*pair) for pair in pairs)


def _is_word_slip(given: str, text: str) -> bool:
    if given[:1] != text[:1] and sorted(given) != sorted(text):
        return False
    if OSA.distance(given, text) != 1:
        return False
    # In a short word only letters that are doubled, lost or out of place are no other word.
    return len(given) != len(text) or sorted(given) == sorted(text) or len(text) >= _LEAST_WORD


def _digits(text: str) -> str:
    return "".join(mark for mark in text if mark.isdigit())
