"""Splits a text into weighted word stems, which are then matched with the words of tools."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    MAYBE_STARTERS,
    STARTERS,
    STOP,
    split_identifier,
    stem,
)

_MAX_WORDS = 16


@dataclass(frozen=True, slots=True)
class QueryTokens:
    """A text as stems with their weights.

    ``content`` leaves out words of structure. ``present`` are the stems of ``content``,
    ``meanings`` their synonym groups.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    weights: tuple[float, ...]
    content: tuple[tuple[str, float], ...]
    present: frozenset[str]
    meanings: frozenset[str]
    is_trigger: bool
    may_start: bool
    has_unknown_word: bool


def split_query(text: str, registry: Registry) -> QueryTokens:
    """Returns a text as tokens; ``has_unknown_word`` if the catalog lacks one of its words."""
    words = split_identifier(text)[:_MAX_WORDS]
    words_split = tuple(part for word in words for part in _split_joined_word(word, registry))
    stems = tuple(stem(word) for word in words_split)
    has_only_stop_words = all(stem_ in _STOP for stem_ in stems)
    weights = tuple(
        0.0 if stem_ in _STOP and not has_only_stop_words else _weight(stem_, registry)
        for stem_ in stems
    )
    content = tuple((stem_, w) for stem_, w in zip(stems, weights, strict=True) if w)
    present = frozenset(stem_ for stem_, _ in content)
    return QueryTokens(
        words=words_split,
        stems=stems,
        weights=weights,
        content=content,
        present=present,
        meanings=frozenset(row for name in present for row in synonym_groups(name)),
        is_trigger=any(stem_ in _STARTERS for stem_ in stems),
        may_start=any(name in MAYBE_STARTERS for name in words_split),
        has_unknown_word=any(
            len(name) == 1 or not _is_word(name, registry) for name in words_split
        ),
    )


def _weight(word: str, registry: Registry) -> float:
    return registry.search.rarity(word) * (0.25 if word in _GENERIC_STEMS else 1.0)


def _split_joined_word(word: str, registry: Registry) -> tuple[str, ...]:
    """Splits ``telegrambot`` if the catalog has both parts but not the whole word."""
    has_stem = registry.search.has_stem
    if len(word) < 6 or has_stem(stem(word)) or registry.names.phrases((word,)):
        return (word,)
    cuts = [
        (word[:cut], word[cut:])
        for cut in range(2, len(word) - 1)
        if all(len(part) > 2 or synonym_groups(part) for part in (word[:cut], word[cut:]))
    ]
    known_pairs = [(a, b) for a, b in cuts if _is_word(a, registry) and _is_word(b, registry)]
    if not known_pairs:
        return (word,)
    return max(known_pairs, key=lambda pair: min(len(pair[0]), len(pair[1])))


def _is_word(word: str, registry: Registry) -> bool:
    return (
        word in _COMMON or registry.search.has_stem(stem(word)) or bool(synonym_groups(stem(word)))
    )


_COMMON = GENERIC_NOUNS | STARTERS | MAYBE_STARTERS | STOP
_STOP = frozenset(stem(word) for word in STOP)
_GENERIC_STEMS = frozenset(stem(word) for word in GENERIC_NOUNS)
_STARTERS = frozenset(stem(word) for word in STARTERS)
