"""Escapes control and direction characters of a text for display in terminals and logs."""

from __future__ import annotations

import unicodedata

# Joiners are parts of words and pictograms.
_JOINERS = frozenset("\u200c\u200d")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def escape_invisible(text: str) -> str:
    """Returns a text on one line, with controls, line ends and direction marks escaped."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if _is_invisible(char) else char for char in text)


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) in _INVISIBLE and char not in _JOINERS


def _escape(char: str) -> str:
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
