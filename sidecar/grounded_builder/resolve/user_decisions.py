"""Names that people decided about: an alias, or word that there is no such tool."""

from __future__ import annotations

from grounded_builder.catalog.name_decisions import key_of
from grounded_builder.catalog.registry import Registry
from grounded_builder.ir.resolution import Candidate, NameContext, Resolution, resolved_to, unknown
from grounded_builder.resolve.spelling_match import allowed, with_runners_up

_CONFIDENCE = 0.98


def apply_decisions(
    token: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """What a name means by decision; None without one, or where the catalog itself says more.

    A tool that came to bear the name is meant by it, and an alias sleeps while its tool is
    not in the catalog.
    """
    known = registry.learnt.get(key_of(token)) if registry.learnt else None
    if known is None or owner_of(token, registry) not in (None, known.tool):
        return None
    if known.tool is None:
        offered = (known.instead,) if known.instead in registry.tools else ()
        results = (item for item in offered if item and allowed(item, registry, context))
        return unknown(tuple(Candidate(item) for item in results), "alias")
    if known.tool not in registry.tools or not allowed(known.tool, registry, context):
        return None
    return resolved_to(with_runners_up(known.tool, {}, _CONFIDENCE, registry), "alias")


def owner_of(name: str, registry: Registry) -> str | None:
    """The one tool whose id, name or alias this is, but for case and marks."""
    token = name.strip()
    if token in registry.tools:
        return token
    names = registry.names
    for item in (names.by_case(token), names.by_plain(token)):
        owners = dict.fromkeys(item)
        if owners:
            return next(iter(owners)) if len(owners) == 1 else None
    return None
