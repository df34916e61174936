"""How the plans of these models are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grounded_builder.domains.simulink.domain import SIMULINK
from grounded_builder.drafting.planner.propose import propose
from tests.support.simulink import simulink_registry

Plan = dict[str, Any]


def steps(goal: str, *given: tuple[Any, ...]) -> Plan:
    """A plan of steps ``(id, tool, params, inputs)``; the last two may be left out."""
    keys = ("id", "tool", "params", "inputs")
    return {
        "version": 1,
        "goal": goal,
        "steps": [dict(zip(keys, item, strict=False)) for item in given],
    }


def back(step: str) -> dict[str, Any]:
    """An edge that closes a loop on purpose."""
    return {"from": step, "back": True}


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, parted by empty lines."""
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))


def sketched(requests: Iterable[str]) -> list[Plan]:
    """The plans that the retrieval planner makes of sentences, all of them placed."""
    plans = []
    for request in requests:
        proposal = propose(request, SIMULINK, simulink_registry())
        assert proposal.refusal is None, request
        assert not proposal.unplaced, (request, proposal.unplaced)
        plans.append(dict(proposal.plan))
    return plans
