"""Text of a document made harmless for a terminal and for a log that programs read."""

from __future__ import annotations

import unicodedata

# Joiners are part of words and pictograms.
_JOINERS = frozenset("\u200c\u200d")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text on one line: controls, line ends and direction marks are escaped."""
    if text.isprintable():
        return text
    return "".join(_escaped(char) if _is_unseen(char) else char for char in text)


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in _UNSEEN and char not in _JOINERS


def _escaped(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
