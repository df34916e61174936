"""Collects the steps, covered clauses and open points of a draft, and makes its plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.drafting.planner.reading import DENIED, Clause, Reading

_LONGEST_GOAL = 300
_MOST_QUOTED = 8
Step = dict[str, Any]


@dataclass(slots=True)
class Draft:
    """The steps made so far; ``places`` has the character of the request at which each is asked.

    ``unclear`` has by such a character the reason why what is asked there has no step.
    """

    reading: Reading
    steps: list[Step] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)
    notes: list[tuple[str, str]] = field(default_factory=list)
    unclear: dict[int, str] = field(default_factory=dict)
    model: dict[str, Any] = field(default_factory=dict)

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

    def find_unread(self, clauses: Iterable[Clause]) -> tuple[Clause, str] | None:
        """Returns the first clause that is not read whole, with the reasons; None without one."""
        for clause in clauses:
            if self.reading.is_closed(clause):
                continue
            reasons = [u for at, u in self.unclear.items() if clause.start <= at < clause.end]
            unread = self.reading.unread(clause.start, clause.end)
            if reasons:
                return clause, "; ".join(reasons)
            if unread:
                parts = ", ".join(f'"{part}"' for part in unread[:_MOST_QUOTED])
                more = f" and {len(unread) - _MOST_QUOTED} others" if unread[_MOST_QUOTED:] else ""
                return clause, f"these words were not read: {parts}{more}"
        return None


def plan_of(draft: Draft, request: str, clauses: Iterable[Clause]) -> dict[str, Any]:
    """Returns the plan of a draft.

    Its ``metadata`` has a clause for every part of the request that asks for something, with its
    steps, or the reason why it has none. A step without inputs has an empty list of them: a step
    that lacks the list follows the one before it.
    """
    reading = draft.reading
    placed: list[dict[str, Any]] = []
    for clause in clauses:
        ids = [
            step["id"]
            for step in draft.steps
            if clause.start <= draft.places[step["id"]] < clause.end
        ]
        if ids or reading.is_closed(clause):
            quote = reading.quote(clause.start, clause.end)
            reason = reading.closed.get(clause.start, "")
            placed.append({"clause": quote, "steps": ids, "asks": reason != DENIED})
            if reason:
                placed[-1]["unclear"] = reason
    if reading.rest:
        placed.append({"clause": reading.rest, "steps": [], "asks": True})
    return {
        "version": 1,
        "goal": " ".join(request.split())[:_LONGEST_GOAL],
        "steps": [dict(step) for step in draft.steps],
        **({"model": draft.model} if draft.model else {}),
        "metadata": {
            "clauses": placed,
            "open": [{"step": step, "text": text} for step, text in draft.notes],
        },
    }
