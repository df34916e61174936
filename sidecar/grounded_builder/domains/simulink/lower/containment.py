"""Finds the groups around plan steps, and reports steps in groups that cannot contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.lower.subsystems import is_plain
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.ir.rules.reading import MALFORMED_STEP, TOO_DEEP

_DEEPEST = 50


def groups_around(step: str, choices: Mapping[str, StepResolution]) -> Iterator[str]:
    """Yields the groups around a step, inner ones first, up to a cycle."""
    seen: set[str] = set()
    choice = choices.get(step)
    while choice is not None and choice.step.inside and choice.step.inside not in seen:
        seen.add(choice.step.inside)
        yield choice.step.inside
        choice = choices.get(choice.step.inside)


def can_contain(name: str, choices: Mapping[str, StepResolution]) -> bool:
    """Returns whether a step can contain others: a subsystem that is not in itself or too deep."""
    choice = choices.get(name)
    if choice is None or not is_plain(choice.spec):
        return False
    around = list(groups_around(name, choices))
    return name not in around and len(around) <= _DEEPEST


def check_containment(choices: Mapping[str, StepResolution]) -> Iterator[Diagnostic]:
    """Finds steps that contain themselves, are too deep, or are in a block that cannot contain any.

    A group that is not a step is a subsystem that is created for its name.
    """
    for choice in choices.values():
        step, around = choice.step, list(groups_around(choice.step.id, choices))
        at = (*step.at, "in")
        if step.id in around:
            way = " in ".join(f'"{name}"' for name in around[: around.index(step.id) + 1])
            text = f'step "{step.id}" is inside itself: in {way}'
            yield new_diagnostic(
                MALFORMED_STEP, at, text, help='name the subsystem around it in "in"', node=step.id
            )
        elif len(around) > _DEEPEST + 1:
            text = f'step "{step.id}" is inside more than {_DEEPEST} subsystems'
            yield new_diagnostic(
                TOO_DEEP, at, text, help="use fewer levels of subsystems", node=step.id
            )
        elif around and _is_other(choices.get(around[0])):
            text = f'step "{around[0]}" is not a subsystem; one of that name was created'
            yield new_diagnostic(CORRECTED, at, f'{text} around "{step.id}"', node=step.id)


def _is_other(holder: StepResolution | None) -> bool:
    return holder is not None and holder.spec is not None and not is_plain(holder.spec)
