"""Splits parameter names into words, with or without synonyms replaced by their class."""

from __future__ import annotations

import re

from grounded_builder.catalog.synonyms import parameter_word

_SPLIT = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def words(text: str) -> tuple[str, ...]:
    """Returns the words of a name in lower case: ``maxItems`` and ``max_items`` are ``max``,
    ``items``.
    """
    return tuple(part.casefold() for part in _SPLIT.split(text) if part)


def word_classes_of(text: str) -> frozenset[str]:
    """Returns the words of a name, each replaced by its synonym class, without plural s."""
    classes = set()
    for word in words(text):
        single = word[:-1] if len(word) > 3 and word.endswith("s") else word
        classes.add(parameter_word(word) or parameter_word(single) or single)
    return frozenset(classes)
