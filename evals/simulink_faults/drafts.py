"""Reads forty plans, injects slips into them, compiles them, and counts the results."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from evals.simulink_faults.injection import SEED
from grounded_builder.compiler.pipeline import Compilation, compile_draft
from grounded_builder.diagnostics import Diagnostic, Route
from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.ir.options import CompileOptions
from tests.octave.models import MODELS
from tests.support.simulink import simulink_registry

Step = dict[str, Any]
# ``wrong``: a finding of that class at the place; ``reported``: any finding there that is no note;
# ``noted``: any finding there, or the same model as the whole draft gives.
Asked = str


@dataclass(slots=True)
class Draft:
    """A plan of its own to be changed, and the chance by which places are chosen."""

    plan: dict[str, Any]
    chance: random.Random

    @property
    def steps(self) -> list[Step]:
        """Its steps."""
        steps: list[Step] = self.plan["steps"]
        return steps

    def pick(self, items: list[Any]) -> Any:
        """One of these."""
        return items[self.chance.randrange(len(items))]

    def of(self, *names: str) -> list[Step]:
        """Steps whose tool is one of these, by the last part of its path."""
        return [step for step in self.steps if step["tool"].split("/")[-1] in names]

    def signal(self) -> str | None:
        """The id of a step that surely gives one signal."""
        results = self.of("Constant", "Sine Wave", "Step", "Gain", "Ramp", "Integrator", "Sum")
        return self.pick(results)["id"] if results else None

    def add(self, tool: str, *inputs: Any, **params: Any) -> Step:
        """A new step at the end."""
        number = next(n for n in range(1, 99) if not any(s["id"] == f"new{n}" for s in self.steps))
        step = {"id": f"new{number}", "tool": tool, "params": params, "inputs": list(inputs)}
        self.steps.append(step)
        return step

    def at(self, *steps: Step) -> tuple[Route, ...]:
        """The routes of steps."""
        return tuple(
            ("steps", index)
            for index, item in enumerate(self.steps)
            if any(item is step for step in steps)
        )


@dataclass(frozen=True, slots=True)
class Slip:
    """One way to write a plan wrong."""

    name: str
    inject: Callable[[Draft], tuple[Route, ...] | None]
    asked: Asked = "wrong"


@dataclass(slots=True)
class Tally:
    """How the drafts with one slip came out."""

    slip: Slip
    outcomes: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[int, tuple[Route, ...], Compilation]] = field(default_factory=list)


def break_drafts(
    slip: Slip, seed: int = SEED
) -> Iterator[tuple[int, dict[str, Any], tuple[Route, ...]]]:
    """Every draft that has a place for a slip, broken."""
    chance = random.Random(f"{seed} {slip.name}")
    for number, plan in enumerate(MODELS):
        draft = Draft(copy.deepcopy(plan), chance)
        places = slip.inject(draft)
        if places:
            yield number, draft.plan, places


def compile_plan(plan: dict[str, Any]) -> Compilation:
    """What becomes of a plan."""
    return compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())


def tally(slip: Slip, before: dict[int, Compilation], most: int = 99) -> Tally:
    """Compile every draft with a slip; ``before`` keeps what the whole ones came to."""
    result = Tally(slip)
    for number, plan, places in break_drafts(slip):
        if sum(result.outcomes.values()) >= most:
            break
        if number not in before:
            before[number] = compile_plan(MODELS[number])
        made = compile_plan(plan)
        outcome = _outcome(slip, made, before[number], places)
        result.outcomes[outcome] += 1
        if outcome != "found":
            result.missed.append((number, places, made))
    return result


def _outcome(slip: Slip, made: Compilation, before: Compilation, places: tuple[Route, ...]) -> str:
    old = {(diagnostic.code, diagnostic.message) for diagnostic in before.diagnostics}
    new = [
        diagnostic
        for diagnostic in made.diagnostics
        if (diagnostic.code, diagnostic.message) not in old
    ]
    if slip.asked == "open":
        return (
            "false alarm" if any(diagnostic.rule.kind == "wrong" for diagnostic in new) else "found"
        )
    if slip.asked == "noted":
        same = made.artifact is not None and made.artifact == before.artifact
        return (
            "found" if same or any(_is_near(diagnostic, places) for diagnostic in new) else "silent"
        )
    diagnostics = [diagnostic for diagnostic in new if diagnostic.rule.severity != "info"]
    results = (
        [diagnostic for diagnostic in diagnostics if diagnostic.rule.kind == "wrong"]
        if slip.asked == "wrong"
        else diagnostics
    )
    if any(_is_near(diagnostic, places) for diagnostic in results):
        return "found"
    return "elsewhere" if diagnostics else "silent"


def _is_near(diagnostic: Diagnostic, places: tuple[Route, ...]) -> bool:
    routes = (diagnostic.at, *(place.at for place in diagnostic.related))
    return any(route[: len(place)] == place for place in places for route in routes)
