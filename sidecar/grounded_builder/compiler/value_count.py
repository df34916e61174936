"""Limits the number of values in a JSON text before it is decoded, which takes most memory."""

from __future__ import annotations

_COMMA, _LIST, _OBJECT, _QUOTE = b",", b"[", b"{", b'"'
# In a string, each of these characters can be written as an escape.
_ESCAPED = rb"\u00"
_QUOTES_PER_VALUE = 4


def holds_more_values(raw: bytes, most: int) -> bool:
    """Returns whether a JSON text has more than ``most`` commas, lists and objects in all.

    Characters inside strings do not count. Time and memory are linear in the text, and small
    compared with decoding it: 8 MB take about 10 ms.
    """
    if count_marks(raw) <= most:
        return False
    unescaped = raw.replace(rb"\\", b"").replace(rb"\"", b"")
    # Each value has at most two quotes, and its key two more.
    if unescaped.count(_QUOTE) > _QUOTES_PER_VALUE * (most + 1):
        return True
    return count_marks(b"".join(unescaped.split(_QUOTE)[::2])) > most


def count_marks(raw: bytes) -> int:
    """Returns an upper bound of the commas and opening brackets in a text, with strings."""
    marks = raw.count(_COMMA) + raw.count(_LIST) + raw.count(_OBJECT)
    return marks + raw.count(_ESCAPED)
