"""Finds the tools for a request or purpose by usage and words, and describes tools as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from heapq import nlargest
from operator import mul
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.text_search import Hit, fits
from grounded_builder.catalog.tokenize import split_identifier
from grounded_builder.ir.domain import Domain

_MIN_CANDIDATES = 50
_UNSEEN_LOG = -6.0
# The weights of the features without a lexicon, by the words of the catalog alone.
_BY_CATALOG = (0.3, 0.0, 2.0, 1.5, 1.5, 2.5, 0.1, -1.0, 0.0, -0.5, 0.0)
# Merging of rankings: the length of each, the weight of the one by words, and the rank offset.
_MERGED, _WORDS_SHARE, _RANK_OFFSET = 30, 1.5, 2
_MAX_TEXT_CHARS = 60
_MAX_OPERATIONS = 40


def find_tools(
    query: str,
    registry: Registry,
    limit: int = 10,
    *,
    trigger: bool | None = None,
    kind: str | None = None,
    family: str | None = None,
) -> tuple[Hit, ...]:
    """Returns the tools that a request most likely needs, best first, with scores of 0 to 1.

    A tool whose name is the whole request comes first. ``trigger`` selects tools that start a graph
    or those that do not, ``kind`` those with this capability, ``family`` those of this vendor.
    """
    search = registry.search
    ranked = search.rank(
        query, max(_MIN_CANDIDATES, limit), trigger=trigger, kind=kind, family=family
    )
    lexical = {search.documents[number].row.id: score for score, number in ranked}
    if not lexical and not query.strip():
        return ()
    expected = registry.expectation.expect_by_request(query)
    likely = nlargest(max(limit, _MIN_CANDIDATES), expected.logs, key=expected.logs.__getitem__)
    candidates = (
        tool for tool in likely if fits(search.by_id[tool], trigger, kind, family, derived=True)
    )
    scored = request_scores(query, [*lexical, *candidates], expected.logs, lexical, registry)
    if not expected.known:
        scored = {tool: score for tool, score in scored.items() if tool in lexical}
    titled = scored.keys() & registry.names.by_title(query.strip())
    scored |= dict.fromkeys(titled, max(scored.values(), default=0.0))
    best = nlargest(limit, scored, key=lambda tool: (tool in titled, scored[tool], tool))
    terms = search.terms(query)
    return tuple(
        search.make_hit(search.by_id[tool], _odds_to_share(scored[tool]), terms) for tool in best
    )


def find_tools_by_purpose(query: str, registry: Registry, limit: int = 10) -> tuple[Hit, ...]:
    """Returns the tools for one purpose in a few words, best first, superseded tools last.

    What whole requests use says little about one purpose, so the ranking by the words of the
    catalog and the one of ``find_tools`` are merged by their ranks. A tool of that name is first.
    """
    search = registry.search
    merged: dict[str, float] = {}
    by_usage = find_tools(query, registry, _MERGED)
    by_words = [search.documents[number].row.id for _, number in search.rank(query, _MERGED)]
    for share, ranked in ((_WORDS_SHARE, by_words), (1.0, [hit.tool for hit in by_usage])):
        for at, tool in enumerate(ranked):
            merged[tool] = merged.get(tool, 0.0) + share / (_RANK_OFFSET + at)
    titled = registry.names.by_title(query.strip())
    best = sorted(
        merged,
        key=lambda tool: (
            tool not in titled,
            registry.tools[tool].is_superseded,
            -merged[tool],
            tool,
        ),
    )[:limit]
    known, terms = {hit.tool: hit for hit in by_usage}, search.terms(query)
    return tuple(
        known.get(tool) or search.make_hit(search.by_id[tool], 0.0, terms) for tool in best
    )


def request_scores(
    query: str,
    tools: Iterable[str],
    logs: Mapping[str, float],
    lexical: Mapping[str, float],
    registry: Registry,
) -> dict[str, float]:
    """Returns the log odds of every tool from all its features."""
    weights = registry.expectation.terms("requests") or _BY_CATALOG
    features = query_features(query, tools, logs, lexical, registry)
    return {tool: math.fsum(map(mul, weights, row)) for tool, row in features.items()}


def query_features(
    query: str,
    tools: Iterable[str],
    logs: Mapping[str, float],
    lexical: Mapping[str, float],
    registry: Registry,
) -> dict[str, tuple[float, ...]]:
    """Returns the features of each tool, in the order of the lexicon's terms ``requests``."""
    search, names = registry.search, registry.names
    terms = search.terms(query)
    most = max(lexical.values(), default=1.0) or 1.0
    phrases = {tool for phrase in names.phrases(split_identifier(query)) for tool in phrase.ids}
    triggers = {other for tool in phrases for other in names.starters.get(tool, ())}
    rows: dict[str, tuple[float, ...]] = {}
    for tool in dict.fromkeys(tools):
        document = search.by_id[tool]
        is_seen = tool in logs
        score = lexical.get(tool)
        name_share = search.name_share(document, terms) if score is not None else 0.0
        rows[tool] = (
            logs[tool] if is_seen else _UNSEEN_LOG,
            0.0 if is_seen else 1.0,
            name_share,
            name_share * name_share,
            (score or 0.0) / most,
            1.0 if tool in phrases else 0.0,
            1.0 if tool in triggers else 0.0,
            0.0 if is_seen else name_share,
            name_share if document.is_trigger else 0.0,
            1.0 if document.is_variant else 0.0,
            1.0 if tool in phrases and not is_seen else 0.0,
        )
    return rows


def _odds_to_share(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def summarize_hits(hits: Iterable[Hit], registry: Registry) -> list[dict[str, Any]]:
    """Returns each hit with its operation as about 150 bytes of JSON."""
    return [_summarize_hit(hit, registry) for hit in hits]


def describe_tool(
    tool: str, params: Mapping[str, Any], domain: Domain, registry: Registry
) -> dict[str, Any]:
    """Returns a tool with its operations, or with presets the parameters of an operation.

    Raises KeyError if there is no such tool.
    """
    row = registry.tools[tool]
    version = row.default_version if row.default_version in row.versions else row.newest
    summary: dict[str, Any] = {"tool": row.id, "name": row.name, "version": version}
    if domain.resolving.summary_facts is not None:
        summary |= domain.resolving.summary_facts(tool, registry)
    if params or not row.operations:
        outline = domain.prompting.parameter_outline(registry.spec(row.id, version), params)
        return {**summary, "params": dict(params), "parameters": outline}
    operations = [
        " ".join(f"{k}={v}" for k, v in operation.params.items()) for operation in row.operations
    ]
    return {**summary, "operations": operations[:_MAX_OPERATIONS], "total": len(operations)}


def _summarize_hit(hit: Hit, registry: Registry) -> dict[str, Any]:
    row = registry.tools[hit.tool]
    summary: dict[str, Any] = {"tool": row.id, "name": row.name, "score": hit.score}
    if hit.params:
        summary["params"] = dict(hit.params)
    if row.is_superseded:
        summary["replaced_by"] = list(row.replaced_by)
    text = row.description
    summary["what"] = (
        text if len(text) <= _MAX_TEXT_CHARS else text[: _MAX_TEXT_CHARS - 1].rstrip() + "…"
    )
    return summary
