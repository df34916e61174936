"""Name the tools that do not exist, yet are written again and again for requests of a kind."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Protocol

from grounded_builder.catalog.name_decisions import key_of
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import GENERIC_NOUNS, STARTERS, STOP, split_identifier, stem
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.resolver import resolve_name

_LEAST_MET = 2
_LEAST_SHARE = 0.34
_BESIDE = 0.5
_LONGEST = 60
_MOST_WORDS = 6
_EMPTY = frozenset(stem(word) for word in STOP | GENERIC_NOUNS | STARTERS)


class SeenName(Protocol):
    """A name that stood for no tool: how often, and ids of tools that stood beside it."""

    @property
    def name(self) -> str:
        """The name as it was written."""

    @property
    def count(self) -> int:
        """How often it was met."""

    @property
    def samples(self) -> Sequence[Collection[str]]:
        """Ids of tools that stood beside it, some times that it was met."""


@dataclass(frozen=True, slots=True)
class Invention:
    """A name of no tool, how often it was met, and what people decided to take instead."""

    name: str
    count: int
    instead: str | None = None


def inventions_for(
    request: str,
    met: Iterable[SeenName],
    registry: Registry,
    *,
    beside: Collection[str] = (),
    most: int = 5,
) -> tuple[Invention, ...]:
    """The names of no tool that drafts for such requests wrote most often, likeliest first.

    A name is of such requests when they say its words, or when it stood ``beside`` the tools
    that are shown for this one. Names are what models wrote: quote them as data.
    """
    results = {stem(word) for word in split_identifier(request)}
    scored: list[tuple[float, Invention]] = []
    for seen_name in met:
        words = [stem(word) for word in split_identifier(seen_name.name)]
        if (
            seen_name.count < _LEAST_MET
            or len(seen_name.name) > _LONGEST
            or not 0 < len(words) <= _MOST_WORDS
        ):
            continue
        share = _share(words, results, registry)
        result = sum(not set(ids).isdisjoint(beside) for ids in seen_name.samples)
        near = _BESIDE * result / len(seen_name.samples) if seen_name.samples else 0.0
        if max(share, near) >= _LEAST_SHARE and _is_absent(seen_name.name, registry):
            known = registry.learnt.get(key_of(seen_name.name))
            instead = known.instead if known and known.instead in registry.tools else None
            invention = Invention(seen_name.name, seen_name.count, instead)
            scored.append(((share + near) * math.log1p(seen_name.count), invention))
    best = nlargest(most, scored, key=lambda entry: (entry[0], entry[1].count, entry[1].name))
    return tuple(item for _, item in best)


def _share(words: Sequence[str], said: Collection[str], registry: Registry) -> float:
    """The share of a name's words that a request says, the rare ones counting more."""
    weights = {word: registry.search.rarity(word) for word in words if word not in _EMPTY}
    total = sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in said) / total if total else 0.0


def _is_absent(name: str, registry: Registry) -> bool:
    """Whether a name leads to no tool, as it stands or by its words."""
    return resolve_name(name, registry, NameContext()).status != "resolved"
