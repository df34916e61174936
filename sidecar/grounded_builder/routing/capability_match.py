"""Match words against what tools can do: by their capability strings, then by part of a name."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from grounded_builder.catalog.likeness import most_alike
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import VERBS, related_words, synonym_groups
from grounded_builder.catalog.tool import ToolRow
from grounded_builder.routing.capabilities import capability_words

# How much a word says by where it stands, and by how it agrees.
_CAPABLE, _TOLD = 1.0, 0.5
_SAME, _MEANT, _SLIP, _BESIDE = 1.0, 0.75, 0.85, 0.4
_VERB = 0.5
_LIKE, _ALIKE = 86.0, 60.0
_SLIPPED = 0.9
_SHORTEST_SLIP = 4
_SHORTEST_PART = 3
_MOST_QUERY = 24
# Of several names that hold a part, the one that is hardly more than it.
_NEARLY_WHOLE, _LONGER = 0.75, 0.15
# What has to agree before a tool is taken for another name, and by how much before the next.
_ENOUGH, _AHEAD = 0.6, 0.08
# Of a request: what has to agree in all, as a share of its words, and by how much before the next.
_SOME, _SHARE, _CLEARLY = 0.5, 0.35, 1.3


@dataclass(frozen=True, slots=True)
class Match:
    """A tool with how well it fits, 0 to 1 for names, unbounded for requests."""

    tool: str
    score: float


class Matcher:
    """The tools of one catalog by what they can do; the same for any order of them."""

    def __init__(self, rows: Iterable[ToolRow]) -> None:
        self._rows = sorted(rows, key=lambda row: row.id)
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for number, row in enumerate(self._rows):
            results = [(row.description, _TOLD)]
            results += [(text, _CAPABLE) for text in (row.id, row.name, *row.capabilities)]
            for text, weight in results:
                for word in capability_words(text):
                    known = self._weights[word]
                    known[number] = max(known.get(number, 0.0), weight)
        self._meant: dict[str, set[str]] = defaultdict(set)
        for word in self._weights:
            for meaning in synonym_groups(word):
                self._meant[meaning].add(word)
        self._vocabulary = sorted(self._weights)

    def like_name(self, name: str) -> tuple[Match, ...]:
        """The tools whose capabilities say what a name says, best first."""
        return self._shared(capability_words(name)[:_MOST_QUERY], beside=False)

    def near_name(self, name: str, limit: int = 5) -> tuple[Match, ...]:
        """The tools to think of instead of a name: alike in meaning, matter or writing."""
        scores = {
            match.tool: match.score for match in self._shared(capability_words(name), beside=True)
        }
        ids = [row.id for row in self._rows]
        for ratio, number in most_alike(fold_name(name), [fold_name(id_) for id_ in ids]):
            if ratio >= _ALIKE:
                share = ratio / 100 * (_SLIPPED if ratio >= _LIKE else 0.5)
                scores[ids[number]] = max(scores.get(ids[number], 0.0), share)
        ranked = sorted(scores, key=lambda tool: (-scores[tool], tool))[:limit]
        return tuple(Match(tool, round(scores[tool], 3)) for tool in ranked)

    def of_capability(self, name: str) -> str | None:
        """The one tool that can do what a name says; None when none can, or several."""
        ranked = self.like_name(name)
        if not ranked or ranked[0].score < _ENOUGH:
            return None
        if len(ranked) > 1 and ranked[0].score - ranked[1].score < _AHEAD:
            return None
        return ranked[0].tool

    def of_part(self, name: str) -> str | None:
        """The one tool whose name holds a name, or is held by it; None when none, or several."""
        wanted = fold_name(name)
        if len(wanted) < _SHORTEST_PART:
            return None
        scored: list[tuple[float, str]] = []
        for row in self._rows:
            own = max((fold_name(text) for text in (row.id, row.name)), key=len)
            shorter, longer = sorted((wanted, own), key=len)
            if len(shorter) >= _SHORTEST_PART and shorter in longer:
                scored.append((len(shorter) / len(longer), row.id))
        scored.sort(key=lambda item: (-item[0], item[1]))
        if len(scored) > 1 and (
            scored[0][0] < _NEARLY_WHOLE or scored[0][0] - scored[1][0] < _LONGER
        ):
            return None
        return scored[0][1] if scored else None

    def for_request(self, request: str, limit: int = 10) -> tuple[Match, ...]:
        """The tools that a request speaks of, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in _asked(request):
            rarity = self._rarity(word)
            for number, share in self._agreeing(word, beside=False).items():
                scores[number] += rarity * share
        ranked = sorted(scores, key=lambda n: (-scores[n], self._rows[n].id))[:limit]
        return tuple(Match(self._rows[n].id, round(scores[n], 4)) for n in ranked)

    def of_request(self, request: str) -> str | None:
        """The one tool that a request speaks of clearly; None when none, or several."""
        ranked = self.for_request(request, 2)
        if not ranked or ranked[0].score < _SOME:
            return None
        value = sum(self._rarity(word) for word in _asked(request))
        if ranked[0].score < _SHARE * value:
            return None
        if len(ranked) > 1 and ranked[0].score < _CLEARLY * ranked[1].score:
            return None
        return ranked[0].tool

    def _shared(self, words: tuple[str, ...], *, beside: bool) -> tuple[Match, ...]:
        """The share of some words that each tool agrees with, rare words counting more."""
        # What a thing is called tells more of what is wanted than what is done to it.
        entries = {
            word: self._rarity(word) * (_VERB if beside and synonym_groups(word) & VERBS else 1.0)
            for word in words
        }
        total = sum(entries.values())
        scores: dict[int, float] = defaultdict(float)
        for word, rarity in entries.items():
            for number, share in self._agreeing(word, beside=beside).items():
                scores[number] += rarity * share / total
        ranked = sorted(scores, key=lambda n: (-scores[n], self._rows[n].id))
        return tuple(Match(self._rows[n].id, round(scores[n], 4)) for n in ranked)

    def _agreeing(self, word: str, *, beside: bool) -> dict[int, float]:
        """The tools that say a word, one that means the same, or one written nearly so."""
        forms = {word: _SAME}
        # Only what is done has synonyms that may stand for it; things are what they are.
        for meaning in synonym_groups(word) & VERBS:
            for other in self._meant[meaning]:
                forms.setdefault(other, _MEANT)
        if beside:
            for other in related_words(word):
                forms.setdefault(other, _BESIDE)
        if word not in self._weights and len(word) >= _SHORTEST_SLIP:
            for _, number in most_alike(word, self._vocabulary, 1, _LIKE):
                forms.setdefault(self._vocabulary[number], _SLIP)
        entries: dict[int, float] = {}
        for form, agreement in forms.items():
            for number, weight in self._weights.get(form, {}).items():
                entries[number] = max(entries.get(number, 0.0), agreement * weight)
        return entries

    def _rarity(self, word: str) -> float:
        """How much a word tells tools apart, 0 to 1; one that no tool says tells most."""
        count = len(self._weights.get(word, ()))
        total = len(self._rows)
        return 1.0 - math.log(1 + count) / math.log(2 + total) * 0.8 if total else 1.0


_matchers: WeakKeyDictionary[Registry, Matcher] = WeakKeyDictionary()


def matcher_of(registry: Registry) -> Matcher:
    """The matcher of a catalog, made when it is first asked for."""
    known = _matchers.get(registry)
    if known is None:
        rows = (row for row in registry.tools.values() if row.availability == "installed")
        known = _matchers.setdefault(registry, Matcher(rows))
    return known


def _asked(request: str) -> tuple[str, ...]:
    return capability_words(request)[: 2 * _MOST_QUERY]
