"""Spellings: the tool whose id or name a token is, but for case, package, marks or a slip."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from grounded_builder.catalog.name_index import head, plain, tail
from grounded_builder.catalog.registry import Registry
from grounded_builder.catalog.tokenize import normal, split_identifier
from grounded_builder.ir.resolution import (
    Candidate,
    NameContext,
    Resolution,
    ambiguous,
    resolved_to,
)
from grounded_builder.resolve.context_boost import bonus
from grounded_builder.resolve.lexical_match import LexicalMatch

_NEAR_SCORE = 88.0
_NEAR_MARGIN = 6.0
_SHORTEST_NEAR = 5
_OFFERED = 5
_ACCEPT_MARGIN = 0.1


def match_spelling(
    token: str, registry: Registry, context: NameContext | None
) -> Resolution | None:
    """The tool whose id or name this is but for spelling; None when no name is so near."""
    names = registry.names
    for method, confidence, item in (
        ("case", 0.99, _namesakes(names.by_case(token), registry)),
        ("name", 0.98, () if head(token) else names.by_title(token)),
        ("prefix", 0.97, _same_origin(token, _by_tail(token, registry), registry)),
        ("name", 0.95, _same_origin(token, names.by_plain(_local(token, registry)), registry)),
    ):
        ids = _plausible(item, registry, context)
        if len(ids) == 1:
            found_at = _placed(ids[0], registry, context)
            if found_at is not None:
                runners_up = (Candidate(ids[0], {}, 0.1), *_siblings(ids[0], registry))
                return resolved_to((Candidate(found_at, {}, 0.88), *runners_up), "position")
            instead = _successors(ids[0], token, registry, context)
            if instead and method != "case":
                return _between(token, (*instead, ids[0]), method, registry, context)
            if instead and context is not None:
                share = round(0.9 / (1 + len(instead)), 3)
                either = tuple(Candidate(name, {}, share) for name in (ids[0], *instead))
                return ambiguous(either, method)
            return resolved_to(with_runners_up(ids[0], {}, confidence, registry), method)
        if ids:
            return _between(token, ids, method, registry, context)
    glued = [
        candidate
        for candidate in _glued(token, registry)
        if allowed(candidate.tool, registry, context)
    ]
    if len(glued) == 1:
        return resolved_to((*glued, *_siblings(glued[0].tool, registry)), "operation")
    if glued and context is None:
        return ambiguous(tuple(glued[:_OFFERED]), "operation")
    return None


def _successors(
    tool: str, token: str, registry: Registry, context: NameContext | None
) -> tuple[str, ...]:
    """What does the work of a tool now that is not offered any more, unless its id is written."""
    if tail(token) == tail(tool):
        return ()
    replaced_by = registry.tools[tool].replaced_by
    return tuple(
        name for name in replaced_by if name in registry.tools and allowed(name, registry, context)
    )


def _namesakes(ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Ids with those of other packages that end alike: a wrong letter puts both in doubt."""
    return tuple(
        dict.fromkeys(name for tool in ids for name in (tool, *registry.names.by_tail(tool)))
    )


def _by_tail(token: str, registry: Registry) -> tuple[str, ...]:
    """Ids that end like the token; a slash is part of an id only behind a package."""
    before, slash, _ = token.rpartition("/")
    if slash and "." not in token[len(before) :] and not _is_package(before, registry):
        return ()
    return registry.names.by_tail(token)


def _placed(tool: str, registry: Registry, context: NameContext | None) -> str | None:
    """What a tool's name means at this place instead: its trigger, its form as a sub-node."""
    if context is None or context.position in (None, "step"):
        return None
    names, row = registry.names, registry.tools[tool]
    if context.position == "trigger":
        others = () if "trigger" in row.capabilities else names.starters.get(tool, ())
    else:
        others = names.renderings.get(tool, ())
    others = tuple(other for other in others if allowed(other, registry, context))
    return others[0] if len(others) == 1 else None


def near_tools(
    token: str, registry: Registry, context: NameContext | None
) -> tuple[tuple[Candidate, ...], bool]:
    """Tools with names like the token, and whether the first is clearly the one."""
    hits = [hit for hit in registry.names.near(token) if allowed(hit.id, registry, context)]
    derived = registry.names.derived
    hits = [hit for hit in hits if derived.get(hit.id) not in {other.id for other in hits}]
    if not hits:
        return (), False
    best = hits[0]
    margin = best.score - hits[1].score if len(hits) > 1 else 100.0
    clear = (
        best.score >= _NEAR_SCORE
        and margin >= _NEAR_MARGIN
        and best.distance <= 2
        and _begins_alike(token, best.id, registry)
        and len(plain(tail(token))) >= _SHORTEST_NEAR
        and _may_be(head(token), head(best.id), registry)
        and not _says_more(token, best.id, registry)
    )
    candidates = tuple(Candidate(hit.id, {}, round(hit.score / 100 * 0.95, 3)) for hit in hits)
    return candidates, clear


def _says_more(token: str, tool: str, registry: Registry) -> bool:
    """Whether a whole word stands behind a name: no slip of the pen, something else is meant."""
    words = split_identifier(tail(token))
    names = (registry.tools[tool].name, tail(tool), *registry.tools[tool].aliases)
    return len(words[-1]) > 1 and any(words[:-1] == split_identifier(name) for name in names)


def _begins_alike(token: str, tool: str, registry: Registry) -> bool:
    """Whether a name of the tool has the first letter, which slips of the pen rarely touch."""
    names = (registry.tools[tool].name, tail(tool), *registry.tools[tool].aliases)
    return any(plain(name)[:1] == plain(tail(token))[:1] for name in names)


