"""Ranks a catalog's tools for a name or a request, and picks the one that is clearly best."""

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

# The weight of a word by the field in which it occurs, and by how it matches.
_CAPABILITY_WEIGHT, _DESCRIPTION_WEIGHT = 1.0, 0.5
_SAME_SHARE, _SYNONYM_SHARE, _MISSPELLED_SHARE, _RELATED_SHARE = 1.0, 0.75, 0.85, 0.4
_VERB_SHARE = 0.5
_MIN_WORD_RATIO, _MIN_NAME_RATIO = 86.0, 60.0
_CLOSE_NAME_SHARE = 0.9
_MIN_MISSPELLED_CHARS = 4
_MIN_PART_CHARS = 3
_MAX_WORDS = 24
_MAX_NEAR = 5
# The least share that a part makes up of a name, and its margin over the next name.
_MIN_PART_SHARE, _MIN_PART_MARGIN = 0.75, 0.15
# The least score at which a tool replaces another name, and its margin over the next tool.
_MIN_NAME_SCORE, _MIN_NAME_MARGIN = 0.6, 0.08
# For a request: the least score, as a number and as a share, and its ratio to the next tool.
_MIN_REQUEST_SCORE, _MIN_REQUEST_SHARE, _MIN_REQUEST_RATIO = 0.5, 0.35, 1.3


@dataclass(frozen=True, slots=True)
class Match:
    """A tool with its score: 0 to 1 for names, unbounded for requests."""

    tool: str
    score: float


