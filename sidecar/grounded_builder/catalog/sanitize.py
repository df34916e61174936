"""Make the names and descriptions of a catalog harmless: bounded and free of control characters."""

from __future__ import annotations

import re
from typing import Any

# C0 and C1 controls but tab and line feed, zero-width and direction marks, invisible tags: none
# of them is seen by the person who reviews a description, all of them reach a model.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"\s+")
_LONG_GAP = re.compile(r"\s{17,}")

_NAME_LENGTH = 300
_TEXT_LENGTH = 4_000
_NAMES = frozenset({"name", "category", "family"})
_TEXTS = frozenset({"displayName", "description", "hint", "placeholder", "action"})
_NAME_LISTS = frozenset({"aliases", "keywords"})
# Values and conditions mean what they say to the letter.
_UNTOUCHED = frozenset({"default", "displayOptions", "params", "when", "examples", "value"})


def sanitize_entry(line: dict[str, Any]) -> dict[str, Any]:
    """Strip and bound every text that people or models read, in place; ids and values stay."""
    stack: list[Any] = [line]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(child for child in current if isinstance(child, dict | list))
            continue
        for key, value in current.items():
            if isinstance(value, str):
                if key in _NAMES:
                    current[key] = clean_name(value)
                elif key in _TEXTS:
                    current[key] = clean_text(value)
            elif key in _NAME_LISTS and isinstance(value, list):
                current[key] = [
                    clean_name(name) if isinstance(name, str) else name for name in value
                ]
            elif isinstance(value, dict | list) and key not in _UNTOUCHED:
                stack.append(value)
    return line


def clean_name(text: str) -> str:
    """A name on one line, at most 300 characters."""
    if len(text) > _NAME_LENGTH or not text.isprintable():
        text = _SPACES.sub(" ", _UNSEEN.sub("", text)).strip()
        return _cut(text, _NAME_LENGTH)
    return text


def clean_text(text: str) -> str:
    """A description, at most 4,000 characters; line feeds and tabs stay."""
    if len(text) > _TEXT_LENGTH or not text.isprintable():
        return _cut(_UNSEEN.sub("", text), _TEXT_LENGTH)
    return text


def without_number(name: str) -> str:
    """Returns a name without the number at its end that a copy of it gets: ``Merge 2``."""
    text = name.rstrip()
    base = text.rstrip("0123456789")
    return name if base == text else base.rstrip()


def sub_closed(pattern: re.Pattern[str], closing: str, instead: str, text: str) -> str:
    """Returns a text with ``instead`` for each match of a pattern that ends with ``closing``.

    Nothing is looked for behind the last ``closing``, where an opening would be searched to the
    end of the text each time and never be closed.
    """
    end = text.rfind(closing) + len(closing) if closing in text else 0
    return pattern.sub(instead, text[:end]) + text[end:]


def shorten_gaps(text: str) -> str:
    """Returns a request without runs of more than 16 blanks: a space or an empty line for each.

    Patterns for plain words read gaps of any length, several in a row and from each place in one:
    their time grows with a power of the longest gap.
    """
    return _LONG_GAP.sub(lambda gap: "\n\n" if "\n" in gap[0] else " ", text)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
