"""Find tools and their operations by words: BM25 over weighted fields, compact postings."""

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
    document_of,
)
from grounded_builder.catalog.tokenize import (
    STARTERS,
    chunks,
    split_identifier,
    stem,
    synonym_groups,
)
from grounded_builder.catalog.tool import ToolRow

_MEANING = 0.5
_SATURATION = 1.2
_LENGTH_SHARE = 0.4
_LONGEST_QUERY = 24
_MOST_POSTINGS = 3_000
_RERANKED = 60
_STARTER_SHARE = 0.6
_NAMELESS_SHARE = 0.4


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool that fits a query; ``params`` preset the operation that does, ``why`` the words."""

    tool: str
    params: Mapping[str, Any]
    score: float
    why: tuple[str, ...]


@dataclass(slots=True)
class _Postings:
    """The documents of one term and what the term weighs in each."""

    documents: array[int] = field(default_factory=lambda: array("I"))
    weights: array[float] = field(default_factory=lambda: array("f"))

    def strongest(self, most: int) -> _Postings:
        """At most so many documents, those in which the term weighs most."""
        places = nlargest(most, range(len(self.weights)), key=lambda at: (self.weights[at], -at))
        return _Postings(
            array("I", (self.documents[at] for at in places)),
            array("f", (self.weights[at] for at in places)),
        )


class Bm25Index:
    """All tools of a catalog by the words they are described with.

    Tools derived from another one (the same thing under a name with one more word) are
    found only when asked for by ``kind`` or ``derived``.
    """

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        rows = [row for row in tools if row.availability == "installed"]
        bases = derived_tools(rows)
        uses = variant_roles(rows, bases)
        self.documents = [
            document_of(row, derived=row.id in bases, aside=not uses.isdisjoint(roles(row)))
            for row in rows
        ]
        self.by_id = {document.row.id: document for document in self.documents}
        self.number_of = {tool: number for number, tool in enumerate(self.by_id)}
        self._postings: dict[str, _Postings] = defaultdict(_Postings)
        self._rarities: dict[str, float] = {}
        self._index()
        # What nearly every tool is said to be tells little: such terms lead to a bounded number.
        self._strongest = {
            term: postings.strongest(_MOST_POSTINGS)
            for term, postings in self._postings.items()
            if len(postings.documents) > _MOST_POSTINGS
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
        """The tools that fit best, best first, each with the operation the words ask for.

        ``trigger`` keeps tools that start a graph or those that do not, ``kind`` those
        with this capability, ``family`` those of this vendor.
        """
        terms = self.terms(query)
        ranked = self.ranked(
            query, limit, trigger=trigger, kind=kind, family=family, derived=derived
        )
        return tuple(self.hit(self.documents[number], score, terms) for score, number in ranked)

    def ranked(
        self,
        query: str,
        limit: int,
        *,
        trigger: bool | None = None,
        kind: str | None = None,
        family: str | None = None,
        derived: bool = False,
    ) -> list[tuple[float, int]]:
        """The scores and numbers of the documents that fit best, without their operations."""
        terms = self.terms(query)
        scores = self.scores(terms)
        if not scores and (kind or family) and not terms:
            scores = dict.fromkeys(range(len(self.documents)), 0.0)
        says_start = any(stem(word) in _STARTERS for word in split_identifier(query)[:3])
        ranked: list[tuple[float, int]] = []
        likely = nlargest(max(_RERANKED, 3 * limit), scores, key=lambda item: (scores[item], -item))
        narrow = kind is not None or family is not None
        for number in scores if narrow else likely:
            document = self.documents[number]
            if not _fits(document, trigger, kind, family, derived or kind is not None):
                continue
            is_odd = trigger is None and document.starts and not says_start
            score = scores[number] * (_NAMELESS_SHARE + self.named(document, terms))
            ranked.append((score * _STARTER_SHARE if is_odd else score, number))
        return nlargest(limit, ranked, key=lambda item: (item[0], -item[1]))

    def terms(self, query: str) -> dict[str, float]:
        """The terms of a query with their weight; rare ones first, a bounded number."""
        entries: dict[str, float] = {}
        for chunk in chunks(query):
            whole = stem("".join(chunk))
            words = [whole] if len(chunk) > 1 and whole in self._postings else map(stem, chunk)
            for word in words:
                if word not in STOPPED:
                    entries[word] = max(entries.get(word, 0.0), self.rarity(word))
        rare_first = nlargest(_LONGEST_QUERY, entries.items(), key=lambda item: item[1])
        return dict(rare_first)

    def rarity(self, word: str) -> float:
        """Inverse document frequency of a stem, between 0 and 1; 1 when no tool has it."""
        known = self._rarities.get(word)
        if known is not None:
            return known
        postings = self._postings.get(word)
        if postings is None:
            return 1.0
        total = len(self.documents)
        rarity = math.log((total + 1) / (len(postings.documents) + 0.5)) / math.log(2 * total + 2)
        return self._rarities.setdefault(word, rarity)

    def named(self, document: Document, terms: Collection[str]) -> float:
        """The largest share of one of a tool's names that the terms make up, by rarity."""
        best = 0.0
        for name in document.names:
            total = held = 0.0
            for part in name:
                weight = self.rarity(part)
                total += weight
                held += weight if part in terms else 0.0
            if total and held / total > best:
                best = held / total
        return best

    def knows(self, word: str) -> bool:
        """Whether any tool is described with this stem."""
        return word in self._postings

    def vocabulary(self) -> Iterable[str]:
        """Every stem that a tool is described with."""
        return (term for term in self._postings if not term.startswith("~"))

    def scores(self, terms: Mapping[str, float]) -> dict[int, float]:
        """Document numbers with their sum over the terms; bounded work, rare terms first."""
        scores: dict[int, float] = defaultdict(float)
        read = 0
        for term, rarity in terms.items():
            if not rarity:
                continue
            expanded = [
                (term, 1.0),
                *((f"~{row}", _MEANING) for row in sorted(synonym_groups(term))),
            ]
            for key, share in expanded:
                postings = self._strongest.get(key) or self._postings.get(key)
                if postings is None or (read and read + len(postings.documents) > _MOST_POSTINGS):
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

    def hit(self, document: Document, score: float, terms: Mapping[str, float]) -> Hit:
        """A document as a hit, with the operation that the terms ask for."""
        why = tuple(term for term in terms if term in document.stems)
        chosen = best_actions(document, terms)
        clear = chosen and chosen[0][0] >= _CLEAR_ACTION
        level = len(chosen) > 1 and chosen[0][0] - chosen[1][0] < _LEVEL
        params = chosen[0][1].params if clear and not level else {}
        return Hit(document.row.id, params, round(score, 4), why)


_STARTERS = frozenset(stem(word) for word in STARTERS)
_CLEAR_ACTION = 0.3
_LEVEL = 0.001


def _rank_share(weight: float) -> float:
    """Saturation alone would make a keyword nearly as good as a name."""
    return 0.5 + weight / (2 * FIELDS["name"])


def _fits(
    document: Document, trigger: bool | None, kind: str | None, family: str | None, derived: bool
) -> bool:
    row = document.row
    return (
        (derived or not document.derived)
        and (trigger is None or document.starts == trigger)
        and (kind is None or kind in row.capabilities)
        and (family is None or row.family == family)
    )
