"""What resolving takes and gives: a context, candidates, a resolution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from grounded_builder.ir.target import NO_TARGET, Target

Status = Literal["resolved", "ambiguous", "unknown"]
Place = Literal["trigger", "step", "sub-node"]


@dataclass(frozen=True, slots=True)
class NameContext:
    """What is known of the step that a name stands in; every part may be missing.

    ``params`` are parameter names, ``neighbours`` tool ids of the steps around,
    ``capability`` one that the tool must have, ``denied`` ids or shell patterns of ids,
    ``allowed`` the only ones, ``allowed_packages`` and ``families`` those that tools may
    come from (empty: all), ``target`` the installation that must have them. ``label`` says that the
    text is what somebody called a step, which may name what it is about and not the tool.
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
    """One tool that could be meant, with the parameters the name itself sets.

    A ``fallback`` is not what the name means, but can do the work of what is not there.
    """

    tool: str
    params: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 0.0
    fallback: bool = False


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a name stands for; ``method`` says by which kind of likeness.

    ``candidates`` are best first; when resolved the first is the chosen tool.
    """

    status: Status
    tool: str | None
    params: Mapping[str, Any]
    confidence: float
    method: str
    candidates: tuple[Candidate, ...]


def resolved_to(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """A resolution to the first candidate; the others are its runners-up."""
    best = candidates[0]
    return Resolution("resolved", best.tool, best.params, best.confidence, method, candidates)


def ambiguous(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """A resolution that leaves the choice to whoever wrote the name."""
    confidence = candidates[0].confidence if candidates else 0.0
    return Resolution("ambiguous", None, {}, confidence, method, candidates)


def unknown(candidates: tuple[Candidate, ...], method: str) -> Resolution:
    """No tool goes by that name; the candidates are merely the nearest."""
    return Resolution("unknown", None, {}, 0.0, method, candidates)
