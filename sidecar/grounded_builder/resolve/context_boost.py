"""Let what surrounds a step decide between tools that its name alone leaves close."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grounded_builder.catalog.name_index import plain, tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.ir.resolution import NameContext
from grounded_builder.resolve.lexical_match import LexicalMatch

_CLOSE = 0.3
_COMPARED = 6
_AS_NAMED = 0.95
_ELSEWHERE = 0.9
_BY_PARAMETERS = 0.3
_BY_SERVICE = 0.3
_BY_FAMILY = 0.08
_BY_ACTION = 0.15
_BY_GOAL = 0.08


def bonus(
    weighed: Sequence[LexicalMatch], registry: Registry, context: NameContext
) -> list[LexicalMatch]:
    """The tools anew, best first: what the context speaks for is raised towards 1."""
    if not weighed:
        return []
    lexical_matches = [_as_neighbour(match, registry, context) for match in weighed]
    lexical_matches.sort(key=lambda match: -match.score)
    close = [
        match
        for match in lexical_matches[:_COMPARED]
        if match.score >= lexical_matches[0].score - _CLOSE
    ]
    raised = [
        replace(
            match, score=match.score + (1 - match.score) * min(1.0, _pull(match, registry, context))
        )
        for match in close
    ]
    return sorted(raised, key=lambda item: -item.score) + lexical_matches[len(close) :]


def shares_package_with_neighbours(tool: str, registry: Registry, context: NameContext) -> bool:
    """Whether the graph already uses the service of a tool."""
    return any(_same_service(tool, other, registry) for other in context.neighbours)


def _as_neighbour(match: LexicalMatch, registry: Registry, context: NameContext) -> LexicalMatch:
    """A tool of a service that the graph already uses is as good as named; another, less."""
    if not shares_package_with_neighbours(match.tool, registry, context):
        is_elsewhere = context.neighbours and match.lacks != "nothing"
        return replace(match, score=match.score * _ELSEWHERE) if is_elsewhere else match
    score = max(match.score, match.explained * _AS_NAMED)
    return replace(match, score=score, lacks="nothing")


def _pull(match: LexicalMatch, registry: Registry, context: NameContext) -> float:
    pull = 0.0
    if context.params:
        pull += _BY_PARAMETERS * _fitting(match.tool, registry, context.params)
    for neighbour in context.neighbours:
        if _same_service(match.tool, neighbour, registry):
            pull += _BY_SERVICE
            break
        if _same_family(match.tool, neighbour, registry):
            pull += _BY_FAMILY
            break
    document = registry.search.by_id.get(match.tool)
    if document is not None:
        for text, share in ((context.action, _BY_ACTION), (context.goal, _BY_GOAL)):
            words = {stem(word) for word in split_identifier(text)}
            named = any(name and words.issuperset(name) for name in document.names)
            pull += share * named
    return pull


def _fitting(tool: str, registry: Registry, wanted: tuple[str, ...]) -> float:
    """The share of parameter names that the newest variant of a tool has."""
    variants = registry.tool(tool)["variants"]
    newest = max(variants, key=lambda variant: float(max(variant["versions"])))
    known = {plain(parameter["name"]) for parameter in newest["parameters"]}
    return sum(plain(name) in known for name in wanted) / len(wanted)


def _same_service(tool: str, neighbour: str, registry: Registry) -> bool:
    """One id continues the other: the parts of one service, such as action and trigger."""
    if tool == neighbour or neighbour not in registry.tools:
        return tool == neighbour
    ours, theirs = tail(tool), tail(neighbour)
    short, long = sorted((ours, theirs), key=len)
    return long.startswith(short) and long[len(short)].isupper()


def _same_family(tool: str, neighbour: str, registry: Registry) -> bool:
    theirs = registry.tools.get(neighbour)
    return bool(theirs and theirs.family and theirs.family == registry.tools[tool].family)
