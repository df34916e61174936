"""Measure what a drafter makes of requests."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from grounded_builder.account import PLANNER, Answer, Order
from grounded_builder.conversing import Conversations
from tests.eval.asked import Asked

_NOTE = "n8n-nodes-base.stickyNote"
Create = Callable[[Answer], str | None]
_HEADINGS = (
    *("requests", "number", "built", "incomplete", "refused", "clauses placed"),
    *("F1, all", "F1, what was made", "refused by n8n"),
)


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one request; ``refused_by_n8n`` is n8n's word against it, or None."""

    asked: Asked
    outcome: str
    tools: frozenset[str]
    clauses: int
    placed: int
    seconds: float
    refused_by_n8n: str | None = None

    @property
    def f1(self) -> float:
        """F1 of the node types made against those of the author's workflow; 0 when none."""
        shared = len(self.tools & self.asked.tools)
        return 2 * shared / (len(self.tools) + len(self.asked.tools)) if shared else 0.0


def measured(
    requests: Iterable[Asked], talks: Conversations, create: Create | None = None
) -> list[Made]:
    """Have the planner make each request; what is made is created in n8n where one is given."""
    made = []
    for one in requests:
        began = time.perf_counter()
        answer = talks.open(Order(one.text, drafter=PLANNER))
        seconds = time.perf_counter() - began
        artifact = answer["artifact"]
        said = create(answer) if create is not None and artifact is not None else None
        made.append(_made(one, answer, seconds, said))
    return made


def _made(one: Asked, answer: Answer, seconds: float, said: str | None) -> Made:
    artifact = answer["artifact"]
    tools = {node["type"] for node in artifact["nodes"]} if artifact is not None else set()
    clauses = answer["plan"]["metadata"]["clauses"]
    placed = sum(bool(clause["steps"]) for clause in clauses)
    kinds = frozenset(tools) - {_NOTE}
    return Made(one, answer["outcome"], kinds, len(clauses), placed, seconds, said)


def table(made: list[Made]) -> str:
    """The figures by kind of request, and over all."""
    lines = [
        f"| {' | '.join(_HEADINGS)} |",
        f"|{'---|' * len(_HEADINGS)}",
    ]
    kinds = list(dict.fromkeys(one.asked.kind for one in made))
    for name in [*kinds, "all"]:
        some = [one for one in made if name in (one.asked.kind, "all")]
        lines.append(_line(name, some))
    return "\n".join(lines)


def _line(name: str, made: list[Made]) -> str:
    counts = [sum(one.outcome == kind for one in made) for kind in ("built", "incomplete")]
    stands = [one for one in made if one.outcome != "refused"]
    clauses, placed = sum(one.clauses for one in made), sum(one.placed for one in made)
    refused = sum(one.refused_by_n8n is not None for one in made)
    cells = [
        name, len(made), *counts, len(made) - len(stands), f"{placed} of {clauses}",
        f"{_mean([one.f1 for one in made]):.2f}", f"{_mean([one.f1 for one in stands]):.2f}",
        refused,
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
