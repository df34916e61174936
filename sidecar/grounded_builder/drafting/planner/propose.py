"""Plans a request without a model, and lists the clauses that no step covers.

The request is cut into clauses (``reading``), and the domain's planner draws them into a draft:
``clause_planner`` for workflows, ``keyword_plan`` of a domain that has its own. Where a clause is
not read whole, the request is read again without it and without what it may change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.drafting.planner.clause_planner import ClausePlanner
from grounded_builder.drafting.planner.draft import Draft, plan_of
from grounded_builder.drafting.planner.reading import MOST_CLAUSES, read_request
from grounded_builder.drafting.planner.tool_facts import ToolFacts
from grounded_builder.ir.domain import Domain

_QUOTED = 120
_MOST_QUOTED = 5
_LONGEST_REFUSAL = 800
_HELP = (
    "The planner reads short English requests that name each service or block and what it does; "
    "shorten the request, or use a model"
)


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
    """A plan and what it covers; ``refusal`` is the reason why nothing may be built from it.

    ``open`` are sentences about what was assumed, and about what the request leaves open.
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
    def unplaced_notes(self) -> tuple[str, ...]:
        """A sentence about each clause that no step stands for."""
        return tuple(
            f'not used: "{p.clause}"{f": {p.unclear}" if p.unclear else ""}'
            for p in self.placements
            if p.unclear or not p.steps
        )


def propose(request: str, domain: Domain, registry: Registry) -> Proposal:
    """Plans a request; every clause that asks for something is placed or named as not read."""
    reading = read_request(request, domain.name)
    facts = ToolFacts(domain, registry)
    draw = domain.prompting.keyword_plan
    for _ in range(MOST_CLAUSES + 1):
        reading.renew()
        draft = Draft(reading)
        clauses = (
            draw(reading, draft, registry) if draw else ClausePlanner(reading, facts, draft).plan()
        )
        unread = draft.find_unread(clauses)
        if unread is None:
            break
        reading.close_unread(*unread)
    return with_coverage(plan_of(draft, request, clauses), registry)


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
    return Proposal(plan, placements, _explain_refusal(plan, placements, registry), notes)


def _explain_refusal(
    plan: Mapping[str, Any], placements: Sequence[Placement], registry: Registry
) -> str | None:
    """Returns why a plan is not to be built: nothing of it does anything."""
    steps = plan["steps"]
    if any("trigger" not in registry.tools[step["tool"]].capabilities for step in steps):
        return None
    missed = [p for p in placements if p.unclear or not p.steps]
    quotes: dict[str, list[str]] = {}
    for placement in missed[:_MOST_QUOTED]:
        quotes.setdefault(placement.unclear, []).append(f'"{placement.clause[:_QUOTED]}"')
    reasons = [
        f"No step could be planned for {'; '.join(parts)}{f': {reason}' if reason else ''}."
        for reason, parts in (quotes or {"": [f'"{plan["goal"][:_QUOTED]}"']}).items()
    ]
    text = " ".join(reasons)
    text = text if len(text) <= _LONGEST_REFUSAL else f"{text[:_LONGEST_REFUSAL]}..."
    return f"{text} {_HELP}."
