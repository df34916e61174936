"""Resolve the name of one tool's operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.name_index import plain
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import best_actions
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.ir.resolution import Candidate, Resolution, ambiguous, resolved_to, unknown

_ACCEPT = 0.8
_MARGIN = 0.1
_OFFERED = 5


def resolve_operation(
    text: str, tool: str, registry: Registry, known: Mapping[str, Any] | None = None
) -> Resolution:
    """Resolve an operation's name or value among those of a tool.

    ``known`` are parameters already set; operations that contradict them are left out.
    KeyError when there is no such tool.
    """
    row = registry.tools[tool]
    given = known or {}
    free = [
        operation
        for operation in row.operations
        if all(operation.params.get(key, value) == value for key, value in given.items())
    ]
    wanted = plain(text)
    for method, confidence, fits in (
        ("exact", 1.0, [o for o in free if text in o.params.values()]),
        ("name", 0.95, [o for o in free if wanted and wanted in _forms(o.name, o.params)]),
    ):
        candidates = tuple(Candidate(tool, fit.params, confidence) for fit in fits)
        if len(candidates) == 1:
            return resolved_to(candidates, method)
        if candidates:
            share = round(0.9 / len(candidates), 3)
            return ambiguous(tuple(Candidate(tool, c.params, share) for c in candidates), method)
    return _by_words(text, tool, registry, {plain(str(o.params)) for o in free})


def _by_words(text: str, tool: str, registry: Registry, free: set[str]) -> Resolution:
    document = registry.search.by_id.get(tool)
    if document is None:
        return unknown((), "none")
    terms = {stem(word): registry.search.rarity(stem(word)) for word in split_identifier(text)}
    ranked = [
        (score, action)
        for score, action in best_actions(document, terms, 20)
        if plain(str(action.params)) in free
    ][:_OFFERED]
    candidates = tuple(
        Candidate(tool, action.params, round(max(0.0, min(0.9, score)), 3))
        for score, action in ranked
    )
    if not candidates:
        return unknown((), "none")
    margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 1.0
    if ranked[0][0] >= _ACCEPT and margin >= _MARGIN:
        return resolved_to(candidates, "words")
    return ambiguous(candidates, "words")


def _forms(name: str, params: Mapping[str, Any]) -> set[str]:
    values = [plain(str(value)) for value in params.values()]
    return {plain(name), *values, "".join(values), "".join(reversed(values))}
