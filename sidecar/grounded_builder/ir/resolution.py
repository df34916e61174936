"""Defines the context, candidates and result of resolving a name, and creates such results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.ir.target import NO_TARGET, Target

Status = Literal["resolved", "ambiguous", "unknown"]
Place = Literal["trigger", "step", "sub-node"]


@dataclass(frozen=True, slots=True)
class NameContext:
    """The known facts about the step that has a name; all are optional.

    ``params`` are parameter names, ``neighbours`` the tool ids of adjacent steps, ``capability``
    one that the tool must have. ``denied`` are ids or shell patterns of ids, ``allowed`` the only
    permitted ones. Tools must be of ``allowed_packages`` and ``families``; empty permits all.
    ``target`` is the installation that must have them. ``label`` is true if the text is the label
    of a step, which can name its subject instead of its tool.
    """

    action: str = ""
    goal: str = ""
    params: tuple[str, ...] = ()
    position: Place | None = None
    neighbours: tuple[str, ...] = ()
    capability: str | None = None
    denied: tuple[str, ...] = ()
    allowed_packages: frozenset[str] = frozenset()
    allowed: tuple[str, ...] = ()
    families: frozenset[str] = frozenset()
    label: bool = False
    target: Target = NO_TARGET


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool that the name can mean, with the parameters that the name itself sets.

    A ``fallback`` is not what the name means, but can do the work of the missing tool.
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """The tool that a name resolves to; ``method`` names the kind of match.

    ``candidates`` are best first; if resolved, the first is the chosen tool.
    """

    status: Status
    tool: str | None
    params: Mapping[str, Any]
    confidence: float
    method: str
    candidates: tuple[Candidate, ...]


def resolved_to(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """Returns a resolution to the first candidate, with the others as runners-up."""
    best = candidates[0]
    return Resolution("resolved", best.tool, best.params, best.confidence, method, candidates)


def ambiguous(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """Returns a resolution that leaves the choice between the candidates open."""
    confidence = candidates[0].confidence if candidates else 0.0
    return Resolution("ambiguous", None, {}, confidence, method, candidates)


def unknown(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """Returns a resolution to no tool; the candidates are only the nearest ones."""
    return Resolution("unknown", None, {}, 0.0, method, candidates)
