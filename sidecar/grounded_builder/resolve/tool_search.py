"""Find tools for a query: what requests like it used, and what the words of the catalog say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from heapq import nlargest
from operator import mul

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.search_document import Document
from grounded_builder.catalog.text_search import Hit
from grounded_builder.catalog.tokenize import split_identifier

_LEXICAL = 50
_UNSEEN = -6.0
# How signs add up where no lexicon says better: by the words of the catalog alone.
_BY_CATALOG = (0.3, 0.0, 2.0, 1.5, 1.5, 2.5, 0.1, -1.0, 0.0, -0.5, 0.0)


def find_tools(
    query: str,
    registry: Registry,
    limit: int = 10,
    *,
    trigger: bool | None = None,
    kind: str | None = None,
    family: str | None = None,
) -> tuple[Hit, ...]:
    """The tools that a query most likely needs, best first; scores are between 0 and 1.

    Nothing is likelier than what bears the very name that is asked for. ``trigger`` keeps tools
    that start a graph or those that do not, ``kind`` those with this capability, ``family``
    those of this vendor.
    """
    search = registry.search
    ranked = search.ranked(query, max(_LEXICAL, limit), trigger=trigger, kind=kind, family=family)
    lexical = {search.documents[number].row.id: score for score, number in ranked}
    if not lexical and not query.strip():
        return ()
    expected = registry.expectation.requested(query)
    likely = nlargest(max(limit, _LEXICAL), expected.logs, key=expected.logs.__getitem__)
    fitting = (tool for tool in likely if _fits(search.by_id[tool], trigger, kind, family))
    scored = request_scores(query, [*lexical, *fitting], expected.logs, lexical, registry)
    if not expected.known:
        scored = {tool: score for tool, score in scored.items() if tool in lexical}
    titled = scored.keys() & registry.names.by_title(query.strip())
    scored |= dict.fromkeys(titled, max(scored.values(), default=0.0))
    best = nlargest(limit, scored, key=lambda tool: (tool in titled, scored[tool], tool))
    terms = search.terms(query)
    return tuple(search.hit(search.by_id[tool], _share(scored[tool]), terms) for tool in best)


def request_scores(
    query: str,
    tools: Iterable[str],
    logs: Mapping[str, float],
    lexical: Mapping[str, float],
    registry: Registry,
) -> dict[str, float]:
    """Log odds of every tool by all signs."""
    terms = registry.expectation.terms("requests") or _BY_CATALOG
    signs = request_signs(query, tools, logs, lexical, registry)
    return {tool: math.fsum(map(mul, terms, row)) for tool, row in signs.items()}


def request_signs(
    query: str,
    tools: Iterable[str],
    logs: Mapping[str, float],
    lexical: Mapping[str, float],
    registry: Registry,
) -> dict[str, tuple[float, ...]]:
    """What speaks for each tool, in the order of the lexicon's terms ``requests``."""
    search, names = registry.search, registry.names
    terms = search.terms(query)
    most = max(lexical.values(), default=1.0) or 1.0
    phrases = {tool for phrase in names.phrases(split_identifier(query)) for tool in phrase.ids}
    served = {other for tool in phrases for other in names.starters.get(tool, ())}
    rows: dict[str, tuple[float, ...]] = {}
    for tool in dict.fromkeys(tools):
        document = search.by_id[tool]
        seen = tool in logs
        score = lexical.get(tool)
        named = search.named(document, terms) if score is not None else 0.0
        rows[tool] = (
            logs[tool] if seen else _UNSEEN,
            0.0 if seen else 1.0,
            named,
            named * named,
            (score or 0.0) / most,
            1.0 if tool in phrases else 0.0,
            1.0 if tool in served else 0.0,
            0.0 if seen else named,
            named if document.starts else 0.0,
            1.0 if document.aside else 0.0,
            1.0 if tool in phrases and not seen else 0.0,
        )
    return rows


def _fits(document: Document, trigger: bool | None, kind: str | None, family: str | None) -> bool:
    row = document.row
    return (
        (trigger is None or document.starts == trigger)
        and (kind is None or kind in row.capabilities)
        and (family is None or row.family == family)
    )


def _share(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))
