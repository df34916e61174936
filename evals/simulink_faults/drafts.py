"""Injects mistakes into forty plans, compiles them, and counts the results by kind of mistake."""

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
# ``wrong``: an error at the place; ``reported``: any finding there except a note; ``noted``: any
# finding there, or the same model as from the correct draft.
Asked = str


@dataclass(slots=True)
class Draft:
    """A modifiable copy of a plan, with the random generator that chooses places."""

    plan: dict[str, Any]
    chance: random.Random

    @property
    def steps(self) -> list[Step]:
        """Returns the steps of the plan."""
        steps: list[Step] = self.plan["steps"]
        return steps

    def pick(self, items: list[Any]) -> Any:
        """Returns a random item."""
        return items[self.chance.randrange(len(items))]

    def of(self, *names: str) -> list[Step]:
        """Returns the steps with these blocks, by the last part of the tool's path."""
        return [step for step in self.steps if step["tool"].split("/")[-1] in names]

    def signal(self) -> str | None:
        """Returns the id of a step with a single signal output, or None."""
        results = self.of("Constant", "Sine Wave", "Step", "Gain", "Ramp", "Integrator", "Sum")
        return self.pick(results)["id"] if results else None

    def add(self, tool: str, *inputs: Any, **params: Any) -> Step:
        """Adds a step at the end and returns it."""
        number = next(n for n in range(1, 99) if not any(s["id"] == f"new{n}" for s in self.steps))
        step = {"id": f"new{number}", "tool": tool, "params": params, "inputs": list(inputs)}
        self.steps.append(step)
        return step

    def at(self, *steps: Step) -> tuple[Route, ...]:
        """Returns the routes of steps."""
        return tuple(
            ("steps", index)
            for index, item in enumerate(self.steps)
            if any(item is step for step in steps)
        )


@dataclass(frozen=True, slots=True)
class Mistake:
    """One kind of mistake in a plan."""

    name: str
    inject: Callable[[Draft], tuple[Route, ...] | None]
    asked: Asked = "wrong"


@dataclass(slots=True)
class Tally:
    """The results of the drafts with one mistake."""

    mistake: Mistake
    outcomes: Counter[str] = field(default_factory=Counter)
    missed: list[tuple[int, tuple[Route, ...], Compilation]] = field(default_factory=list)


def break_drafts(
    mistake: Mistake, seed: int = SEED
) -> Iterator[tuple[int, dict[str, Any], tuple[Route, ...]]]:
    """Yields number, plan and places of every draft that accepts a mistake."""
    chance = random.Random(f"{seed} {mistake.name}")
    for number, plan in enumerate(MODELS):
        draft = Draft(copy.deepcopy(plan), chance)
        places = mistake.inject(draft)
        if places:
            yield number, draft.plan, places


def compile_plan(plan: dict[str, Any]) -> Compilation:
    """Compiles a plan with the default options."""
    return compile_draft(plan, SIMULINK, simulink_registry(), CompileOptions())


def tally_mistake(mistake: Mistake, before: dict[int, Compilation], most: int = 99) -> Tally:
    """Compiles the drafts with a mistake; ``before`` caches the results of the correct drafts."""
    result = Tally(mistake)
    for number, plan, places in break_drafts(mistake):
        if sum(result.outcomes.values()) >= most:
            break
        if number not in before:
            before[number] = compile_plan(MODELS[number])
        made = compile_plan(plan)
        outcome = _classify(mistake, made, before[number], places)
        result.outcomes[outcome] += 1
        if outcome != "found":
            result.missed.append((number, places, made))
    return result


def _classify(
    mistake: Mistake, made: Compilation, before: Compilation, places: tuple[Route, ...]
) -> str:
    old = {(diagnostic.code, diagnostic.message) for diagnostic in before.diagnostics}
    new = [
        diagnostic
        for diagnostic in made.diagnostics
        if (diagnostic.code, diagnostic.message) not in old
    ]
    if mistake.asked == "open":
        return (
            "false alarm" if any(diagnostic.rule.kind == "wrong" for diagnostic in new) else "found"
        )
    if mistake.asked == "noted":
        same = made.artifact is not None and made.artifact == before.artifact
        return (
            "found" if same or any(_is_near(diagnostic, places) for diagnostic in new) else "silent"
        )
    diagnostics = [diagnostic for diagnostic in new if diagnostic.rule.severity != "info"]
    results = (
        [diagnostic for diagnostic in diagnostics if diagnostic.rule.kind == "wrong"]
        if mistake.asked == "wrong"
        else diagnostics
    )
    if any(_is_near(diagnostic, places) for diagnostic in results):
        return "found"
    return "elsewhere" if diagnostics else "silent"


def _is_near(diagnostic: Diagnostic, places: tuple[Route, ...]) -> bool:
    routes = (diagnostic.at, *(place.at for place in diagnostic.related))
    return any(route[: len(place)] == place for place in places for route in routes)
