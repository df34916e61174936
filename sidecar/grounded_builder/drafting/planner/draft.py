"""The plan that a request becomes: its steps, the clauses they stand for, what stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.drafting.planner.reading import Clause, Reading

_LONGEST_GOAL = 300
_MOST_QUOTED = 8
Step = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """The steps made so far; ``places`` has the character of the request at which each is asked.

    ``unclear`` has by such a character the reason why what is asked there has no step;
    ``idle`` are clauses that ask for nothing, or forbid it.
    """

    reading: Reading
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unclear: dict[int, str] = field(default_factory=dict)
    idle: frozenset[Clause] = frozenset()
    model: dict[str, Any] = field(default_factory=dict)
    goal: str = ""

    def add(self, tool: str, params: Mapping[str, Any], at: int, action: str = "") -> Step:
        """Adds a step for what is asked at a character of the request."""
        step: Step = {"id": f"s{len(self.steps) + 1}", "tool": tool, "params": dict(params)}
        if action:
            step["action"] = action
        step["inputs"] = []
        self.steps.append(step)
        self.places[step["id"]] = at
        return step

    def note(self, step: Step | str, text: str) -> None:
        """Adds an open point about a step."""
        self.notes.append((step if isinstance(step, str) else step["id"], text))

    def explain(self, clauses: Iterable[Clause], reason_of: Callable[[Clause], str]) -> None:
        """Adds the reason for each clause that has no step and no reason yet."""
        for clause in clauses:
            placed = (*self.places.values(), *self.unclear)
            if not any(clause.start <= at < clause.end for at in placed):
                self.unclear[clause.start] = reason_of(clause)


def plan_of(draft: Draft, request: str, clauses: Iterable[Clause]) -> dict[str, Any]:
    """Returns the plan of a draft.

    Its ``metadata`` has a clause for every part of the request that asks for something, with its
    steps, and an open point for every part of such a clause that is not read. A step without
    inputs has an empty list of them: a step that lacks the list follows the one before it.
    """
    reading = draft.reading
    placed: list[dict[str, Any]] = []
    notes = list(draft.notes)
    for clause in clauses:
        ids = [
            step["id"]
            for step in draft.steps
            if clause.start <= draft.places[step["id"]] < clause.end
        ]
        unread = reading.unread(clause.start, clause.end)
        quote = reading.quote(clause.start, clause.end)
        if ids and unread:
            parts = ", ".join(f'"{part}"' for part in unread[:_MOST_QUOTED])
            more = ", ..." if len(unread) > _MOST_QUOTED else ""
            notes.append((ids[0], f'of "{quote}" was not read: {parts}{more}'))
        if ids or unread:
            placed.append({"clause": quote, "steps": ids, "asks": clause not in draft.idle})
            unclear = [u for at, u in draft.unclear.items() if clause.start <= at < clause.end]
            if unclear:
                placed[-1]["unclear"] = "; ".join(unclear)
    if reading.rest:
        placed.append({"clause": reading.rest, "steps": [], "asks": True})
    return {
        "version": 1,
        "goal": " ".join(request.split())[:_LONGEST_GOAL],
        "steps": [dict(step) for step in draft.steps],
        **({"model": draft.model} if draft.model else {}),
        "metadata": {
            "clauses": placed,
            "open": [{"step": step, "text": text} for step, text in notes],
        },
    }
