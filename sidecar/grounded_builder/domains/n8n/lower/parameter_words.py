"""Words of parameter names: split, folded, and made equal where people use them alike."""

from __future__ import annotations

import re

_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

# General English: within a row, people name one and the same input of a step.
_ALIKE = (
    ("query", "search", "q", "filter", "filters", "find"),
    ("body", "message", "text", "content", "contents", "html"),
    ("to", "recipient", "recipients", "receiver", "sendto"),
    ("from", "sender", "fromemail"),
    ("file", "binary", "attachment", "document"),
    ("filename", "name", "title"),
    ("id", "identifier", "key"),
    ("url", "uri", "link", "address", "endpoint"),
    ("folder", "directory", "dir", "parent"),
    ("table", "sheet", "worksheet"),
    ("max", "limit", "count", "maximum"),
    ("channel", "room", "conversation"),
    ("prompt", "instruction", "instructions", "question"),
    ("interval", "every", "period", "schedule"),
)
_CLASS = {word: row[0] for row in _ALIKE for word in row}


def words(text: str) -> tuple[str, ...]:
    """Returns the words of a name in lower case: ``maxItems`` and ``max_items`` are ``max``,
    ``items``.
    """
    return tuple(part.casefold() for part in _SPLIT.split(text) if part)


def classes(text: str) -> frozenset[str]:
    """Returns the words of a name, each replaced by what stands for it and its like, without plural
    s.
    """
    entries = set()
    for word in words(text):
        single = word[:-1] if len(word) > 3 and word.endswith("s") else word
        entries.add(_CLASS.get(word) or _CLASS.get(single) or single)
    return frozenset(entries)
