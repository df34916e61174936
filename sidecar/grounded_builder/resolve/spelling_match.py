"""Matches tokens with tool ids and names by spelling, and checks constraints on tools."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from grounded_builder.catalog.name_index import fold_name, id_head, id_tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normalize_text, split_identifier
from grounded_builder.ir.options import is_denied
from grounded_builder.ir.resolution import (
    Candidate,
    NameContext,
    Resolution,
    ambiguous,
    resolved_to,
)
from grounded_builder.resolve.context_boost import boost_by_context
from grounded_builder.resolve.lexical_match import LexicalMatch

# Set by hand, on the scale from 0 to 100 of the likeness of letters; `python -m
# evals.bench.resolver` measures what a change does.
_MIN_NEAR_SCORE = 88.0
_MIN_NEAR_MARGIN = 6.0
_MIN_NEAR_CHARS = 5
_MAX_CANDIDATES = 5
_ACCEPT_MARGIN = 0.1


def match_spelling(
    token: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """Returns the resolution of a token that spells an id or name, None if no name is near."""
    names = registry.names
    for method, confidence, matches in (
        ("case", 0.99, _with_same_tail(names.by_case(token), registry)),
        ("name", 0.98, () if id_head(token) else names.by_title(token)),
        ("prefix", 0.97, _filter_by_package(token, _by_tail(token, registry), registry)),
        (
            "name",
            0.95,
            _filter_by_package(token, names.by_plain(_without_package(token, registry)), registry),
        ),
    ):
        ids = _filter_plausible(matches, registry, context)
        if len(ids) == 1:
            placed_tool = _tool_at_position(ids[0], registry, context)
            if placed_tool is not None:
                runners_up = (Candidate(ids[0], {}, 0.1), *_siblings(ids[0], registry))
                return resolved_to((Candidate(placed_tool, {}, 0.88), *runners_up), "position")
            successors = _successors(ids[0], token, registry, context)
            if successors and method != "case":
                return _choose_by_context(token, (*successors, ids[0]), method, registry, context)
            if successors and context is not None:
                share = round(0.9 / (1 + len(successors)), 3)
                either = tuple(Candidate(name, {}, share) for name in (ids[0], *successors))
                return ambiguous(either, method)
            return resolved_to(with_runners_up(ids[0], {}, confidence, registry), method)
        if ids:
            return _choose_by_context(token, ids, method, registry, context)
    splits = [
        candidate
        for candidate in _split_operation(token, registry)
        if is_allowed(candidate.tool, registry, context)
    ]
    if len(splits) == 1:
        return resolved_to((*splits, *_siblings(splits[0].tool, registry)), "operation")
    if splits and context is None:
        return ambiguous(tuple(splits[:_MAX_CANDIDATES]), "operation")
    return None


def _successors(
    tool: str, token: str, registry: Registry, context: NameContext | None
) -> tuple[str, ...]:
    """Returns the tools that replace a superseded tool, none if the token is its id."""
    if id_tail(token) == id_tail(tool):
        return ()
    replaced_by = registry.tools[tool].replaced_by
    return tuple(
        name
        for name in replaced_by
        if name in registry.tools and is_allowed(name, registry, context)
    )


def _with_same_tail(ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Returns ids with those of other packages that end alike, which a misspelling could mean."""
    return tuple(
        dict.fromkeys(name for tool in ids for name in (tool, *registry.names.by_tail(tool)))
    )


def _by_tail(token: str, registry: Registry) -> tuple[str, ...]:
    """Returns ids that end like the token; a slash belongs to an id only after a package."""
    before, slash, _ = token.rpartition("/")
    if slash and "." not in token[len(before) :] and not _is_package(before, registry):
        return ()
    return registry.names.by_tail(token)


