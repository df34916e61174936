"""Predicts which nonexistent tools models write for a request, from those in earlier drafts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Protocol

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STARTERS, STOP, split_identifier, stem
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.resolver import resolve_name

# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_MIN_COUNT = 2
_MIN_SHARE = 0.34
_BESIDE_SHARE = 0.5
_MAX_CHARS = 60
_MAX_WORDS = 6
_MAX_INVENTIONS = 5
_GENERIC_STEMS = frozenset(stem(word) for word in STOP | GENERIC_NOUNS | STARTERS)


class SeenName(Protocol):
    """A name that resolved to no tool, with its count and the tools used beside it."""

    @property
    def name(self) -> str:
        """The name as written."""

    @property
    def count(self) -> int:
        """The number of times that it occurred."""

    @property
    def samples(self) -> Sequence[Collection[str]]:
        """The ids of the tools beside it, for some of its occurrences."""


@dataclass(frozen=True, slots=True)
class Invention:
    """A name of no tool, its number of occurrences, and the replacement that a user chose."""

    name: str
    count: int
    instead: str | None = None


def predict_inventions(
    request: str,
    seen_names: Iterable[SeenName],
    registry: Registry,
    *,
    shown_tools: Collection[str] = (),
) -> tuple[Invention, ...]:
    """Returns the nonexistent names that drafts for such requests used most, likeliest first.

    A name belongs to a request that has its words, or whose ``shown_tools`` occurred beside it.
    Models wrote these names: quote them as data.
    """
    request_stems = {stem(word) for word in split_identifier(request)}
    scored: list[tuple[float, Invention]] = []
    for seen_name in seen_names:
        words = [stem(word) for word in split_identifier(seen_name.name)]
        if (
            seen_name.count < _MIN_COUNT
            or len(seen_name.name) > _MAX_CHARS
            or not 0 < len(words) <= _MAX_WORDS
        ):
            continue
        share = _share(words, request_stems, registry)
        times_beside = sum(not set(ids).isdisjoint(shown_tools) for ids in seen_name.samples)
        near = _BESIDE_SHARE * times_beside / len(seen_name.samples) if seen_name.samples else 0.0
        if max(share, near) >= _MIN_SHARE and _is_absent(seen_name.name, registry):
            known = registry.learnt.get(decision_key(seen_name.name))
            instead = known.instead if known and known.instead in registry.tools else None
            invention = Invention(seen_name.name, seen_name.count, instead)
            scored.append(((share + near) * math.log1p(seen_name.count), invention))
    best = nlargest(
        _MAX_INVENTIONS, scored, key=lambda entry: (entry[0], entry[1].count, entry[1].name)
    )
    return tuple(invention for _, invention in best)


def _share(words: Sequence[str], request_stems: Collection[str], registry: Registry) -> float:
    """Returns the share of a name's words that a request has, weighted by rarity."""
    weights = {word: registry.search.rarity(word) for word in words if word not in _GENERIC_STEMS}
    total = sum(weights.values())
    return (
        sum(weight for word, weight in weights.items() if word in request_stems) / total
        if total
        else 0.0
    )


def _is_absent(name: str, registry: Registry) -> bool:
    """Returns whether a name resolves to no tool, by spelling or by its words."""
    return resolve_name(name, registry, NameContext()).status != "resolved"
