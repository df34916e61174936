"""Cleans names, texts and catalog entries of invisible characters, copy numbers and long gaps."""

from __future__ import annotations

import re
from typing import Any

# Control characters (C0 and C1) except tab and line feed, zero-width and direction marks, and
# invisible tags: a person who reviews a description does not see them, but a model reads them.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"\s+")
_LONG_GAP = re.compile(r"\s{17,}")

_MAX_NAME_CHARS = 300
_MAX_TEXT_CHARS = 4_000
_NAME_KEYS = frozenset({"name", "category", "family"})
_TEXT_KEYS = frozenset({"displayName", "description", "hint", "placeholder", "action"})
_NAME_LIST_KEYS = frozenset({"aliases", "keywords"})
# Values and conditions are used literally.
_LITERAL_KEYS = frozenset({"default", "displayOptions", "params", "when", "examples", "value"})


def sanitize_entry(line: dict[str, Any]) -> dict[str, Any]:
    """Strips and bounds, in place, every text that people or models read; ids and values stay."""
    stack: list[Any] = [line]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(child for child in current if isinstance(child, dict | list))
            continue
        for key, value in current.items():
            if isinstance(value, str):
                if key in _NAME_KEYS:
                    current[key] = clean_name(value)
                elif key in _TEXT_KEYS:
                    current[key] = clean_text(value)
            elif key in _NAME_LIST_KEYS and isinstance(value, list):
                current[key] = [
                    clean_name(name) if isinstance(name, str) else name for name in value
                ]
            elif isinstance(value, dict | list) and key not in _LITERAL_KEYS:
                stack.append(value)
    return line


def clean_name(text: str) -> str:
    """Returns a name on one line, with at most 300 characters."""
    if len(text) > _MAX_NAME_CHARS or not text.isprintable():
        text = _SPACES.sub(" ", _INVISIBLE.sub("", text)).strip()
        return _cut(text, _MAX_NAME_CHARS)
    return text


def clean_text(text: str) -> str:
    """Returns a description with at most 4,000 characters; line feeds and tabs stay."""
    if len(text) > _MAX_TEXT_CHARS or not text.isprintable():
        return _cut(_INVISIBLE.sub("", text), _MAX_TEXT_CHARS)
    return text


def without_number(name: str) -> str:
    """Returns a name without the number at its end that copies get: ``Merge 2``."""
    text = name.rstrip()
    base = text.rstrip("0123456789")
    return name if base == text else base.rstrip()


def sub_closed(pattern: re.Pattern[str], closing: str, replacement: str, text: str) -> str:
    """Returns a text with each match of a pattern that ends with ``closing`` replaced.

    The text after the last ``closing`` is not searched: each opening in it would be searched to the
    end of the text without a match.
    """
    end = text.rfind(closing) + len(closing) if closing in text else 0
    return pattern.sub(replacement, text[:end]) + text[end:]


def shorten_gaps(text: str) -> str:
    """Returns a request with each run of more than 16 blanks cut to a space or an empty line.

    The patterns for plain words match gaps of any length, several in sequence and from each
    position within one: their time would grow with a power of the longest gap.
    """
    return _LONG_GAP.sub(lambda gap: "\n\n" if "\n" in gap[0] else " ", text)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
