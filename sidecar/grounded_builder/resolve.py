"""Resolve the names of a draft against the registry: exactly, or say what is near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.registry.names import head, plain, tail
from grounded_builder.registry.registry import Registry

Status = Literal["resolved", "ambiguous", "unknown"]

_NEAR_SCORE = 88.0
_NEAR_MARGIN = 6.0
_SHORTEST_NEAR = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """One tool that could be meant, with the parameters the name itself sets."""

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name stands for; ``method`` says by which kind of likeness."""

    status: Status
    tool: str | None
    params: Mapping[str, Any]
    confidence: float
    method: str
    candidates: tuple[Candidate, ...]


def resolve_name(text: str, registry: Registry) -> Resolution:
    """Resolve one tool name; abstains when several tools fit or none does clearly."""
    names = registry.names
    token = text.strip()
    if token in names.ids:
        return _one(token, {}, 1.0, "exact")
    package_known = head(token) in registry.packages
    for method, confidence, ids in (
        ("case", 0.99, names.by_case(token)),
        ("prefix", 0.97, _same_origin(token, names.by_tail(token))),
        ("name", 0.95, () if head(token) else names.by_plain(token)),
    ):
        if len(ids) == 1:
            return _one(ids[0], {}, confidence, method)
        if ids:
            return _ask(_by_package(token, ids), method)
    glued = _glued(token, registry)
    if len(glued) == 1:
        return _one(glued[0].tool, glued[0].params, 0.93, "operation")
    if glued:
        return _ask_candidates(glued, "operation")
    return _near(token, registry, foreign=bool(head(token)) and not package_known)


def _near(token: str, registry: Registry, foreign: bool) -> Resolution:
    hits = registry.names.near(token)
    candidates = tuple(Candidate(hit.id, {}, round(hit.score / 100, 3)) for hit in hits)
    if not hits:
        return Resolution("unknown", None, {}, 0.0, "none", ())
    best = hits[0]
    margin = best.score - hits[1].score if len(hits) > 1 else 100.0
    clear = (
        best.score >= _NEAR_SCORE
        and margin >= _NEAR_MARGIN
        and best.distance <= 2
        and len(plain(tail(token))) >= _SHORTEST_NEAR
    )
    if clear and (not foreign or _akin(head(token), head(best.id))):
        return Resolution(
            "resolved", best.id, {}, round(best.score / 100 * 0.95, 3), "near", candidates
        )
    return Resolution("unknown", None, {}, 0.0, "near", candidates)


def _glued(token: str, registry: Registry) -> tuple[Candidate, ...]:
    """Split ``gmailSend`` into a tool and one of its operations; longest tool name first."""
    for tool_id, rest in registry.names.by_prefix(token):
        if not _akin(head(token), head(tool_id)):
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


def _same_origin(token: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    """Keep those whose package the token's own could be a corruption of."""
    return tuple(tool_id for tool_id in ids if _akin(head(token), head(tool_id)))


def _akin(written: str, real: str) -> bool:
    if not written or written == real:
        return True
    loose, exact = plain(written), plain(real)
    return bool(loose) and (loose in exact or exact in loose)


def _by_package(token: str, ids: tuple[str, ...]) -> tuple[str, ...]:
    wanted = plain(head(token))
    return tuple(sorted(ids, key=lambda tool_id: (plain(head(tool_id)) != wanted, tool_id)))


def _one(tool: str, params: Mapping[str, Any], confidence: float, method: str) -> Resolution:
    chosen = Candidate(tool, params, confidence)
    return Resolution("resolved", tool, params, confidence, method, (chosen,))


def _ask(ids: tuple[str, ...], method: str) -> Resolution:
    return _ask_candidates(tuple(Candidate(i, {}, round(0.9 / len(ids), 3)) for i in ids), method)


def _ask_candidates(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    return Resolution("ambiguous", None, {}, candidates[0].confidence, method, candidates)
