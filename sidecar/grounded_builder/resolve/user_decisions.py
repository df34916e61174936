"""Applies users' decisions about a name, and finds the tool that has a name, id or alias."""

from __future__ import annotations

from grounded_builder.catalog.name_decisions import decision_key
from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import Candidate, NameContext, Resolution, resolved_to, unknown
from grounded_builder.resolve.spelling_match import is_allowed, with_runners_up

_CONFIDENCE = 0.98


def apply_decisions(
    token: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """Returns the resolution that a user decided on, None if the catalog has the name itself.

    A tool of the catalog with this name has precedence, and an alias has no effect while its tool
    is not in the catalog.
    """
    decision = registry.learnt.get(decision_key(token)) if registry.learnt else None
    if decision is None or find_owner(token, registry) not in (None, decision.tool):
        return None
    if decision.tool is None:
        offered = (decision.instead,) if decision.instead in registry.tools else ()
        replacements = (
            replacement
            for replacement in offered
            if replacement and is_allowed(replacement, registry, context)
        )
        return unknown(tuple(Candidate(replacement) for replacement in replacements), "alias")
    if decision.tool not in registry.tools or not is_allowed(decision.tool, registry, context):
        return None
    return resolved_to(with_runners_up(decision.tool, {}, _CONFIDENCE, registry), "alias")


def find_owner(name: str, registry: Registry) -> str | None:
    """Returns the one tool whose id, name or alias this is, ignoring case and marks."""
    token = name.strip()
    if token in registry.tools:
        return token
    names = registry.names
    for matches in (names.by_case(token), names.by_plain(token)):
        owners = dict.fromkeys(matches)
        if owners:
            return next(iter(owners)) if len(owners) == 1 else None
    return None
