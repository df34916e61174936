"""Ranks candidate tools by usage prior and lexical match, and estimates their confidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import mul

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.usage_lexicon import Steps
from grounded_builder.catalog.usage_prior import ExpectedTool
from grounded_builder.ir.resolution import Candidate, NameContext
from grounded_builder.resolve.lexical_match import LexicalMatch

EXPECTED = 12
_UNEXPECTED_LOG = -9.0
_UNSEEN_LOG = -7.0
_POSITION_PENALTY = 4.0
_MAX_CONFIDENCE = 0.92
_MIN_FULL_NAME_LOG = -4.0
# The weights of the features without a lexicon, by the catalog alone.
_BY_CATALOG = (0.4, 0.0, 5.0, 2.0, 1.0, 0.0, 0.0, 4.0, -0.5, *(0.0,) * 7)
_LOG_OFFSET = 0.02


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its features and its share of the likelihood of all candidates."""

    tool: str
    features: tuple[float, ...]
    share: float
    lexical: LexicalMatch | None


@dataclass(frozen=True, slots=True)
class RankingInput:
    """The evidence about a text: the usage prior, lexical matches, similar names.

    ``first`` is the stem of the first word.
    """

    expected: ExpectedTool
    by_words: Mapping[str, LexicalMatch]
    by_similarity: Mapping[str, float]
    first: str


def features_of(
    tool: str, ranking_input: RankingInput, catalog_shares: Mapping[str, float], registry: Registry
) -> tuple[float, ...]:
    """Returns the features of a tool, in the order of the lexicon's terms ``names``.

    ``catalog_shares`` are the shares by the catalog alone. For a tool that is not in the lexicon,
    they and whether the text begins with its name count for more.
    """
    expected, lexical = ranking_input.expected, ranking_input.by_words.get(tool)
    similarity = ranking_input.by_similarity.get(tool, 0.0)
    seen = tool in registry.expectation.seen
    log = expected.logs.get(tool, _UNEXPECTED_LOG) if seen else _UNSEEN_LOG
    score = lexical.score if lexical else 0.0
    document = registry.search.by_id.get(tool)
    has_unknown_stem = lexical is not None and any(
        map(registry.expectation.is_unknown_stem, lexical.matched_stems)
    )
    return (
        log,
        0.0 if seen else 1.0,
        score,
        score * score,
        1.0 if lexical and lexical.missing_part == "nothing" else 0.0,
        1.0 if lexical and lexical.missing_part == "vendor" else 0.0,
        0.0 if seen else score,
        similarity,
        1.0 if document is not None and document.is_variant else 0.0,
        1.0 if not seen and lexical and lexical.missing_part == "nothing" else 0.0,
        1.0 if has_unknown_stem else 0.0,
        score if has_unknown_stem else 0.0,
        *((0.0,) * 4 if seen else _features_by_catalog(tool, ranking_input, catalog_shares)),
    )


def _features_by_catalog(
    tool: str, ranking_input: RankingInput, catalog_shares: Mapping[str, float]
) -> tuple[float, ...]:
    """Returns the features of a tool that is not in the lexicon, from the catalog alone."""
    lexical, share = ranking_input.by_words.get(tool), catalog_shares.get(tool, 0.0)
    begins = lexical is not None and ranking_input.first in lexical.matched_stems
    is_best = share > 0.0 and share >= max(catalog_shares.values())
    return (
        1.0 if begins else 0.0,
        1.0 if is_best else 0.0,
        share,
        math.log(share + _LOG_OFFSET),
    )


def _share_by_catalog(ranking_input: RankingInput, registry: Registry) -> dict[str, float]:
    """Returns the share of each candidate by the words of the catalog alone."""
    by_score, by_square, by_full_name = _BY_CATALOG[2:5]
    by_similarity, by_variant = _BY_CATALOG[7:9]
    scores: dict[str, float] = {}
    for tool in dict.fromkeys([*ranking_input.by_words, *ranking_input.by_similarity]):
        lexical, document = ranking_input.by_words.get(tool), registry.search.by_id.get(tool)
        score = by_similarity * ranking_input.by_similarity.get(tool, 0.0)
        if lexical is not None:
            score += lexical.score * (by_score + by_square * lexical.score)
            score += by_full_name * (lexical.missing_part == "nothing")
        scores[tool] = score + by_variant * (document is not None and document.is_variant)
    best = max(scores.values(), default=0.0)
    shares = {tool: math.exp(score - best) for tool, score in scores.items()}
    total = math.fsum(shares.values())
    return {tool: share / total for tool, share in shares.items()}


