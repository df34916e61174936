"""Resolves the name of a parameter of a given tool, or a version of the tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grounded_builder.catalog.likeness import percent_alike
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.synonyms import synonym_groups
from grounded_builder.catalog.tokenize import normalize_text, split_identifier, stem
from grounded_builder.ir.resolution import Candidate, Resolution, ambiguous, resolved_to, unknown

PARAMETER = "parameter"
VERSION = "version"
# Set by hand, between 0 and 1 unless the name says otherwise; `python -m evals.bench.resolver`
# measures what a change does.
_MAX_CANDIDATES = 5
_MAX_DEPTH = 6
_MAX_CONFIDENCE = 0.9
_ACCEPT_SCORE = 0.86
_ACCEPT_MARGIN = 0.06
_MIN_SCORE = 0.4
_MIN_LETTER_SCORE = 0.6
_MIN_ACCEPT_CHARS = 5


def resolve_parameter(text: str, tool: str, registry: Registry) -> Resolution:
    """Returns the resolution of a parameter name of a tool, with its dotted path in ``params``.

    Raises KeyError if there is no such tool.
    """
    paths = dict(_iter_paths(_parameters(tool, registry), ()))
    token = normalize_text(text).strip()
    wanted = fold_name(token)
    for method, confidence, fits in (
        ("exact", 1.0, [path for path in paths if path == token]),
        ("name", 0.97, [path for path in paths if wanted and fold_name(path) == wanted]),
        ("name", 0.95, [path for path in paths if wanted and wanted in _name_forms(path, paths)]),
    ):
        if len(fits) == 1:
            return resolved_to((_make_candidate(tool, fits[0], confidence),), method)
        if fits:
            share = round(0.9 / len(fits), 3)
            return ambiguous(
                tuple(_make_candidate(tool, path, share) for path in fits[:_MAX_CANDIDATES]), method
            )
    return _resolve_by_likeness(token, tool, paths)


def resolve_version(text: str, tool: str, registry: Registry) -> Resolution:
    """Returns the resolution of a tool's version; for a version it lacks, the nearest ones.

    Raises KeyError if there is no such tool.
    """
    known = registry.tools[tool].versions
    digits = normalize_text(text).casefold().replace(VERSION, "").strip().lstrip("v").strip()
    try:
        wanted = float(digits[:20])
    except ValueError:
        return unknown((), "none")
    if wanted in known:
        return resolved_to((Candidate(tool, {VERSION: wanted}, 1.0),), "exact")
    near = sorted(known, key=lambda number: (abs(number - wanted), -number))[:_MAX_CANDIDATES]
    return ambiguous(tuple(Candidate(tool, {VERSION: number}, 0.3) for number in near), "near")


def _parameters(tool: str, registry: Registry) -> list[Any]:
    row, variants = registry.tools[tool], registry.tool(tool)["variants"]
    version = row.default_version if row.default_version in row.versions else row.newest
    preferred = next(
        (variant for variant in variants if version in variant["versions"]), variants[-1]
    )
    declared: list[Any] = preferred["parameters"]
    return declared


def _iter_paths(
    declared: Iterable[Any], above: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yields each parameter as a dotted path with its display name and its aliases."""
    for parameter in declared:
        if not isinstance(parameter, Mapping) or not isinstance(parameter.get("name"), str):
            continue
        path = (*above, parameter["name"])
        if "type" in parameter:
            aliases = parameter.get("aliases")
            others = map(str, aliases) if isinstance(aliases, list) else ()
            yield ".".join(path), (str(parameter.get("displayName", "")), *others)
        for inner in (parameter.get("options"), parameter.get("values")):
            is_nested = isinstance(inner, list) and len(path) < _MAX_DEPTH
            yield from _iter_paths(inner, path) if is_nested and inner else ()


def _name_forms(path: str, paths: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {fold_name(path.rpartition(".")[2]), *map(fold_name, paths[path])}


def _resolve_by_likeness(token: str, tool: str, paths: Mapping[str, tuple[str, ...]]) -> Resolution:
    wanted = {stem(word) for word in split_identifier(token)}
    scored = sorted(
        ((_likeness(token, wanted, path, shown), path) for path, shown in paths.items()),
        key=lambda match: (-match[0], len(match[1]), match[1]),
    )[:_MAX_CANDIDATES]
    matches = [(score, path) for score, path in scored if score >= _MIN_SCORE]
    if not matches:
        return unknown((), "none")
    candidates = tuple(
        _make_candidate(tool, path, round(min(score, _MAX_CONFIDENCE), 3))
        for score, path in matches
    )
    margin = matches[0][0] - matches[1][0] if len(matches) > 1 else 1.0
    if (
        matches[0][0] >= _ACCEPT_SCORE
        and margin >= _ACCEPT_MARGIN
        and len(fold_name(token)) >= _MIN_ACCEPT_CHARS
    ):
        return resolved_to(candidates, "near")
    return ambiguous(candidates, "near")


def _likeness(token: str, wanted: set[str], path: str, shown: tuple[str, ...]) -> float:
    """Returns the similarity by letters, or the share of words that are equal or synonyms."""
    last = path.rpartition(".")[2]
    letters = (
        max(percent_alike(fold_name(token)[:60], fold_name(name)) for name in (last, *shown)) / 100
    )
    words = {stem(word) for name in (last, *shown) for word in split_identifier(name)}
    shared = sum(
        word in words or any(synonym_groups(word) & synonym_groups(other) for other in words)
        for word in wanted
    )
    return max(letters if letters >= _MIN_LETTER_SCORE else 0.0, 0.8 * shared / max(len(wanted), 1))


def _make_candidate(tool: str, path: str, confidence: float) -> Candidate:
    return Candidate(tool, {PARAMETER: path}, confidence)
