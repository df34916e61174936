"""Plan a request without any model, and account for every clause of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.drafting.planner.clauses import Clause, clauses_of
from grounded_builder.drafting.planner.language import foreign_language
from grounded_builder.drafting.planner.plan_builder import PlanBuilder
from grounded_builder.drafting.planner.schedules import schedule_in
from grounded_builder.drafting.planner.select_tools import choices
from grounded_builder.drafting.planner.sub_nodes import attach
from grounded_builder.drafting.planner.tool_facts import Toolbox
from grounded_builder.drafting.planner.triggers import Start, likely_start, start_of
from grounded_builder.ir.domain import Domain

_LONGEST_GOAL = 300
_MOST_STEPS = 40
_QUOTED = 120
_LATIN_BESIDE_OTHER = re.compile(
    r"(?<=[a-z0-9])(?=[^\x00-\u024f\s])|(?<=[^\x00-\u024f\s])(?=[a-z0-9])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Placement:
    """One clause of a request with the ids of the steps that stand for it; none: not placed."""

    clause: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and what it covers; ``refusal`` says why nothing is to be built of it.

    ``language`` is that of a request that is not in English; ``open`` are sentences about what
    the request left out of its steps.
    """

    plan: Mapping[str, Any]
    placements: tuple[Placement, ...]
    refusal: str | None
    language: str | None = None
    open: tuple[str, ...] = ()

    @property
    def unplaced(self) -> tuple[str, ...]:
        """The clauses that no step stands for."""
        return tuple(placement.clause for placement in self.placements if not placement.steps)


def propose(request: str, domain: Domain, registry: Registry) -> Proposal:
    """Plan a request: a step for each thing asked for, what starts it first, branches, loops."""
    drawn = domain.keyword_plan(request, registry)
    if drawn is not None:
        return with_coverage(drawn, None, registry)
    language = foreign_language(request)
    text = _LATIN_BESIDE_OTHER.sub(" ", request) if language else request
    box = Toolbox(domain, registry, named_only=language is not None)
    drawing = PlanBuilder(box)
    clauses = clauses_of(text, box.speaks)
    starts = _starts(clauses, box)
    placed: dict[int, list[str]] = {number: [] for number in range(len(clauses))}
    first = next(iter(starts), None)
    if first is not None:
        placed[first] += drawing.start(clauses[first], starts[first])
    for number, clause in enumerate(clauses):
        start = starts.get(number)
        if start is not None and number != first:
            placed[number] += drawing.start(clause, start)
        picks = choices(clause, start, box)
        if len(drawing.steps) + len(picks) <= _MOST_STEPS:
            placed[number] += drawing.draw(clause, picks)
    drawing.finish()
    gone = set(attach(drawing, text, box))
    steps = _led(drawing, text)
    told = [
        {
            "clause": clauses[number].text,
            "steps": [fromkey for fromkey in dict.fromkeys(ids) if fromkey not in gone],
        }
        for number, ids in placed.items()
    ]
    plan = {
        "version": 1,
        "goal": " ".join(request.split())[:_LONGEST_GOAL],
        "steps": [{key: step[key] for key in step if key != "preset"} for step in steps],
        "metadata": {"clauses": told, "open": _open(steps, box)},
    }
    return with_coverage(plan, language, registry)


def _starts(clauses: tuple[Clause, ...], box: Toolbox) -> dict[int, Start]:
    """The clauses that say what starts the graph; a time that starts it comes before an event."""
    found: dict[int, Start] = {}
    for number, clause in enumerate(clauses):
        start = start_of(clause, box, first=number == 0)
        if start is not None:
            found[number] = start
    clock = next(
        (n for n in found if clauses[n].role == "start" and schedule_in(clauses[n].text)), None
    )
    if clock is not None and not (0 in found and clauses[0].role == "start"):
        return {clock: found[clock], **found}
    return found


def with_coverage(plan: Mapping[str, Any], language: str | None, registry: Registry) -> Proposal:
    """A plan with what it covers of its request."""
    placements = tuple(
        Placement(one["clause"], tuple(one["steps"])) for one in plan["metadata"]["clauses"]
    )
    kept = {step["id"] for step in plan["steps"]}
    left = tuple(one["text"] for one in plan["metadata"]["open"] if one["step"] in kept)
    refusal = _refusal(plan, placements, registry, language)
    return Proposal(plan, placements, refusal, language, left)


def _open(steps: list[dict[str, Any]], box: Toolbox) -> list[dict[str, str]]:
    """What the request left out: steps that do nothing as they are, a start that was supposed."""
    found = []
    for step in steps:
        name = box.registry.tools[step["tool"]].name
        lacking = box.domain.prompting.missing_input(box.spec(step["tool"]), step["params"])
        if lacking:
            text = f"the {lacking} of {name}{_called(step)} are not told by the request"
            found.append({"step": step["id"], "text": text})
        elif box.has_operations(step["tool"]) and not step.get("preset", True):
            text = f"what {name} is to do{_called(step)} is not told: its usual operation stands"
            found.append({"step": step["id"], "text": text})
        if step["id"] == "start" and step["tool"] != box.domain.prompting.default_trigger:
            text = f"what starts it is not told: {name} is only what such requests often have"
            found.append({"step": "start", "text": text})
    return found


def _called(step: Mapping[str, Any]) -> str:
    return f' for "{step["action"]}"' if step.get("action") else ""


def _led(drawing: PlanBuilder, request: str) -> list[dict[str, Any]]:
    """The steps with something before them that starts the graph."""
    steps, box = drawing.steps, drawing.box
    first = next((step for step in steps if not step.get("for")), None)
    if first is None or box.is_trigger(first["tool"]):
        return steps
    speech = box.domain.prompting
    likely = likely_start(request, [step["tool"] for step in steps], box)
    others = [one for one in steps if one is not first and not one.get("for")]
    if (
        others
        and likely in box.registry.names.starters.get(first["tool"], ())
        and not first["preset"]
    ):
        # What comes in from a service is the event, and nothing that is done there.
        first["tool"] = likely
        first["params"] = {}
        return steps
    starter = likely or speech.default_trigger
    if starter not in box.registry.tools:
        return steps
    first.setdefault("inputs", []).insert(0, "start")
    return [{"id": "start", "tool": starter, "action": "Start", "params": {}}, *steps]


def _refusal(
    plan: Mapping[str, Any],
    placements: tuple[Placement, ...],
    registry: Registry,
    language: str | None,
) -> str | None:
    """Why a plan is not to be built: under half of the request placed, or nothing done."""
    steps = plan["steps"]
    acts = any("trigger" not in registry.tools[step["tool"]].capabilities for step in steps)
    missed = [placement.clause for placement in placements if not placement.steps]
    placed = len(placements) - len(missed)
    if not acts and language:
        return (
            f"The request seems to be in {language}; the planner reads English, and no "
            "installed tool was named. Write it in English, or use a model."
        )
    told = "; ".join(f'"{one[:_QUOTED]}"' for one in missed) or f'"{plan["goal"][:200]}"'
    if not acts:
        return f"No installed tool was found that does this: {told}."
    if 2 * placed >= len(placements) or language:
        return None
    names = list(dict.fromkeys(registry.tools[s["tool"]].name for s in steps if s["id"] != "start"))
    return (
        f"Only {placed} of {len(placements)} parts of the request were placed "
        f"(found: {', '.join(names)}); no installed tool was found for {told}."
    )