def _glued(token: str, registry: Registry) -> tuple[Candidate, ...]:
    """Split ``mailSend`` into a tool and one of its operations; longest tool name first."""
    for tool_id, rest in registry.names.by_prefix(token):
        if not _may_be(head(token), head(tool_id), registry):
            continue
        wanted = plain(rest)
        fits = [
            Candidate(tool_id, operation.params, 0.93)
            for operation in registry.tools[tool_id].operations
            if wanted in _operation_forms(operation.params)
        ]
        if fits:
            return tuple(fits)
    return ()


def _operation_forms(params: Mapping[str, Any]) -> set[str]:
    values = [str(value) for value in params.values()]
    return {plain(values[-1]), plain("".join(values)), plain("".join(reversed(values)))}


def _same_origin(token: str, ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """Keep those that the token's package does not rule out."""
    return tuple(tool for tool in ids if _may_be(head(token), head(tool), registry))


def _may_be(written: str, real: str, registry: Registry) -> bool:
    """Whether a name of one package can be a slip for a tool of another.

    A package that is installed is known wholly: what it does not have was meant elsewhere.
    One that is not installed may have such a tool, so only a corruption of the real name
    passes.
    """
    if not written or written == real or written in registry.packages:
        return True
    loose, exact = plain(written), plain(real)
    is_near = 0 < len(loose) <= 2 * len(exact)
    return is_near and (loose in exact or exact in loose)


def _local(token: str, registry: Registry) -> str:
    """A name without its package; other dots belong to the name (``Sheet.node``)."""
    return tail(token) if head(token) and _is_package(head(token), registry) else token


def speech(token: str, registry: Registry) -> str:
    """The part of a name that speaks: all of it, but for what packages are called."""
    text = normal(token)
    written = head(text)
    if not written or " " in written or written in registry.packages:
        return _local(text, registry)
    usual = {word for name in registry.packages for word in split_identifier(name)}
    last = split_identifier(tail(text))
    own = [word for word in split_identifier(written) if word not in usual and word not in last]
    return " ".join([*own, tail(text)]) if usual.intersection(split_identifier(written)) else text


def _is_package(written: str, registry: Registry) -> bool:
    if " " in written:
        return False
    loose = plain(written)
    return bool(loose) and any(
        loose in plain(name) or plain(name) in loose for name in registry.packages
    )


def _between(
    token: str,
    ids: tuple[str, ...],
    method: str,
    registry: Registry,
    context: NameContext | None,
) -> Resolution:
    """Several tools of one name: the one that the context fits, else a question."""
    ranked = _by_package(token, ids, registry)
    weighed = [
        LexicalMatch(tool, {}, 0.5 - 0.001 * at, frozenset(), "nothing", 0.5, 1.0)
        for at, tool in enumerate(ranked)
    ]
    if context is not None:
        weighed = bonus(weighed, registry, context)
        if weighed[0].score - weighed[1].score >= _ACCEPT_MARGIN:
            rest = tuple(Candidate(match.tool, {}, 0.3) for match in weighed[1:_OFFERED])
            return resolved_to((Candidate(weighed[0].tool, {}, 0.85), *rest), method)
    share = round(0.9 / len(weighed), 3)
    return ambiguous(tuple(Candidate(match.tool, {}, share) for match in weighed), method)


def _plausible(
    ids: tuple[str, ...], registry: Registry, context: NameContext | None
) -> tuple[str, ...]:
    """Without what is denied, and without renderings of a tool that is among them."""
    derived = registry.names.derived
    fromkeys = [tool for tool in dict.fromkeys(ids) if allowed(tool, registry, context)]
    return tuple(tool for tool in fromkeys if derived.get(tool) not in fromkeys)


def allowed(tool: str, registry: Registry, context: NameContext | None) -> bool:
    """Whether the context's constraints leave a tool."""
    if context is None:
        return True
    row = registry.tools[tool]
    if context.allowed_packages and row.package not in context.allowed_packages:
        return False
    if context.families and row.family not in context.families:
        return False
    if context.allowed and not any(fnmatchcase(tool, pattern) for pattern in context.allowed):
        return False
    return not any(fnmatchcase(tool, pattern) for pattern in context.denied)


def _by_package(token: str, ids: tuple[str, ...], registry: Registry) -> tuple[str, ...]:
    """What is still offered first, then the written package, then what does the most."""
    wanted = plain(head(token))
    return tuple(
        sorted(
            ids,
            key=lambda tool: (
                registry.tools[tool].superseded,
                bool(wanted) and plain(head(tool)) != wanted,
                -len(registry.tools[tool].operations),
                -len(registry.tools[tool].versions),
                tool,
            ),
        )
    )


def with_runners_up(
    tool: str, params: Mapping[str, Any], confidence: float, registry: Registry
) -> tuple[Candidate, ...]:
    """A tool that is sure, and what shares its last part or its name."""
    return (Candidate(tool, params, confidence), *_siblings(tool, registry))


def _siblings(tool: str, registry: Registry) -> tuple[Candidate, ...]:
    """What the name could mean at second best: tools that share its last part or its name."""
    names = registry.names
    others = dict.fromkeys([*names.by_tail(tool), *names.by_plain(registry.tools[tool].name)])
    return tuple(Candidate(other, {}, 0.02) for other in list(others)[:_OFFERED] if other != tool)