def _tool_at_position(tool: str, registry: Registry, context: NameContext | None) -> str | None:
    """Returns the tool that a name means at this position: its trigger or sub-node form."""
    if context is None or context.position in (None, "step"):
        return None
    names, row = registry.names, registry.tools[tool]
    if context.position == "trigger":
        others = () if "trigger" in row.capabilities else names.starters.get(tool, ())
    else:
        others = names.renderings.get(tool, ())
    others = tuple(other for other in others if is_allowed(other, registry, context))
    return others[0] if len(others) == 1 else None


def near_tools(
    token: str, registry: Registry, context: NameContext | None
) -> tuple[tuple[Candidate, ...], bool]:
    """Returns tools with similar names, and whether the first is clearly the best."""
    hits = [hit for hit in registry.names.near(token) if is_allowed(hit.id, registry, context)]
    derived = registry.names.variants
    hits = [hit for hit in hits if derived.get(hit.id) not in {other.id for other in hits}]
    if not hits:
        return (), False
    best = hits[0]
    margin = best.score - hits[1].score if len(hits) > 1 else 100.0
    is_clear = (
        best.score >= _MIN_NEAR_SCORE
        and margin >= _MIN_NEAR_MARGIN
        and best.distance <= 2
        and _has_same_first_letter(token, best.id, registry)
        and len(fold_name(id_tail(token))) >= _MIN_NEAR_CHARS
        and _may_be_package(id_head(token), id_head(best.id), registry)
        and not _has_extra_word(token, best.id, registry)
    )
    candidates = tuple(Candidate(hit.id, {}, round(hit.score / 100 * 0.95, 3)) for hit in hits)
    return candidates, is_clear


def _has_extra_word(token: str, tool: str, registry: Registry) -> bool:
    """Returns whether a whole word follows a name, which means something else."""
    words = split_identifier(id_tail(token))
    names = (registry.tools[tool].name, id_tail(tool), *registry.tools[tool].aliases)
    return len(words[-1]) > 1 and any(words[:-1] == split_identifier(name) for name in names)


def _has_same_first_letter(token: str, tool: str, registry: Registry) -> bool:
    """Returns whether a name of the tool has the same first letter.

    Misspellings rarely change it.
    """
    names = (registry.tools[tool].name, id_tail(tool), *registry.tools[tool].aliases)
    return any(fold_name(name)[:1] == fold_name(id_tail(token))[:1] for name in names)


def _split_operation(token: str, registry: Registry) -> tuple[Candidate, ...]:
    """Splits ``mailSend`` into a tool and one of its operations; the longest tool name wins."""
    for tool_id, rest in registry.names.by_prefix(token):
        if not _may_be_package(id_head(token), id_head(tool_id), registry):
            continue
        wanted = fold_name(rest)
        candidates = [
            Candidate(tool_id, operation.params, 0.93)
            for operation in registry.tools[tool_id].operations
            if wanted in _operation_forms(operation.params)
        ]
        if candidates:
            return tuple(candidates)
    return ()


def _operation_forms(params: Mapping[str, Any]) -> set[str]:
    values = [str(value) for value in params.values()]
    return {fold_name(values[-1]), fold_name("".join(values)), fold_name("".join(reversed(values)))}


