"""Raises the scores of matching tools that fit the context of the step, such as its neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grounded_builder.catalog.name_index import fold_name, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.lexical_match import LexicalMatch

# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_CLOSE = 0.3
_MAX_COMPARED = 6
_NEIGHBOUR_SHARE = 0.95
_OTHER_SERVICE_SHARE = 0.9
_BY_PARAMETERS = 0.3
_BY_SERVICE = 0.3
_BY_FAMILY = 0.08
_BY_ACTION = 0.15
_BY_GOAL = 0.08


def boost_by_context(
    matches: Sequence[LexicalMatch], registry: Registry, context: NameContext
) -> list[LexicalMatch]:
    """Returns the matches, best first, with those that fit the context raised towards 1."""
    if not matches:
        return []
    adjusted = [_adjust_for_neighbours(match, registry, context) for match in matches]
    adjusted.sort(key=lambda match: -match.score)
    close = [
        match for match in adjusted[:_MAX_COMPARED] if match.score >= adjusted[0].score - _CLOSE
    ]
    raised = [
        replace(
            match,
            score=match.score
            + (1 - match.score) * min(1.0, _context_gain(match, registry, context)),
        )
        for match in close
    ]
    return sorted(raised, key=lambda match: -match.score) + adjusted[len(close) :]


def shares_package_with_neighbours(tool: str, registry: Registry, context: NameContext) -> bool:
    """Returns whether a neighbour of the step uses the same service as a tool."""
    return any(_is_same_service(tool, other, registry) for other in context.neighbours)


def _adjust_for_neighbours(
    match: LexicalMatch, registry: Registry, context: NameContext
) -> LexicalMatch:
    """Returns a match as if fully named if a neighbour uses its service, else lowered."""
    if not shares_package_with_neighbours(match.tool, registry, context):
        is_partial_name = context.neighbours and match.missing_part != "nothing"
        return (
            replace(match, score=match.score * _OTHER_SERVICE_SHARE) if is_partial_name else match
        )
    score = max(match.score, match.explained * _NEIGHBOUR_SHARE)
    return replace(match, score=score, missing_part="nothing")


def _context_gain(match: LexicalMatch, registry: Registry, context: NameContext) -> float:
    gain = 0.0
    if context.params:
        gain += _BY_PARAMETERS * _parameter_share(match.tool, registry, context.params)
    for neighbour in context.neighbours:
        if _is_same_service(match.tool, neighbour, registry):
            gain += _BY_SERVICE
            break
        if _is_same_family(match.tool, neighbour, registry):
            gain += _BY_FAMILY
            break
    document = registry.search.by_id.get(match.tool)
    if document is not None:
        for text, share in ((context.action, _BY_ACTION), (context.goal, _BY_GOAL)):
            words = {stem(word) for word in split_identifier(text)}
            is_named = any(name and words.issuperset(name) for name in document.names)
            gain += share * is_named
    return gain


def _parameter_share(tool: str, registry: Registry, wanted: tuple[str, ...]) -> float:
    """Returns the share of parameter names that the newest variant of a tool has."""
    variants = registry.tool(tool)["variants"]
    newest = max(variants, key=lambda variant: float(max(variant["versions"])))
    known = {fold_name(parameter["name"]) for parameter in newest["parameters"]}
    return sum(fold_name(name) in known for name in wanted) / len(wanted)


def _is_same_service(tool: str, neighbour: str, registry: Registry) -> bool:
    """Returns whether one id continues the other, as those of an action and its trigger.

    Tools of two packages can have the same id after the package.
    """
    if tool == neighbour or neighbour not in registry.tools:
        return tool == neighbour
    tail, other_tail = id_tail(tool), id_tail(neighbour)
    short, long = sorted((tail, other_tail), key=len)
    return short == long or (long.startswith(short) and long[len(short)].isupper())


def _is_same_family(tool: str, neighbour: str, registry: Registry) -> bool:
    other = registry.tools.get(neighbour)
    return bool(other and other.family and other.family == registry.tools[tool].family)
