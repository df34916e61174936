"""Plans a request without a model, and lists the clauses that no step covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.drafting.planner.clause_planner import ClausePlanner
from grounded_builder.drafting.planner.draft import Draft, plan_of
from grounded_builder.drafting.planner.language import foreign_language
from grounded_builder.drafting.planner.open_steps import draw_open_steps
from grounded_builder.drafting.planner.reading import read_request
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import Domain

_QUOTED = 120
_MOST_QUOTED = 5
_MOST_NAMED = 8
_MOST_READINGS = 8
"""A request is read anew without what was not read whole; at last nothing of it is drawn."""


@dataclass(frozen=True, slots=True)
class Placement:
    """One clause of a request with the ids of the steps that stand for it; none: not placed.

    ``unclear`` is the reason why the clause, or a tool that it names, has no step;
    ``asks`` is false of a clause that asks for nothing, or forbids it.
    """

    clause: str
    steps: tuple[str, ...]
    unclear: str = ""
    asks: bool = True


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and what it covers; ``refusal`` says why nothing is to be built of it.

    ``open`` are sentences about what was not read of its clauses, and about what the request
    leaves open.
    """

    plan: Mapping[str, Any]
    placements: tuple[Placement, ...]
    refusal: str | None
    open: tuple[str, ...] = ()

    @property
    def unplaced_clauses(self) -> tuple[str, ...]:
        """The clauses that are not read, or that no step stands for."""
        return tuple(p.clause for p in self.placements if p.unclear or not p.steps)

    @property
    def missing(self) -> tuple[str, ...]:
        """A sentence about each clause or named tool that no step stands for."""
        sentences = []
        for placement in self.placements:
            if placement.unclear:
                sentences.append(f'not used: "{placement.clause}": {placement.unclear}')
            elif not placement.steps:
                sentences.append(f'not used: "{placement.clause}"')
        return tuple(sentences)


def propose(request: str, domain: Domain, registry: Registry) -> Proposal:
    """Plans a request; every clause that asks for something is placed or named as not read."""
    language = foreign_language(request)
    reading = read_request(request, domain.name)
    box = ToolFacts(domain, registry)
    if language is not None:
        plan = plan_of(Draft(reading), request, ())
        return Proposal(plan, (), _refusal_of_language(language, request, box))
    for left in reversed(range(_MOST_READINGS)):
        reading.renew()
        draft = Draft(reading)
        if domain.prompting.keyword_plan is not None:
            clauses = domain.prompting.keyword_plan(reading, draft, registry)
        else:
            clauses = ClausePlanner(reading, box, draft).plan()
        unread = draft.unread_clauses(clauses)
        if not unread and not draft.is_overruled:
            break
        for clause in clauses if left == 1 else unread:
            reading.close(clause, unread.get(clause, ""))
    if domain.prompting.keyword_plan is None:
        draw_open_steps(draft, clauses, box)
    return with_coverage(plan_of(draft, request, clauses), registry)


def _refusal_of_language(language: str, request: str, box: ToolFacts) -> str:
    names = list(dict.fromkeys(mention.text for mention in box.mentions(request)))[:_MOST_NAMED]
    tools = f" It names {', '.join(names)}." if names else " No installed tool was named."
    return (
        f"The request seems to be in {language}, and the planner reads English.{tools} "
        "Write it in English, or use a model."
    )


def with_coverage(plan: Mapping[str, Any], registry: Registry) -> Proposal:
    """Returns a plan with what it covers of its request."""
    placements = tuple(
        Placement(
            clause["clause"],
            tuple(clause["steps"]),
            clause.get("unclear", ""),
            clause.get("asks", True),
        )
        for clause in plan["metadata"]["clauses"]
    )
    ids = {step["id"] for step in plan["steps"]}
    notes = tuple(note["text"] for note in plan["metadata"]["open"] if note["step"] in ids)
    return Proposal(plan, placements, _refusal(plan, placements, registry), notes)


def _refusal(
    plan: Mapping[str, Any], placements: Sequence[Placement], registry: Registry
) -> str | None:
    """Returns why a plan is not to be built: nothing of it does anything."""
    steps = plan["steps"]
    acts = any("trigger" not in registry.tools[step["tool"]].capabilities for step in steps)
    if acts:
        return None
    missed = [p for p in placements if p.unclear or not p.steps]
    quotes: dict[str, list[str]] = {}
    for placement in missed[:_MOST_QUOTED]:
        quotes.setdefault(placement.unclear, []).append(f'"{placement.clause[:_QUOTED]}"')
    reasons = [
        f"No step could be planned for {'; '.join(parts)}{f': {reason}' if reason else ''}."
        for reason, parts in (quotes or {"": [f'"{plan["goal"][:_QUOTED]}"']}).items()
    ]
    if len(missed) > _MOST_QUOTED:
        reasons.append(f"{len(missed) - _MOST_QUOTED} other parts have no step either.")
    return " ".join(reasons)
