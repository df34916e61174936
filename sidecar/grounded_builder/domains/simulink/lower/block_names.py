"""Names the block of each step by its short action, else by its tool, unique within a diagram."""

from __future__ import annotations

import re

from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.unique_names import UniqueNames

_LONGEST = 40
# A longer sentence describes the purpose of a model, not a block.
_MOST_WORDS = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def block_names(choices: tuple[StepResolution, ...]) -> dict[str, str]:
    """Returns a name for the block of each step, by id; duplicates in a diagram are numbered."""
    diagrams: dict[str, UniqueNames] = {}
    names: dict[str, str] = {}
    for choice in choices:
        where = choice.step.inside or ""
        diagram = diagrams.setdefault(where, UniqueNames(first=1, separator=""))
        names[choice.step.id] = diagram.claim(name_of(choice))
    return names


def name_of(choice: StepResolution) -> str:
    """Returns the name of a block: the action of its step if it is short, else the block's own."""
    step = choice.step
    action = " ".join(_CONTROL.sub(" ", step.action).split())
    is_short = len(action) <= _LONGEST and len(action.split()) <= _MOST_WORDS
    if action and action != step.tool and is_short:
        return action[:1].upper() + action[1:]
    if choice.tool is not None:
        return choice.tool.name
    return " ".join(_CONTROL.sub(" ", step.tool or step.id).split())[:_LONGEST] or "Block"
