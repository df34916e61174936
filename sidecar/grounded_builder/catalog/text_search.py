"""Searches tools and their operations by words: BM25 over weighted fields."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any

from grounded_builder.catalog.name_index import derived_tools, roles, variant_roles
from grounded_builder.catalog.search_document import (
    FIELDS,
    STOPPED,
    Document,
    best_actions,
    make_document,
)
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import STARTERS, split_chunks, split_identifier, stem
from grounded_builder.catalog.tool import ToolRow

_SYNONYM_SHARE = 0.5
_SATURATION = 1.2
_LENGTH_SHARE = 0.4
_MAX_QUERY_TERMS = 24
_MAX_POSTINGS = 3_000
_MAX_RERANKED = 60
_TRIGGER_SHARE = 0.6
_UNNAMED_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that matches a query: ``params`` preset its operation, ``why`` lists the matching
    terms.
    """

    tool: str
    params: Mapping[str, Any]
    score: float
    why: tuple[str, ...]


@dataclass(slots=True)
class _Postings:
    """The documents that have one term, and the weight of the term in each."""

    documents: array[int] = field(default_factory=lambda: array("I"))
    weights: array[float] = field(default_factory=lambda: array("f"))

    def strongest(self, most: int) -> _Postings:
        """Returns at most ``most`` documents, those in which the term has the highest weight."""
        places = nlargest(most, range(len(self.weights)), key=lambda at: (self.weights[at], -at))
        return _Postings(
            array("I", (self.documents[at] for at in places)),
            array("f", (self.weights[at] for at in places)),
        )


