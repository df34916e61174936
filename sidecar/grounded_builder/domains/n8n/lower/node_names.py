"""Readable node names: derived from a step's operation, unique in the workflow."""

from __future__ import annotations

from grounded_builder.ir.lowering import StepResolution

_LONGEST = 60


def node_names(choices: tuple[StepResolution, ...]) -> dict[str, str]:
    """Returns a node name for each step id, in plan order; duplicates are numbered."""
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    names: dict[str, str] = {}
    for choice in choices:
        base = _base(choice)
        same = base.casefold()
        number = numbers.get(same, 1)
        name = base if number == 1 else f"{base} {number}"
        while name.casefold() in taken:
            number += 1
            name = f"{base} {number}"
        taken.add(name.casefold())
        numbers[same] = number
        names[choice.step.id] = name
    return names


def _base(choice: StepResolution) -> str:
    step = choice.step
    text = " ".join(step.action.split()) if step.action != step.tool else ""
    if not text:
        text = choice.tool.name if choice.tool is not None else step.tool or step.id
    if len(text) > _LONGEST:
        text = text[:_LONGEST].rsplit(" ", 1)[0]
    return text[:1].upper() + text[1:]
