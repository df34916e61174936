"""Take a text apart into the words that are weighed."""

from __future__ import annotations

from dataclasses import dataclass

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import (
    GENERIC_NOUNS,
    MAYBE_STARTERS,
    STARTERS,
    STOP,
    split_identifier,
    stem,
    synonym_groups,
)

_MOST_WORDS = 16


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as words: stems with their weights, of which ``content`` leaves out structure.

    ``present`` are the stems that ``content`` has, ``meant`` the meanings of them.
    """

    words: tuple[str, ...]
    stems: tuple[str, ...]
    weights: tuple[float, ...]
    content: tuple[tuple[str, float], ...]
    present: frozenset[str]
    meant: frozenset[str]
    starts: bool
    may_start: bool
    strange: bool


def read_text(text: str, registry: Registry) -> Reading:
    """Take a text apart; ``strange`` when some word is none of the catalog's."""
    words = split_identifier(text)[:_MOST_WORDS]
    split = tuple(part for word in words for part in _split(word, registry))
    stems = tuple(stem(word) for word in split)
    empty = all(item in _STOP for item in stems)
    weights = tuple(
        0.0 if item in _STOP and not empty else _weight(item, registry) for item in stems
    )
    content = tuple((item, w) for item, w in zip(stems, weights, strict=True) if w)
    present = frozenset(item for item, _ in content)
    return Reading(
        words=split,
        stems=stems,
        weights=weights,
        content=content,
        present=present,
        meant=frozenset(row for name in present for row in synonym_groups(name)),
        starts=any(item in _STARTERS for item in stems),
        may_start=any(name in MAYBE_STARTERS for name in split),
        strange=any(len(name) == 1 or not _is_word(name, registry) for name in split),
    )


def _weight(word: str, registry: Registry) -> float:
    return registry.search.rarity(word) * (0.25 if word in _CARRIERS else 1.0)


def _split(word: str, registry: Registry) -> tuple[str, ...]:
    """Take ``telegrambot`` apart when it is no word of the catalog but both its parts are."""
    knows = registry.search.knows
    if len(word) < 6 or knows(stem(word)) or registry.names.phrases((word,)):
        return (word,)
    cuts = [
        (word[:cut], word[cut:])
        for cut in range(2, len(word) - 1)
        if all(len(part) > 2 or synonym_groups(part) for part in (word[:cut], word[cut:]))
    ]
    good = [(a, b) for a, b in cuts if _is_word(a, registry) and _is_word(b, registry)]
    if not good:
        return (word,)
    return max(good, key=lambda pair: min(len(pair[0]), len(pair[1])))


def _is_word(word: str, registry: Registry) -> bool:
    return word in _COMMON or registry.search.knows(stem(word)) or bool(synonym_groups(stem(word)))


_COMMON = GENERIC_NOUNS | STARTERS | MAYBE_STARTERS | STOP
_STOP = frozenset(stem(word) for word in STOP)
_CARRIERS = frozenset(stem(word) for word in GENERIC_NOUNS)
_STARTERS = frozenset(stem(word) for word in STARTERS)
