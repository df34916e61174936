"""Resolves the name of a tool by its spelling alone; suggests similar tools, but chooses none."""

from __future__ import annotations

from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import (
    Candidate,
    NameContext,
    Resolution,
    ambiguous,
    resolved_to,
    unknown,
)
from grounded_builder.resolve.user_decisions import apply_decisions
from grounded_builder.routing.capability_match import get_matcher

_SPELT = 0.98
_LONGEST = 200


def resolve(text: str, registry: Registry, context: NameContext | None = None) -> Resolution:
    """Resolves a name that equals a tool's own but for case and punctuation.

    Similar tools are suggested and never chosen: calls have effects, and a call of a tool that was
    not intended must not be made.
    """
    token = text.strip()
    if token in registry.tools:
        return resolved_to((Candidate(token, {}, 1.0),), "exact")
    by_decision = apply_decisions(token, registry, context)
    if by_decision is not None:
        return by_decision
    names = registry.names
    for matches in (names.by_case(token), names.by_title(token), names.by_plain(token)):
        ids = tuple(dict.fromkeys(matches))
        if len(ids) == 1:
            return resolved_to((Candidate(ids[0], {}, _SPELT),), "name")
        if ids:
            share = round(0.9 / len(ids), 3)
            return ambiguous(tuple(Candidate(id_, {}, share) for id_ in sorted(ids)), "name")
    near = get_matcher(registry).find_near_name(token[:_LONGEST])
    return unknown(
        tuple(Candidate(match.tool, {}, min(match.score, 0.9)) for match in near), "near"
    )
