"""Resolves the name of an operation of a given tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import best_actions
from grounded_builder.catalog.tokenize import split_identifier, stem
from grounded_builder.ir.resolution import Candidate, Resolution, ambiguous, resolved_to, unknown

# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_ACCEPT = 0.8
_ACCEPT_MARGIN = 0.1
_MAX_CANDIDATES = 5


def resolve_operation(
    text: str, tool: str, registry: Registry, known: Mapping[str, Any] | None = None
) -> Resolution:
    """Returns the resolution of an operation's name or value among those of a tool.

    ``known`` are parameters that are already set; operations that contradict them are left out.
    Raises KeyError if there is no such tool.
    """
    row = registry.tools[tool]
    params = known or {}
    operations = [
        operation
        for operation in row.operations
        if all(operation.params.get(key, value) == value for key, value in params.items())
    ]
    wanted = fold_name(text)
    for method, confidence, fits in (
        ("exact", 1.0, [o for o in operations if text in o.params.values()]),
        (
            "name",
            0.95,
            [o for o in operations if wanted and wanted in _name_forms(o.name, o.params)],
        ),
    ):
        candidates = tuple(Candidate(tool, fit.params, confidence) for fit in fits)
        if len(candidates) == 1:
            return resolved_to(candidates, method)
        if candidates:
            share = round(0.9 / len(candidates), 3)
            return ambiguous(tuple(Candidate(tool, c.params, share) for c in candidates), method)
    return _resolve_by_words(text, tool, registry, {fold_name(str(o.params)) for o in operations})


def _resolve_by_words(text: str, tool: str, registry: Registry, allowed: set[str]) -> Resolution:
    document = registry.search.by_id.get(tool)
    if document is None:
        return unknown((), "none")
    terms = {stem(word): registry.search.rarity(stem(word)) for word in split_identifier(text)}
    ranked = [
        (score, action)
        for score, action in best_actions(document, terms, 20)
        if fold_name(str(action.params)) in allowed
    ][:_MAX_CANDIDATES]
    candidates = tuple(
        Candidate(tool, action.params, round(max(0.0, min(0.9, score)), 3))
        for score, action in ranked
    )
    if not candidates:
        return unknown((), "none")
    margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 1.0
    if ranked[0][0] >= _ACCEPT and margin >= _ACCEPT_MARGIN:
        return resolved_to(candidates, "words")
    return ambiguous(candidates, "words")


def _name_forms(name: str, params: Mapping[str, Any]) -> set[str]:
    values = [fold_name(str(value)) for value in params.values()]
    return {fold_name(name), *values, "".join(values), "".join(reversed(values))}
