"""How the plans of these models are written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

Plan = dict[str, Any]
_PLANS: dict[str, Plan] = json.loads(
    Path(__file__).with_name("of_sentences.json").read_text("utf-8")
)


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


def plan_requests(requests: Iterable[str]) -> list[Plan]:
    """Returns the plans of sentences, as they are kept in ``of_sentences.json``."""
    return [dict(_PLANS[request]) for request in requests]
