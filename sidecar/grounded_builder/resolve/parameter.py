"""Resolve the name of one tool's parameter, or a version of the tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rapidfuzz import fuzz

from grounded_builder.catalog.name_index import plain
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normal, split_identifier, stem, synonym_groups
from grounded_builder.ir.resolution import Candidate, Resolution, ambiguous, resolved_to, unknown

PARAMETER = "parameter"
VERSION = "version"
_OFFERED = 5
_DEEPEST = 6
_SURE = 0.9
_NEAR = 0.86
_NEAR_MARGIN = 0.06
_LEAST = 0.4
_LEAST_LETTERS = 0.6
_SHORTEST_NEAR = 5


def resolve_parameter(text: str, tool: str, registry: Registry) -> Resolution:
    """Resolve a parameter of a tool's usual version: ``params`` say its dotted path.

    KeyError when there is no such tool.
    """
    paths = dict(_paths(_parameters(tool, registry), ()))
    token = normal(text).strip()
    wanted = plain(token)
    for method, confidence, fits in (
        ("exact", 1.0, [path for path in paths if path == token]),
        ("name", 0.97, [path for path in paths if wanted and plain(path) == wanted]),
        ("name", 0.95, [path for path in paths if wanted and wanted in _last(path, paths)]),
    ):
        if len(fits) == 1:
            return resolved_to((_named(tool, fits[0], confidence),), method)
        if fits:
            share = round(0.9 / len(fits), 3)
            return ambiguous(tuple(_named(tool, path, share) for path in fits[:_OFFERED]), method)
    return _alike(token, tool, paths)


def resolve_version(text: str, tool: str, registry: Registry) -> Resolution:
    """Resolve a version of a tool; one that does not exist is answered by the nearest ones.

    KeyError when there is no such tool.
    """
    known = registry.tools[tool].versions
    digits = normal(text).casefold().replace(VERSION, "").strip().lstrip("v").strip()
    try:
        wanted = float(digits[:20])
    except ValueError:
        return unknown((), "none")
    if wanted in known:
        return resolved_to((Candidate(tool, {VERSION: wanted}, 1.0),), "exact")
    near = sorted(known, key=lambda item: (abs(item - wanted), -item))[:_OFFERED]
    return ambiguous(tuple(Candidate(tool, {VERSION: number}, 0.3) for number in near), "near")


def _parameters(tool: str, registry: Registry) -> list[Any]:
    row, variants = registry.tools[tool], registry.tool(tool)["variants"]
    version = row.default_version if row.default_version in row.versions else row.newest
    usual = next((variant for variant in variants if version in variant["versions"]), variants[-1])
    declared: list[Any] = usual["parameters"]
    return declared


def _paths(
    declared: Iterable[Any], above: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every parameter as a dotted path with the name that people see, and others that they use."""
    for item in declared:
        if not isinstance(item, Mapping) or not isinstance(item.get("name"), str):
            continue
        path = (*above, item["name"])
        if "type" in item:
            aliases = item.get("aliases")
            others = map(str, aliases) if isinstance(aliases, list) else ()
            yield ".".join(path), (str(item.get("displayName", "")), *others)
        for inner in (item.get("options"), item.get("values")):
            is_nested = isinstance(inner, list) and len(path) < _DEEPEST
            yield from _paths(inner, path) if is_nested and inner else ()


def _last(path: str, paths: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {plain(path.rpartition(".")[2]), *map(plain, paths[path])}


def _alike(token: str, tool: str, paths: Mapping[str, tuple[str, ...]]) -> Resolution:
    wanted = {stem(word) for word in split_identifier(token)}
    scored = sorted(
        ((_likeness(token, wanted, path, shown), path) for path, shown in paths.items()),
        key=lambda item: (-item[0], len(item[1]), item[1]),
    )[:_OFFERED]
    results = [(score, path) for score, path in scored if score >= _LEAST]
    if not results:
        return unknown((), "none")
    candidates = tuple(_named(tool, path, round(min(score, _SURE), 3)) for score, path in results)
    margin = results[0][0] - results[1][0] if len(results) > 1 else 1.0
    if results[0][0] >= _NEAR and margin >= _NEAR_MARGIN and len(plain(token)) >= _SHORTEST_NEAR:
        return resolved_to(candidates, "near")
    return ambiguous(candidates, "near")


def _likeness(token: str, wanted: set[str], path: str, shown: tuple[str, ...]) -> float:
    """By letters to the last name, or by the share of words that both have or mean."""
    last = path.rpartition(".")[2]
    letters = max(fuzz.ratio(plain(token)[:60], plain(name)) for name in (last, *shown)) / 100
    words = {stem(word) for name in (last, *shown) for word in split_identifier(name)}
    result = sum(
        word in words or any(synonym_groups(word) & synonym_groups(w) for w in words)
        for word in wanted
    )
    return max(letters if letters >= _LEAST_LETTERS else 0.0, 0.8 * result / max(len(wanted), 1))


def _named(tool: str, path: str, confidence: float) -> Candidate:
    return Candidate(tool, {PARAMETER: path}, confidence)