def rank(
    expected: ExpectedTool,
    matches: Iterable[LexicalMatch],
    near: Iterable[Candidate],
    registry: Registry,
    context: NameContext,
    *,
    first: str,
    by_catalog: bool,
) -> list[Ranked]:
    """Returns all candidates, best first; ``by_catalog`` prefers the catalog's words to usage.

    ``first`` is the stem of the first word.
    """
    by_words = {match.tool: match for match in matches}
    by_similarity = {candidate.tool: candidate.confidence for candidate in near}
    ranking_input = RankingInput(expected, by_words, by_similarity, first)
    seen = registry.expectation.seen
    is_all_seen = seen.issuperset(by_words) and seen.issuperset(by_similarity)
    catalog_shares = {} if is_all_seen else _share_by_catalog(ranking_input, registry)
    weights = (None if by_catalog else registry.expectation.terms("names")) or _BY_CATALOG
    # A label is more likely to name a step than a sub-node.
    has_only_variants = all(registry.search.by_id[tool].is_variant for tool in by_words)
    scored: list[tuple[float, str, tuple[float, ...]]] = []
    for tool in dict.fromkeys([*by_words, *by_similarity, *expected.logs]):
        features = features_of(tool, ranking_input, catalog_shares, registry)
        if by_catalog and has_only_variants and _is_full_name(by_words.get(tool)):
            features = (max(features[0], _MIN_FULL_NAME_LOG), *features[1:])
        score = sum(map(mul, weights, features))
        scored.append((score - _position_penalty(tool, registry, context), tool, features))
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return _with_shares(scored, by_words)


def _is_full_name(lexical: LexicalMatch | None) -> bool:
    """Returns whether every word belongs to one of the tool's names."""
    return lexical is not None and lexical.explained_words == 1.0 and bool(lexical.matched_stems)


def _with_shares(
    scored: Sequence[tuple[float, str, tuple[float, ...]]], by_words: Mapping[str, LexicalMatch]
) -> list[Ranked]:
    if not scored:
        return []
    best = scored[0][0]
    shares = [math.exp(score - best) for score, _, _ in scored]
    total = math.fsum(shares)
    return [
        Ranked(tool, features, share / total, by_words.get(tool))
        for (_, tool, features), share in zip(scored, shares, strict=True)
    ]


def _position_penalty(tool: str, registry: Registry, context: NameContext) -> float:
    """Returns a penalty for a trigger in the position of a step, or the reverse."""
    document = registry.search.by_id.get(tool)
    if context.position is None or document is None:
        return 0.0
    is_misplaced = document.is_trigger != (context.position == "trigger")
    is_misplaced = is_misplaced or document.is_variant != (context.position == "sub-node")
    return _POSITION_PENALTY if is_misplaced else 0.0


def estimate_confidence(share: float, kind: str, registry: Registry) -> float:
    """Returns the measured accuracy of a candidate of this kind and share."""
    steps = confidence_steps(kind, registry)
    return _interpolate(share, steps) if steps else round(min(share, _MAX_CONFIDENCE), 3)


def cap_by_measurement(kind: str, limit: float, registry: Registry) -> float:
    """Returns the measured accuracy of this kind of match, at most ``limit``."""
    steps = confidence_steps(kind, registry)
    return min(limit, _interpolate(1.0, steps)) if steps else limit


def confidence_steps(kind: str, registry: Registry) -> Steps:
    """Returns the measured steps for a kind of answer, () if the lexicon has none of the tools."""
    lexicon = registry.expectation.lexicon
    return lexicon.steps.get(kind, ()) if lexicon and registry.expectation.seen else ()


def _interpolate(share: float, steps: Steps) -> float:
    low = (0.0, 0.0)
    for high in (*steps, (1.0, steps[-1][1])):
        if share <= high[0]:
            part = (share - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 1.0
            return round(low[1] + part * (high[1] - low[1]), 3)
        low = high
    return round(low[1], 3)
