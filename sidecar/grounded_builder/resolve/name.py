"""Resolve one tool name; the kinds of likeness in their order, each stricter than the next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from grounded_builder.registry.registry import Registry
from grounded_builder.resolve.evidence import Reading, Weighed, read_text, weigh
from grounded_builder.resolve.model import (
    Candidate,
    NameContext,
    Resolution,
    asked,
    chosen,
    missed,
)
from grounded_builder.resolve.neighbourhood import bonus
from grounded_builder.resolve.spelling import allowed, near_tools, speech, spelt, with_runners_up

_OFFERED = 5
_LEAST_OFFER = 0.25

_ACCEPT = 0.72
_ACCEPT_MARGIN = 0.1
_ACCEPT_SPOKEN = 0.74
_RIVAL = 0.45
_SPEAKS = 0.5
_LONGEST_SLIP = 6
_VENDORLESS_MARGIN = 0.15
_NO_CONTEXT = NameContext()


def resolve_name(text: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Resolve one tool name; abstains when several tools fit or none does clearly.

    Without a context only spellings of a name resolve; with one, words and what
    surrounds the step may decide.
    """
    token = text.strip()
    if token in registry.tools and allowed(token, registry, context):
        return chosen(with_runners_up(token, {}, 1.0, registry), "exact")
    resolution = spelt(token, registry, context) or _meant(token, registry, context)
    kept = tuple(one for one in resolution.candidates if allowed(one.tool, registry, context))
    return replace(resolution, candidates=kept)


def _meant(token: str, registry: Registry, context: NameContext | None) -> Resolution:
    """What a text that is no spelling of a name speaks of."""
    read = read_text(speech(token, registry), registry)
    near: tuple[Candidate, ...] = ()
    may_be_slip = len(read.words) <= _LONGEST_SLIP
    if may_be_slip and (read.strange or not read.words):
        near, clear = near_tools(token, registry, context)
        if clear:
            return chosen(near, "near")
    weighed = [
        one
        for one in weigh(read, registry, context or _NO_CONTEXT)
        if allowed(one.tool, registry, context)
    ]
    if " " not in token and not read.strange and (not weighed or weighed[0].score < _SPEAKS):
        near, _ = near_tools(token, registry, context)
        near = tuple(replace(one, confidence=round(one.confidence * 0.6, 3)) for one in near)
    if context is None:
        merged = _merged(near, [_candidate(one, one.score * 0.9) for one in weighed])
        return missed(merged, "near" if merged else "none")
    ranked = bonus(weighed, registry, context)
    if not ranked:
        return missed(_merged(near), "near" if near else "none")
    merged = _merged([_candidate(one, one.score) for one in ranked], near)
    if _is_clear(ranked, read, registry, context):
        best = ranked[0]
        margin = best.score - ranked[1].score if len(ranked) > 1 else 1.0
        sure = round(min(0.92, best.score * (0.7 + min(margin, 0.3))), 3)
        rest = tuple(
            Candidate(one.tool, one.params, min(one.confidence, round(sure - 0.05, 3)))
            for one in merged
            if one.tool != best.tool
        )
        return chosen((Candidate(best.tool, best.params, sure), *rest), "words")
    if ranked[0].score >= _LEAST_OFFER:
        return asked(merged, "words")
    return missed(merged, "near")


def _is_clear(
    ranked: list[Weighed], read: Reading, registry: Registry, context: NameContext
) -> bool:
    """Whether the first may be taken without asking.

    It must be named wholly, but for its vendor, and account for nearly all words. No other
    tool may be as good, or hold more of the words as its name.
    """
    best = ranked[0]
    if best.lacks == "more" or best.score < _ACCEPT or best.spoken < _ACCEPT_SPOKEN:
        return False
    starters = registry.names.starters.get(best.tool, ())
    if read.may_start and context.position is None and starters:
        return False
    for other in ranked[1:]:
        if best.score - other.score < _ACCEPT_MARGIN:
            return False
        if other.held > best.held and other.score >= _RIVAL:
            return False
        if best.lacks == "vendor" and best.explained - other.explained < _VENDORLESS_MARGIN:
            return False
    return True


def _candidate(one: Weighed, confidence: float) -> Candidate:
    return Candidate(one.tool, one.params, round(min(confidence, 0.9), 3))


def _merged(*lists: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates of several kinds as one list, a tool once, the most likely first."""
    best: dict[str, Candidate] = {}
    for candidate in (one for some in lists for one in some):
        known = best.get(candidate.tool)
        if known is None or known.confidence < candidate.confidence:
            best[candidate.tool] = candidate
    ranked = sorted(best.values(), key=lambda one: -one.confidence)
    return tuple(one for one in ranked[:_OFFERED] if one.confidence >= _LEAST_OFFER)
