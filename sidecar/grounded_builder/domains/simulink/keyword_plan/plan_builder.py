"""The steps of a plan in the making, and the signals that still lead nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.domains.simulink.catalog.ports.counts import ports_of
from grounded_builder.domains.simulink.keyword_plan.mention import Mention
from grounded_builder.domains.simulink.lower.ports import WIDENED

Step = dict[str, Any]
_STEM = 5


@dataclass(slots=True)
class SketchBuilder:
    """Steps in their order; ``places`` are those of the text that they stand for.

    ``notes`` say what was supposed, by the step that it is about; ``spans`` is what of the text was
    used on the way.
    """

    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def add(self, one: Mention, called: str = "", inside: str = "") -> Step:
        """A step for a block that is named."""
        step = self.put(one.tool, one.params, called or one.called or one.role_name, inside)
        self.places[step["id"]] = one.start
        if one.choices:
            names = ", ".join(sorted(tool.rsplit("/", 1)[1] for tool in one.choices))
            self.note(step["id"], f"it may be one of {names}; {one.spec.name} was taken")
        if one.note:
            self.note(step["id"], one.note)
        return step

    def put(self, tool: str, params: Mapping[str, str], called: str = "", inside: str = "") -> Step:
        """A step for a block, under an id of its own."""
        words = (called or tool.replace("//", "-").rsplit("/", 1)[1]).casefold()
        base = name = "_".join("".join(c if c.isalnum() else " " for c in words).split())
        taken = {step["id"] for step in self.steps}
        number = 1
        while name in taken:
            number += 1
            name = f"{base}_{number}"
        step: Step = {"id": name, "tool": tool, "params": dict(params), "inputs": []}
        if called:
            step["action"] = called
        if inside:
            step["in"] = inside
        self.steps.append(step)
        return step

    def note(self, step: str, text: str) -> None:
        """Say what was supposed about a step."""
        self.notes.append((step, text))

    def step(self, name: str) -> Step:
        """A step by its id."""
        return next(one for one in self.steps if one["id"] == name)

    def origin(self, name: str, said: str = "") -> str:
        """The first signal of the chain that a step ends, or the one that is ``said``."""
        words = {word[:_STEM] for word in said.casefold().split() if len(word) >= _STEM}
        last = name
        seen: set[str] = set()
        while name not in seen:
            if name != last and name[:_STEM] in words and self.step(name)["inputs"]:
                break
            seen.add(name)
            inputs = [
                one
                for one in self.step(name)["inputs"]
                if isinstance(one, str) or not one.get("back")
            ]
            if len(inputs) != 1 or not isinstance(inputs[0], str):
                break
            name = inputs[0]
        return name


def takes(one: Mention) -> int:
    """How many signals a block takes; of one that takes any number, two."""
    if "NOT" in (one.params.get("Operator"), one.spec.preset.get("Operator")):
        return 1
    if widens(one):
        return 2
    if one.spec.pattern is not None:
        return 1
    ports = ports_of(one.kind, one.spec.path, one.params, one.spec) or one.spec.usual
    return ports.get("in", 0) if ports is not None else 1


def widens(one: Mention) -> bool:
    """Whether a block takes as many signals as are led into it."""
    return one.kind in WIDENED and WIDENED[one.kind] not in one.params
