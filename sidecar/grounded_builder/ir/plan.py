"""Defines plans with steps, inputs and settings, which drafters write in place of a document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.ir.target import NO_TARGET, Target

ABOUT_PLAN = ("assumptions", "remarks", "notes")
"""The keys of a plan for what people are to read."""

EXPECT = "expect"
"""The key of a draft for what its runs have to show."""

_LONGEST_ASSUMPTION = 300
_MOST_ASSUMPTIONS = 12


@dataclass(frozen=True, slots=True)
class Source:
    """The source of an input: a step or a named output, optionally with a port.

    ``back`` marks an edge that intentionally closes a loop, ``signal`` names the signal on it.
    """

    name: str
    at: Route
    output: str | int | None = None
    input: str | int | None = None
    back: bool = False
    signal: str = ""


@dataclass(frozen=True, slots=True)
class Setting:
    """The value of a setting of a step, and its route in the draft."""

    value: Any
    at: Route


@dataclass(frozen=True, slots=True)
class Step:
    """One step in normal form, whatever form it was drafted in.

    ``stated`` are parameters written beside the parameters, which name the operation.
    ``inputs`` is None if the step names no inputs. ``params_at`` is the route of the parameters in
    the draft, ``param_places`` those of parameters that were drafted elsewhere. ``parents`` are the
    steps that it serves as a sub-node. ``library`` and ``target`` restrict the tool; a step without
    them has those of its plan. ``settings`` are those of its node beside the parameters, by the
    names of the domain. ``unread`` are keys that are not keys of a step, with their values and
    routes.
    """

    id: str
    at: Route
    tool: str | None = None
    tool_at: Route = ()
    action: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)
    params_at: Route = ()
    stated: Mapping[str, Any] = field(default_factory=dict)
    param_places: Mapping[str, Route] = field(default_factory=dict)
    inputs: tuple[Source, ...] | None = None
    outputs: tuple[str, ...] = ()
    parents: tuple[str, ...] = ()
    role: str | None = None
    inside: str | None = None
    library: str | None = None
    target: Target = NO_TARGET
    remarks: str = ""
    version: float | None = None
    settings: Mapping[str, Setting] = field(default_factory=dict)
    unread: Mapping[str, tuple[Any, Route]] = field(default_factory=dict)

    def place_of(self, route: Route) -> Route:
        """Returns where the parameter at a route below ``params_at`` was drafted."""
        depth = len(self.params_at)
        if route[:depth] != self.params_at or len(route) == depth:
            return route
        place = self.param_places.get(str(route[depth]))
        return route if place is None else (*place, *route[depth + 1 :])


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in drafted order, each with a unique id. ``settings`` apply to the whole plan.

    ``assumptions`` are the readings of the request that the drafter chose. ``title`` is the name of
    the result, "" if the plan has none.
    """

    goal: str
    steps: tuple[Step, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    assumptions: tuple[str, ...] = ()
    title: str = ""
    _by_name: Mapping[str, Step] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Indexes the steps by name: ids before outputs, and the first of equal names."""
        by_name = {name: step for step in reversed(self.steps) for name in step.outputs}
        by_name |= {step.id: step for step in reversed(self.steps)}
        object.__setattr__(self, "_by_name", by_name)

    def find_step(self, name: str) -> Step | None:
        """Returns the step with this id, or the one with an output of this name."""
        return self._by_name.get(name)

    def id_of(self, name: str) -> str:
        """Returns the id of the step that a name means; the name itself where no step has it."""
        step = self.find_step(name)
        return name if step is None else step.id


def assumptions_in(document: Any) -> tuple[str, ...]:
    """Returns the assumptions and remarks that a plan states for people, each on one line."""
    texts: list[Any] = []
    for key in ABOUT_PLAN if isinstance(document, Mapping) else ():
        stated = document.get(key)
        texts += stated if isinstance(stated, list) else [stated]
    lines = (" ".join(text[:_LONGEST_ASSUMPTION].split()) for text in texts if type(text) is str)
    return tuple(line for line in lines if line)[:_MOST_ASSUMPTIONS]


def model_settings(document: Any) -> Mapping[str, Any]:
    """Returns the settings of the whole model or workflow in a plan, {} if it has none.

    Those under "model" come first.
    """
    if not isinstance(document, dict):
        return {}
    model = document.get("model")
    parts = (document, model if isinstance(model, dict) else {})
    settings = [part.get("settings") for part in parts]
    return {
        key: value for part in settings if isinstance(part, dict) for key, value in part.items()
    }
