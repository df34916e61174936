"""Capability strings: what a tool can do, in one spelling, words that mean the same as one."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.catalog.synonyms import canonical_word
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STOP, singular, split_identifier, stem

_MOST_WORDS = 6
_MOST = 24


def normal_capability(text: str) -> str:
    """A capability in its one spelling: folded words, aliases resolved, joined by points."""
    words = [word for word in split_identifier(text) if word not in STOP][:_MOST_WORDS]
    return ".".join(map(canonical_word, map(singular, words)))


def normal_capabilities(texts: Iterable[str]) -> tuple[str, ...]:
    """Capabilities in their one spelling, each once, in the order of the alphabet."""
    results = {normal_capability(text) for text in texts}
    return tuple(sorted(name for name in results if name))[:_MOST]


def capability_words(text: str) -> tuple[str, ...]:
    """The stems of a text that say what is done to what, aliases resolved."""
    words = (singular(word) for word in split_identifier(text) if word not in STOP)
    named = (word for word in words if word not in GENERIC_NOUNS)
    return tuple(dict.fromkeys(stem(canonical_word(word)) for word in named))
