"""The plan: what a drafter may write instead of a native document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.ir.target import NO_TARGET, Target


@dataclass(frozen=True, slots=True)
class Source:
    """Where an input comes from: a step or a named output, perhaps a port of it.

    ``back`` marks an edge that closes a loop on purpose, ``signal`` names what runs along it.
    """

    name: str
    at: Route
    output: str | int | None = None
    input: str | int | None = None
    back: bool = False
    signal: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step as drafted, in one shape whatever shape it was drafted in.

    ``inputs`` is ``None`` when the step says nothing about where it is fed from.
    ``params_at`` is the route of the parameters in the draft. ``library`` and ``target`` bound what
    the tool may be; a step without has those of its plan.
    """

    id: str
    at: Route
    tool: str | None = None
    tool_at: Route = ()
    action: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    params_at: Route = ()
    inputs: tuple[Source, ...] | None = None
    outputs: tuple[str, ...] = ()
    parent: str | None = None
    role: str | None = None
    inside: str | None = None
    library: str | None = None
    target: Target = NO_TARGET
    remarks: str = ""
    version: float | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in drafted order; each id is unique. ``settings`` are those of the whole."""

    goal: str
    steps: tuple[Step, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    _named: Mapping[str, Step] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Note the steps by their names: ids before outputs, and the first of several."""
        named = {name: step for step in reversed(self.steps) for name in step.outputs}
        named |= {step.id: step for step in reversed(self.steps)}
        object.__setattr__(self, "_named", named)

    def step_of(self, name: str) -> Step | None:
        """The step of this id, or the one with an output of this name."""
        return self._named.get(name)


def model_settings(document: Any) -> Mapping[str, Any]:
    """The settings of the whole model that a plan gives, none where it says nothing of them."""
    for key in ("model", "settings"):
        document = document.get(key) if isinstance(document, dict) else None
    return document if isinstance(document, dict) else {}