class Bm25Index:
    """The search index over all installed tools of a catalog.

    Variants of other tools are returned only when requested by ``kind`` or ``derived``.
    """

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        rows = [row for row in tools if row.availability == "installed"]
        bases = derived_tools(rows)
        uses = variant_roles(rows, bases)
        self.documents = [
            make_document(row, derived=row.id in bases, is_variant=not uses.isdisjoint(roles(row)))
            for row in rows
        ]
        self.by_id = {document.row.id: document for document in self.documents}
        self.number_of = {tool: number for number, tool in enumerate(self.by_id)}
        self._postings: dict[str, _Postings] = defaultdict(_Postings)
        self._rarities: dict[str, float] = {}
        self._index()
        # A term that nearly every tool has tells little: only a bounded number of its documents
        # count.
        self._strongest = {
            term: postings.strongest(_MAX_POSTINGS)
            for term, postings in self._postings.items()
            if len(postings.documents) > _MAX_POSTINGS
        }

    def find(
        self,
        query: str,
        limit: int = 10,
        *,
        trigger: bool | None = None,
        kind: str | None = None,
        family: str | None = None,
        derived: bool = False,
    ) -> tuple[Hit, ...]:
        """Returns the best matching tools, best first, each with its best matching operation.

        ``trigger`` selects tools that start a graph or those that do not, ``kind`` those with this
        capability, ``family`` those of this vendor.
        """
        terms = self.terms(query)
        ranked = self.rank(query, limit, trigger=trigger, kind=kind, family=family, derived=derived)
        return tuple(
            self.make_hit(self.documents[number], score, terms) for score, number in ranked
        )

    def rank(
        self,
        query: str,
        limit: int,
        *,
        trigger: bool | None = None,
        kind: str | None = None,
        family: str | None = None,
        derived: bool = False,
    ) -> list[tuple[float, int]]:
        """Returns scores and numbers of the best documents, without their operations."""
        terms = self.terms(query)
        scores = self.scores(terms)
        if not scores and (kind or family) and not terms:
            scores = dict.fromkeys(range(len(self.documents)), 0.0)
        asks_for_trigger = any(stem(word) in _STARTERS for word in split_identifier(query)[:3])
        ranked: list[tuple[float, int]] = []
        likely = nlargest(
            max(_MAX_RERANKED, 3 * limit), scores, key=lambda number: (scores[number], -number)
        )
        is_filtered = kind is not None or family is not None
        for number in scores if is_filtered else likely:
            document = self.documents[number]
            if not fits(document, trigger, kind, family, derived or kind is not None):
                continue
            is_unasked_trigger = trigger is None and document.is_trigger and not asks_for_trigger
            score = scores[number] * (_UNNAMED_SHARE + self.name_share(document, terms))
            ranked.append((score * _TRIGGER_SHARE if is_unasked_trigger else score, number))
        return nlargest(limit, ranked, key=lambda number: (number[0], -number[1]))

    def terms(self, query: str) -> dict[str, float]:
        """Returns the stems of a query with their rarity, the rarest first, at most 24."""
        weights: dict[str, float] = {}
        for chunk in split_chunks(query):
            whole = stem("".join(chunk))
            words = [whole] if len(chunk) > 1 and whole in self._postings else map(stem, chunk)
            for word in words:
                if word not in STOPPED:
                    weights[word] = max(weights.get(word, 0.0), self.rarity(word))
        rare_first = nlargest(_MAX_QUERY_TERMS, weights.items(), key=lambda item: item[1])
        return dict(rare_first)

    def rarity(self, word: str) -> float:
        """Returns the inverse document frequency of a stem, 0 to 1; 1 if no tool has it."""
        known = self._rarities.get(word)
        if known is not None:
            return known
        postings = self._postings.get(word)
        if postings is None:
            return 1.0
        total = len(self.documents)
        rarity = math.log((total + 1) / (len(postings.documents) + 0.5)) / math.log(2 * total + 2)
        return self._rarities.setdefault(word, rarity)

    def name_share(self, document: Document, terms: Collection[str]) -> float:
        """Returns the largest share, by rarity, that the terms make up of one of a tool's names."""
        best = 0.0
        for name in document.names:
            total = covered = 0.0
            for part in name:
                weight = self.rarity(part)
                total += weight
                covered += weight if part in terms else 0.0
            if total and covered / total > best:
                best = covered / total
        return best

    def has_stem(self, word: str) -> bool:
        """Returns whether the description of any tool has this stem."""
        return word in self._postings

    def scores(self, terms: Mapping[str, float]) -> dict[int, float]:
        """Returns document numbers with their sum over the terms; bounded, rare terms first."""
        scores: dict[int, float] = defaultdict(float)
        read = 0
        for term, rarity in terms.items():
            if not rarity:
                continue
            expanded = [
                (term, 1.0),
                *((f"~{row}", _SYNONYM_SHARE) for row in sorted(synonym_groups(term))),
            ]
            for key, share in expanded:
                postings = self._strongest.get(key) or self._postings.get(key)
                if postings is None or (read and read + len(postings.documents) > _MAX_POSTINGS):
                    continue
                read += len(postings.documents)
                weight = (rarity if share == 1.0 else min(rarity, self.rarity(key))) * share
                for number, impact in zip(postings.documents, postings.weights, strict=True):
                    scores[number] += weight * impact
        return scores

    def _index(self) -> None:
        lengths = [sum(document.stems.values()) for document in self.documents]
        mean = sum(lengths) / len(lengths) if lengths else 1.0
        for number, document in enumerate(self.documents):
            norm = 1 - _LENGTH_SHARE + _LENGTH_SHARE * lengths[number] / mean
            for term, weight in document.stems.items():
                postings = self._postings[term]
                postings.documents.append(number)
                postings.weights.append(
                    weight * (_SATURATION + 1) / (weight + _SATURATION * norm) * _rank_share(weight)
                )

    def make_hit(self, document: Document, score: float, terms: Mapping[str, float]) -> Hit:
        """Returns a document as a hit, with the operation that the terms select."""
        why = tuple(term for term in terms if term in document.stems)
        ranked = best_actions(document, terms)
        is_clear = ranked and ranked[0][0] >= _MIN_ACTION_SHARE
        is_tie = len(ranked) > 1 and ranked[0][0] - ranked[1][0] < _TIE
        params = ranked[0][1].params if is_clear and not is_tie else {}
        return Hit(document.row.id, params, round(score, 4), why)


_STARTERS = frozenset(stem(word) for word in STARTERS)
_MIN_ACTION_SHARE = 0.3
_TIE = 0.001


def _rank_share(weight: float) -> float:
    """Returns a factor that keeps a keyword from scoring nearly as high as a name."""
    return 0.5 + weight / (2 * FIELDS["name"])


def fits(
    document: Document, trigger: bool | None, kind: str | None, family: str | None, derived: bool
) -> bool:
    """Returns whether a tool is among those that a search asks for."""
    row = document.row
    return (
        (derived or not document.derived)
        and (trigger is None or document.is_trigger == trigger)
        and (kind is None or kind in row.capabilities)
        and (family is None or row.family == family)
    )