class Matcher:
    """The tools of one catalog by their capabilities, independent of their order."""

    def __init__(self, rows: Iterable[ToolRow]) -> None:
        self._rows = sorted(rows, key=lambda row: row.id)
        self._weights: dict[str, dict[int, float]] = defaultdict(dict)
        for number, row in enumerate(self._rows):
            weighted_texts = [(row.description, _DESCRIPTION_WEIGHT)]
            weighted_texts += [
                (text, _CAPABILITY_WEIGHT) for text in (row.id, row.name, *row.capabilities)
            ]
            for text, weight in weighted_texts:
                for word in capability_words(text):
                    known = self._weights[word]
                    known[number] = max(known.get(number, 0.0), weight)
        self._words_by_group: dict[str, set[str]] = defaultdict(set)
        for word in self._weights:
            for meaning in synonym_groups(word):
                self._words_by_group[meaning].add(word)
        self._vocabulary = sorted(self._weights)

    def rank_by_capability(self, name: str) -> tuple[Match, ...]:
        """Returns the tools whose capabilities match a name, best first."""
        return self._rank_words(capability_words(name)[:_MAX_WORDS], with_related=False)

    def find_near_name(self, name: str) -> tuple[Match, ...]:
        """Returns tools to suggest for a name: similar in meaning, subject or spelling."""
        scores = {
            match.tool: match.score
            for match in self._rank_words(capability_words(name), with_related=True)
        }
        ids = [row.id for row in self._rows]
        for ratio, number in most_alike(fold_name(name), [fold_name(id_) for id_ in ids]):
            if ratio >= _MIN_NAME_RATIO:
                share = ratio / 100 * (_CLOSE_NAME_SHARE if ratio >= _MIN_WORD_RATIO else 0.5)
                scores[ids[number]] = max(scores.get(ids[number], 0.0), share)
        ranked = sorted(scores, key=lambda tool: (-scores[tool], tool))[:_MAX_NEAR]
        return tuple(Match(tool, round(scores[tool], 3)) for tool in ranked)

    def find_by_capability(self, name: str) -> str | None:
        """Returns the one tool whose capabilities match a name, else None."""
        ranked = self.rank_by_capability(name)
        if not ranked or ranked[0].score < _MIN_NAME_SCORE:
            return None
        if len(ranked) > 1 and ranked[0].score - ranked[1].score < _MIN_NAME_MARGIN:
            return None
        return ranked[0].tool

    def find_by_part(self, name: str) -> str | None:
        """Returns the one tool whose name contains a name or is part of it, else None."""
        wanted = fold_name(name)
        if len(wanted) < _MIN_PART_CHARS:
            return None
        scored: list[tuple[float, str]] = []
        for row in self._rows:
            tool_name = max((fold_name(text) for text in (row.id, row.name)), key=len)
            shorter, longer = sorted((wanted, tool_name), key=len)
            if len(shorter) >= _MIN_PART_CHARS and shorter in longer:
                scored.append((len(shorter) / len(longer), row.id))
        scored.sort(key=lambda match: (-match[0], match[1]))
        if len(scored) > 1 and (
            scored[0][0] < _MIN_PART_SHARE or scored[0][0] - scored[1][0] < _MIN_PART_MARGIN
        ):
            return None
        return scored[0][1] if scored else None

    def rank_for_request(self, request: str, limit: int = 10) -> tuple[Match, ...]:
        """Returns the tools that match a request, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in _request_words(request):
            rarity = self._rarity(word)
            for number, share in self._matching_tools(word, with_related=False).items():
                scores[number] += rarity * share
        ranked = sorted(scores, key=lambda n: (-scores[n], self._rows[n].id))[:limit]
        return tuple(Match(self._rows[n].id, round(scores[n], 4)) for n in ranked)

    def find_for_request(self, request: str) -> str | None:
        """Returns the one tool that clearly matches a request, else None."""
        ranked = self.rank_for_request(request, 2)
        if not ranked or ranked[0].score < _MIN_REQUEST_SCORE:
            return None
        total = sum(self._rarity(word) for word in _request_words(request))
        if ranked[0].score < _MIN_REQUEST_SHARE * total:
            return None
        if len(ranked) > 1 and ranked[0].score < _MIN_REQUEST_RATIO * ranked[1].score:
            return None
        return ranked[0].tool

    def _rank_words(self, words: tuple[str, ...], *, with_related: bool) -> tuple[Match, ...]:
        """Returns the tools by the share of the words that they match, weighted by rarity."""
        # The name of an object tells more about the wanted tool than the action does.
        rarities = {
            word: self._rarity(word)
            * (_VERB_SHARE if with_related and synonym_groups(word) & VERBS else 1.0)
            for word in words
        }
        total = sum(rarities.values())
        scores: dict[int, float] = defaultdict(float)
        for word, rarity in rarities.items():
            for number, share in self._matching_tools(word, with_related=with_related).items():
                scores[number] += rarity * share / total
        ranked = sorted(scores, key=lambda n: (-scores[n], self._rows[n].id))
        return tuple(Match(self._rows[n].id, round(scores[n], 4)) for n in ranked)

    def _matching_tools(self, word: str, *, with_related: bool) -> dict[int, float]:
        """Returns the tools that have a word, a synonym of it, or a similar spelling."""
        forms = {word: _SAME_SHARE}
        # Only verbs have synonyms that can replace them.
        for meaning in synonym_groups(word) & VERBS:
            for other in self._words_by_group[meaning]:
                forms.setdefault(other, _SYNONYM_SHARE)
        if with_related:
            for other in related_words(word):
                forms.setdefault(other, _RELATED_SHARE)
        if word not in self._weights and len(word) >= _MIN_MISSPELLED_CHARS:
            for _, number in most_alike(word, self._vocabulary, 1, _MIN_WORD_RATIO):
                forms.setdefault(self._vocabulary[number], _MISSPELLED_SHARE)
        shares: dict[int, float] = {}
        for form, agreement in forms.items():
            for number, weight in self._weights.get(form, {}).items():
                shares[number] = max(shares.get(number, 0.0), agreement * weight)
        return shares

    def _rarity(self, word: str) -> float:
        """Returns how well a word distinguishes tools, 0 to 1; 1 if no tool has it."""
        count = len(self._weights.get(word, ()))
        total = len(self._rows)
        return 1.0 - math.log(1 + count) / math.log(2 + total) * 0.8 if total else 1.0


_matchers: WeakKeyDictionary[Registry, Matcher] = WeakKeyDictionary()


def get_matcher(registry: Registry) -> Matcher:
    """Returns the matcher of a catalog, built on first use."""
    known = _matchers.get(registry)
    if known is None:
        rows = (row for row in registry.tools.values() if row.availability == "installed")
        known = _matchers.setdefault(registry, Matcher(rows))
    return known


def _request_words(request: str) -> tuple[str, ...]:
    return capability_words(request)[: 2 * _MAX_WORDS]
