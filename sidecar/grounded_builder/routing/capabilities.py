"""Normalizes capability strings such as "mail.send", and extracts capability words of texts."""

from __future__ import annotations

from collections.abc import Iterable

from grounded_builder.catalog.synonyms import canonical_word
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STOP, singular, split_identifier, stem

_MAX_WORDS = 6
_MAX_CAPABILITIES = 24


def normalize_capability(text: str) -> str:
    """Returns a capability in canonical spelling: folded words, aliases resolved, with dots."""
    words = [word for word in split_identifier(text) if word not in STOP][:_MAX_WORDS]
    return ".".join(map(canonical_word, map(singular, words)))


def normalize_capabilities(texts: Iterable[str]) -> tuple[str, ...]:
    """Returns the distinct capabilities in canonical spelling, sorted."""
    capabilities = {normalize_capability(text) for text in texts}
    return tuple(sorted(name for name in capabilities if name))[:_MAX_CAPABILITIES]


def capability_words(text: str) -> tuple[str, ...]:
    """Returns the stems of a text that name an action or an object, aliases resolved."""
    words = (singular(word) for word in split_identifier(text) if word not in STOP)
    meaningful = (word for word in words if word not in GENERIC_NOUNS)
    return tuple(dict.fromkeys(stem(canonical_word(word)) for word in meaningful))
