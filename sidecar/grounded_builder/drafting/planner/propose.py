"""Plan a request without any model, and account for every clause of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.drafting.planner.clause_planner import ClausePlanner
from grounded_builder.drafting.planner.draft import Draft, plan_of
from grounded_builder.drafting.planner.language import foreign_language
from grounded_builder.drafting.planner.named_tools import place_named_tools
from grounded_builder.drafting.planner.reading import Clause, read_request
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import Domain

_QUOTED = 120
_MOST_QUOTED = 5


@dataclass(frozen=True, slots=True)
class Placement:
    """One clause of a request with the ids of the steps that stand for it; none: not placed."""

    clause: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and what it covers; ``refusal`` says why nothing is to be built of it.

    ``language`` is that of a request that is not in English; ``open`` are sentences about what
    was not read of its clauses, and about what the request leaves open.
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
    """Plans a request; every clause that asks for something is placed or named as not read."""
    language = foreign_language(request)
    reading = read_request(request, domain.name)
    draft = Draft(reading)
    clauses: Sequence[Clause]
    if language is not None:
        clauses = place_named_tools(reading, ToolFacts(domain, registry), draft)
    elif domain.prompting.keyword_plan is not None:
        clauses = domain.prompting.keyword_plan(reading, draft, registry)
    else:
        clauses = ClausePlanner(reading, ToolFacts(domain, registry), draft).plan()
    return with_coverage(plan_of(draft, request, clauses), language, registry)


def with_coverage(plan: Mapping[str, Any], language: str | None, registry: Registry) -> Proposal:
    """Returns a plan with what it covers of its request."""
    placements = tuple(
        Placement(clause["clause"], tuple(clause["steps"]))
        for clause in plan["metadata"]["clauses"]
    )
    ids = {step["id"] for step in plan["steps"]}
    notes = tuple(note["text"] for note in plan["metadata"]["open"] if note["step"] in ids)
    refusal = _refusal(plan, placements, registry, language)
    return Proposal(plan, placements, refusal, language, notes)


def _refusal(
    plan: Mapping[str, Any],
    placements: tuple[Placement, ...],
    registry: Registry,
    language: str | None,
) -> str | None:
    """Returns why a plan is not to be built: under half of the request placed, or nothing done."""
    steps = plan["steps"]
    acts = any("trigger" not in registry.tools[step["tool"]].capabilities for step in steps)
    missed = [placement.clause for placement in placements if not placement.steps]
    placed = len(placements) - len(missed)
    if not acts and language:
        return (
            f"The request seems to be in {language}; the planner reads English, and no "
            "installed tool was named. Write it in English, or use a model."
        )
    quotes = "; ".join(f'"{clause[:_QUOTED]}"' for clause in missed[:_MOST_QUOTED])
    quotes = quotes or f'"{plan["goal"][:200]}"'
    if len(missed) > _MOST_QUOTED:
        quotes += f" and {len(missed) - _MOST_QUOTED} other parts"
    if not acts:
        return f"No installed tool was found that does this: {quotes}."
    if 2 * placed >= len(placements) or language:
        return None
    names = list(dict.fromkeys(registry.tools[s["tool"]].name for s in steps if s["id"] != "start"))
    return (
        f"Only {placed} of {len(placements)} parts of the request were placed "
        f"(found: {', '.join(names)}); no installed tool was found for {quotes}."
    )