def _filter_by_package(token: str, ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Returns the ids that the token's package does not rule out."""
    return tuple(tool for tool in ids if _may_be_package(id_head(token), id_head(tool), registry))


def _may_be_package(written: str, real: str, registry: Registry) -> bool:
    """Returns whether a package name can be a misspelling of a tool's package.

    All tools of an installed package are known: a name it lacks means a tool elsewhere. A package
    that is not installed may have the tool, so only a corrupted form of the real package matches.
    """
    if not written or written == real or written in registry.packages:
        return True
    loose, exact = fold_name(written), fold_name(real)
    is_near = 0 < len(loose) <= 2 * len(exact)
    return is_near and (loose in exact or exact in loose)


def _without_package(token: str, registry: Registry) -> str:
    """Returns a name without its package; other dots belong to the name (``Sheet.node``)."""
    return id_tail(token) if id_head(token) and _is_package(id_head(token), registry) else token


def strip_package_words(token: str, registry: Registry) -> str:
    """Returns a name without the words that package names commonly have."""
    text = normalize_text(token)
    written = id_head(text)
    if not written or " " in written or written in registry.packages:
        return _without_package(text, registry)
    package_words = {word for name in registry.packages for word in split_identifier(name)}
    last = split_identifier(id_tail(text))
    name_words = [
        word for word in split_identifier(written) if word not in package_words and word not in last
    ]
    return (
        " ".join([*name_words, id_tail(text)])
        if package_words.intersection(split_identifier(written))
        else text
    )


def _is_package(written: str, registry: Registry) -> bool:
    if " " in written:
        return False
    loose = fold_name(written)
    return bool(loose) and any(
        loose in fold_name(name) or fold_name(name) in loose for name in registry.packages
    )


def _choose_by_context(
    token: str,
    ids: tuple[str, ...],
    method: str,
    registry: Registry,
    context: NameContext | None,
) -> Resolution:
    """Returns the tool of several with one name that fits the context, else an ambiguity."""
    ranked = _sort_by_package(token, ids, registry)
    matches = [
        LexicalMatch(tool, {}, 0.5 - 0.001 * at, frozenset(), "nothing", 0.5, 1.0)
        for at, tool in enumerate(ranked)
    ]
    if context is not None:
        matches = boost_by_context(matches, registry, context)
        if matches[0].score - matches[1].score >= _ACCEPT_MARGIN:
            rest = tuple(Candidate(match.tool, {}, 0.3) for match in matches[1:_MAX_CANDIDATES])
            return resolved_to((Candidate(matches[0].tool, {}, 0.85), *rest), method)
    share = round(0.9 / len(matches), 3)
    return ambiguous(tuple(Candidate(match.tool, {}, share) for match in matches), method)


def _filter_plausible(
    ids: tuple[str, ...], registry: Registry, context: NameContext | None
) -> tuple[str, ...]:
    """Returns the allowed tools, without variants of tools that are among them."""
    derived = registry.names.variants
    tools = [tool for tool in dict.fromkeys(ids) if is_allowed(tool, registry, context)]
    return tuple(tool for tool in tools if derived.get(tool) not in tools)


def is_allowed(tool: str, registry: Registry, context: NameContext | None) -> bool:
    """Returns whether the constraints of the context permit a tool."""
    if context is None:
        return True
    row = registry.tools[tool]
    if context.allowed_packages and row.package not in context.allowed_packages:
        return False
    if context.families and row.family not in context.families:
        return False
    if context.allowed and not any(fnmatchcase(tool, pattern) for pattern in context.allowed):
        return False
    return not is_denied(tool, context.denied, by_last_part=False)


def _sort_by_package(token: str, ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Returns current tools first, then those of the written package, then by operations."""
    package = fold_name(id_head(token))
    return tuple(
        sorted(
            ids,
            key=lambda tool: (
                registry.tools[tool].is_superseded,
                bool(package) and fold_name(id_head(tool)) != package,
                -len(registry.tools[tool].operations),
                -len(registry.tools[tool].versions),
                tool,
            ),
        )
    )


def with_runners_up(
    tool: str, params: Mapping[str, Any], confidence: float, registry: Registry
) -> tuple[Candidate, ...]:
    """Returns a resolved tool, followed by the tools that share its last part or its name."""
    return (Candidate(tool, params, confidence), *_siblings(tool, registry))


def _siblings(tool: str, registry: Registry) -> tuple[Candidate, ...]:
    """Returns the tools that share a tool's last part or its name, as further candidates."""
    names = registry.names
    others = dict.fromkeys([*names.by_tail(tool), *names.by_plain(registry.tools[tool].name)])
    return tuple(
        Candidate(other, {}, 0.02) for other in list(others)[:_MAX_CANDIDATES] if other != tool
    )
