"""Converts a name or a request to hashed features (words, pairs, spelling) for usage lexicons."""

from __future__ import annotations

import re
from itertools import pairwise
from zlib import crc32

from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.text_cleaning import without_number
from grounded_builder.catalog.tokenize import split_identifier, stem

_CAMEL = re.compile(r"[a-z][A-Z]")
_MAX_WORDS = 24
_MAX_REQUEST_WORDS = 60
_MAX_COUNT = 8
_PREFIX_CHARS = 4
# Symbols and emoji: characters behind the alphabets, except the wide scripts of East Asia.
_PICTURE = re.compile("[\u2000-\u2e7f\ud800-\U0010ffff]")


def name_features(text: str) -> tuple[list[int], int]:
    """Returns the hashed features of a short name, each once, and the number of words among them.

    The words come first. The number at the end of a copy's name is ignored.
    """
    words = [stem(word) for word in split_identifier(without_number(text))[:_MAX_WORDS]]
    features = dict.fromkeys(words)
    count = len(features)
    features |= dict.fromkeys(f"{a}_{b}" for a, b in pairwise(words))
    features |= dict.fromkeys(
        f"p:{word[:_PREFIX_CHARS]}" for word in words if len(word) > _PREFIX_CHARS
    )
    features |= dict.fromkeys(f"~{row}" for word in words for row in sorted(synonym_groups(word)))
    features[f"n{min(len(words), _MAX_COUNT)}"] = None
    if words:
        first, last = words[0], words[-1]
        features[f"^{first}"] = features[f"{last}$"] = None
        features |= dict.fromkeys(f"^~{row}" for row in sorted(synonym_groups(first)))
        features[f"^{first}..{last}$" if len(words) > 2 else f"={' '.join(words)}"] = None
    features |= dict.fromkeys(f"/{form}" for form in _describe_form(text))
    return [crc32(name.encode()) for name in features], count


def request_features(text: str) -> list[int]:
    """Returns the hashed features of a title or request, each once: words and pairs of words."""
    words = [stem(word) for word in split_identifier(text)[:_MAX_REQUEST_WORDS]]
    features = dict.fromkeys(words)
    features |= dict.fromkeys(f"{a}_{b}" for a, b in pairwise(words))
    return [crc32(name.encode()) for name in features]


def _describe_form(text: str) -> list[str]:
    """Returns the marks of a text's spelling: a question, a pictogram, underscores, camel case."""
    forms = {
        "question": "?" in text,
        "picture": not text.isascii() and _PICTURE.search(text) is not None,
        "joined": "_" in text,
        "lower": text.islower(),
        "camel": _CAMEL.search(text) is not None,
    }
    return [form for form, holds in forms.items() if holds]
