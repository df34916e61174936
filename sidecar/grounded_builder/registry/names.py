"""The name index: exact forms by hash, the rest by shared trigrams and a rerank."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

from grounded_builder.registry.model import ToolRow

_NOT_WORD = re.compile(r"[\W_]+", re.UNICODE)
_RERANKED = 50
_LONGEST_TOKEN = 300


@dataclass(frozen=True, slots=True)
class Near:
    """A tool whose name is like the token: ``score`` 0 to 100, ``distance`` in edits."""

    id: str
    score: float
    distance: int


class NameIndex:
    """Every name a tool goes by, looked up by id, folded id, tail, plain form or likeness."""

    def __init__(self, tools: Iterable[ToolRow]) -> None:
        self.ids: dict[str, ToolRow] = {}
        self._folded: dict[str, list[str]] = defaultdict(list)
        self._tails: dict[str, list[str]] = defaultdict(list)
        self._plain: dict[str, list[str]] = defaultdict(list)
        for tool in tools:
            self.ids[tool.id] = tool
            self._folded[tool.id.casefold()].append(tool.id)
            self._tails[tail(tool.id).casefold()].append(tool.id)
            for name in {plain(text) for text in (tool.name, tail(tool.id), *tool.aliases)}:
                if name:
                    self._plain[name].append(tool.id)
        self._forms = sorted(self._plain)
        self._grams: dict[str, list[int]] | None = None

    def by_case(self, token: str) -> tuple[str, ...]:
        """Ids equal to the token but for case."""
        return tuple(self._folded.get(token.casefold(), ()))

    def by_tail(self, token: str) -> tuple[str, ...]:
        """Ids whose last part equals the token's, but for case."""
        return tuple(self._tails.get(tail(token).casefold(), ()))

    def by_plain(self, token: str) -> tuple[str, ...]:
        """Ids with a name, class name or alias equal to the token but for case and marks."""
        return tuple(self._plain.get(plain(token), ()))

    def by_prefix(self, token: str) -> tuple[tuple[str, str], ...]:
        """Ids whose tail starts the token's tail, longest first, each with what is left over."""
        text = tail(token)[:_LONGEST_TOKEN]
        hits: list[tuple[str, str]] = []
        for cut in range(len(text) - 1, 1, -1):
            same = self._tails.get(text[:cut].casefold(), ())
            hits += [(tool_id, text[cut:]) for tool_id in same]
        return tuple(hits)

    def near(self, token: str, limit: int = 5) -> tuple[Near, ...]:
        """The tools whose names are most like the token, best first."""
        wanted = plain(tail(token))[:_LONGEST_TOKEN] or plain(token)[:_LONGEST_TOKEN]
        if not wanted:
            return ()
        best: dict[str, Near] = {}
        for form in self._candidates(wanted):
            near_score = fuzz.ratio(wanted, form)
            for tool_id in self._plain[form]:
                known = best.get(tool_id)
                if known is None or known.score < near_score:
                    best[tool_id] = Near(tool_id, near_score, OSA.distance(wanted, form))
        ranked = sorted(best.values(), key=lambda hit: (-hit.score, len(hit.id), hit.id))
        return tuple(hit for hit in ranked[:limit] if hit.score >= 50)

    def _candidates(self, wanted: str) -> list[str]:
        if self._grams is None:
            grams: dict[str, list[int]] = defaultdict(list)
            for position, form in enumerate(self._forms):
                for gram in _trigrams(form):
                    grams[gram].append(position)
            self._grams = grams
        shared: Counter[int] = Counter()
        for gram in _trigrams(wanted):
            shared.update(self._grams.get(gram, ()))
        ranked = sorted(
            shared.items(),
            key=lambda hit: (-hit[1] / (len(self._forms[hit[0]]) + len(wanted)), hit),
        )
        return [self._forms[position] for position, _ in ranked[:_RERANKED]]


def tail(text: str) -> str:
    """The part of an id after its last dot or slash, or the whole text."""
    return re.split(r"[./]", text.strip())[-1]


def head(text: str) -> str:
    """The part of an id before its last dot; empty when there is none."""
    return text.strip().rpartition(".")[0]


def plain(text: str) -> str:
    """A name without case, spaces and marks: what people agree on when they spell it."""
    return _NOT_WORD.sub("", text).casefold()


def _trigrams(form: str) -> set[str]:
    padded = f" {form} "
    return {padded[i : i + 3] for i in range(len(padded) - 2)}
