"""What a lexicon looks at in a text: its words, their neighbours and places, how it is written."""

from __future__ import annotations

import re
from itertools import pairwise
from zlib import crc32

from grounded_builder.catalog.sanitize import without_number
from grounded_builder.catalog.tokenize import split_identifier, stem, synonym_groups

_CAMEL = re.compile(r"[a-z][A-Z]")
_MOST_WORDS = 24
_MOST_REQUEST_WORDS = 60
_COUNTED = 8
_PREFIX = 4
# Symbols and emoji: what stands behind the alphabets, but for the wide scripts of East Asia.
_PICTURE = re.compile("[\u2000-\u2e7f\ud800-\U0010ffff]")


def name_features(text: str) -> tuple[list[int], int]:
    """A short name as hashed features, each once, and how many of them, the first, are words.

    A copy's number behind the name does not count.
    """
    words = [stem(word) for word in split_identifier(without_number(text))[:_MOST_WORDS]]
    entries = dict.fromkeys(words)
    count = len(entries)
    entries |= dict.fromkeys(f"{a}_{b}" for a, b in pairwise(words))
    entries |= dict.fromkeys(f"p:{word[:_PREFIX]}" for word in words if len(word) > _PREFIX)
    entries |= dict.fromkeys(f"~{row}" for word in words for row in sorted(synonym_groups(word)))
    entries[f"n{min(len(words), _COUNTED)}"] = None
    if words:
        first, last = words[0], words[-1]
        entries[f"^{first}"] = entries[f"{last}$"] = None
        entries |= dict.fromkeys(f"^~{row}" for row in sorted(synonym_groups(first)))
        entries[f"^{first}..{last}$" if len(words) > 2 else f"={' '.join(words)}"] = None
    entries |= dict.fromkeys(f"/{form}" for form in _forms(text))
    return [crc32(name.encode()) for name in entries], count


def request_features(text: str) -> list[int]:
    """A title or request as hashed features, each once: its words and those side by side."""
    words = [stem(word) for word in split_identifier(text)[:_MOST_REQUEST_WORDS]]
    entries = dict.fromkeys(words)
    entries |= dict.fromkeys(f"{a}_{b}" for a, b in pairwise(words))
    return [crc32(name.encode()) for name in entries]


def _forms(text: str) -> list[str]:
    """Marks of how a text is written: a question, a picture, underscores, joined words."""
    forms = {
        "question": "?" in text,
        "picture": not text.isascii() and _PICTURE.search(text) is not None,
        "joined": "_" in text,
        "lower": text.islower(),
        "camel": _CAMEL.search(text) is not None,
    }
    return [form for form, holds in forms.items() if holds]
