"""Weigh what a lexicon expects and what the words of the catalog say as one likelihood."""

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
_UNEXPECTED = -9.0
_UNSEEN = -7.0
_OTHER_PLACE = 4.0
_SUREST = 0.92
_LEAST_EXPECTED = -4.0
# How the signs of a candidate add up where no lexicon says better: by the catalog alone.
_BY_CATALOG = (0.4, 0.0, 5.0, 2.0, 1.0, 0.0, 0.0, 4.0, -0.5, *(0.0,) * 7)
_LEAST_ALONE = 0.02


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its signs and the share of likelihood among all candidates."""

    tool: str
    signs: tuple[float, ...]
    share: float
    weighed: LexicalMatch | None


@dataclass(frozen=True, slots=True)
class RankingInput:
    """What a text is compared by: what usage expects, tools by words and by likeness.

    ``first`` is the stem of its first word.
    """

    expected: ExpectedTool
    by_words: Mapping[str, LexicalMatch]
    by_slip: Mapping[str, float]
    first: str


def features_of(
    tool: str, grounds: RankingInput, alone: Mapping[str, float], registry: Registry
) -> tuple[float, ...]:
    """What speaks for a tool, in the order of the lexicon's terms ``names``.

    ``alone`` are the shares by the catalog alone: of tools that usage never showed they, and
    whether the text begins with a name, tell more.
    """
    expected, weighed = grounds.expected, grounds.by_words.get(tool)
    near = grounds.by_slip.get(tool, 0.0)
    seen = tool in registry.expectation.seen
    log = expected.logs.get(tool, _UNEXPECTED) if seen else _UNSEEN
    score = weighed.score if weighed else 0.0
    document = registry.search.by_id.get(tool)
    is_new = weighed is not None and any(map(registry.expectation.unheard, weighed.held))
    return (
        log,
        0.0 if seen else 1.0,
        score,
        score * score,
        1.0 if weighed and weighed.lacks == "nothing" else 0.0,
        1.0 if weighed and weighed.lacks == "vendor" else 0.0,
        0.0 if seen else score,
        near,
        1.0 if document is not None and document.aside else 0.0,
        1.0 if not seen and weighed and weighed.lacks == "nothing" else 0.0,
        1.0 if is_new else 0.0,
        score if is_new else 0.0,
        *((0.0,) * 4 if seen else _signs_alone(tool, grounds, alone)),
    )


def _signs_alone(tool: str, grounds: RankingInput, alone: Mapping[str, float]) -> tuple[float, ...]:
    """What speaks for a tool that usage never showed: how the catalog alone would have it."""
    weighed, share = grounds.by_words.get(tool), alone.get(tool, 0.0)
    begins = weighed is not None and grounds.first in weighed.held
    is_best = share > 0.0 and share >= max(alone.values())
    return (
        1.0 if begins else 0.0,
        1.0 if is_best else 0.0,
        share,
        math.log(share + _LEAST_ALONE),
    )


def _alone(grounds: RankingInput, registry: Registry) -> dict[str, float]:
    """The share of each candidate by the words of the catalog alone."""
    by_score, by_square, by_whole = _BY_CATALOG[2:5]
    by_slip, by_aside = _BY_CATALOG[7:9]
    scores: dict[str, float] = {}
    for tool in dict.fromkeys([*grounds.by_words, *grounds.by_slip]):
        weighed, document = grounds.by_words.get(tool), registry.search.by_id.get(tool)
        score = by_slip * grounds.by_slip.get(tool, 0.0)
        if weighed is not None:
            score += weighed.score * (by_score + by_square * weighed.score)
            score += by_whole * (weighed.lacks == "nothing")
        scores[tool] = score + by_aside * (document is not None and document.aside)
    most = max(scores.values(), default=0.0)
    shares = {tool: math.exp(score - most) for tool, score in scores.items()}
    total = math.fsum(shares.values())
    return {tool: share / total for tool, share in shares.items()}


def rank(
    expected: ExpectedTool,
    weighed: Iterable[LexicalMatch],
    near: Iterable[Candidate],
    registry: Registry,
    context: NameContext,
    *,
    first: str,
    by_catalog: bool,
) -> list[Ranked]:
    """All candidates, the likeliest first; ``by_catalog`` trusts its words more than usage.

    ``first`` is the stem of the first word.
    """
    by_words = {match.tool: match for match in weighed}
    by_slip = {candidate.tool: candidate.confidence for candidate in near}
    grounds = RankingInput(expected, by_words, by_slip, first)
    seen = registry.expectation.seen
    is_all_seen = seen.issuperset(by_words) and seen.issuperset(by_slip)
    alone = {} if is_all_seen else _alone(grounds, registry)
    terms = (None if by_catalog else registry.expectation.terms("names")) or _BY_CATALOG
    # Labels say little of what stands beside a step, and much of the step.
    is_beside = all(registry.search.by_id[by_word].aside for by_word in by_words)
    scored: list[tuple[float, str, tuple[float, ...]]] = []
    for tool in dict.fromkeys([*by_words, *by_slip, *expected.logs]):
        signs = features_of(tool, grounds, alone, registry)
        if by_catalog and is_beside and _is_called(by_words.get(tool)):
            signs = (max(signs[0], _LEAST_EXPECTED), *signs[1:])
        score = sum(map(mul, terms, signs))
        scored.append((score - _misplaced(tool, registry, context), tool, signs))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return _shared(scored, by_words)


def _is_called(weighed: LexicalMatch | None) -> bool:
    """Whether every word is of the tool's own name."""
    return weighed is not None and weighed.spoken == 1.0 and bool(weighed.held)


def _shared(
    scored: Sequence[tuple[float, str, tuple[float, ...]]], by_words: Mapping[str, LexicalMatch]
) -> list[Ranked]:
    if not scored:
        return []
    most = scored[0][0]
    shares = [math.exp(score - most) for score, _, _ in scored]
    total = math.fsum(shares)
    return [
        Ranked(tool, signs, share / total, by_words.get(tool))
        for (_, tool, signs), share in zip(scored, shares, strict=True)
    ]


def _misplaced(tool: str, registry: Registry, context: NameContext) -> float:
    """A tool that starts where a step is meant, or the other way round, is hardly meant."""
    document = registry.search.by_id.get(tool)
    if context.position is None or document is None:
        return 0.0
    wrong = document.starts != (context.position == "trigger")
    wrong = wrong or document.aside != (context.position == "sub-node")
    return _OTHER_PLACE if wrong else 0.0


def confidence_of(share: float, kind: str, registry: Registry) -> float:
    """How often a candidate of this kind and share is the right one, as far as was measured."""
    steps = steps_of(kind, registry)
    return _interpolated(share, steps) if steps else round(min(share, _SUREST), 3)


def measured(kind: str, otherwise: float, registry: Registry) -> float:
    """How often a tool found by such a spelling was the right one; never more than otherwise."""
    steps = steps_of(kind, registry)
    return min(otherwise, _interpolated(1.0, steps)) if steps else otherwise


def steps_of(kind: str, registry: Registry) -> Steps:
    """The measured steps for a kind of answer; none where the lexicon knows none of the tools."""
    lexicon = registry.expectation.lexicon
    return lexicon.steps.get(kind, ()) if lexicon and registry.expectation.seen else ()


def _interpolated(share: float, steps: Steps) -> float:
    low = (0.0, 0.0)
    for high in (*steps, (1.0, steps[-1][1])):
        if share <= high[0]:
            part = (share - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 1.0
            return round(low[1] + part * (high[1] - low[1]), 3)
        low = high
    return round(low[1], 3)
