"""Steps that lie in others: the groups around each, and those that cannot hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.simulink.lower.subsystems import is_plain
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.rules.artifact import CORRECTED
from grounded_builder.ir.rules.reading import MALFORMED_STEP, TOO_DEEP

_DEEPEST = 50


def groups_around(step: str, choices: Mapping[str, StepResolution]) -> Iterator[str]:
    """The groups around a step, inner ones first, as far as they do not run in a circle."""
    seen: set[str] = set()
    choice = choices.get(step)
    while choice is not None and choice.step.inside and choice.step.inside not in seen:
        seen.add(choice.step.inside)
        yield choice.step.inside
        choice = choices.get(choice.step.inside)


def holds(name: str, choices: Mapping[str, StepResolution]) -> bool:
    """Whether the diagram of a step can hold others: a subsystem, not in itself, not too deep."""
    choice = choices.get(name)
    if choice is None or not is_plain(choice.spec):
        return False
    around = list(groups_around(name, choices))
    return name not in around and len(around) <= _DEEPEST


def check_holding(choices: Mapping[str, StepResolution]) -> Iterator[Diagnostic]:
    """Find steps that lie in themselves, too deep, or in a block that holds none; the last is told.

    A group that is no step is a subsystem made for its name.
    """
    for choice in choices.values():
        step, around = choice.step, list(groups_around(choice.step.id, choices))
        at = (*step.at, "in")
        if step.id in around:
            way = " in ".join(f'"{name}"' for name in around[: around.index(step.id) + 1])
            text = f'step "{step.id}" lies in itself: in {way}'
            yield new_diagnostic(
                MALFORMED_STEP, at, text, help='name the subsystem around it in "in"', node=step.id
            )
        elif len(around) > _DEEPEST + 1:
            text = f'step "{step.id}" lies in more than {_DEEPEST} subsystems'
            yield new_diagnostic(TOO_DEEP, at, text, help="nest the plan less deeply", node=step.id)
        elif around and _is_other(choices.get(around[0])):
            text = f'step "{around[0]}" is no subsystem; one of that name was made'
            yield new_diagnostic(CORRECTED, at, f'{text} around "{step.id}"', node=step.id)


def _is_other(holder: StepResolution | None) -> bool:
    return holder is not None and holder.spec is not None and not is_plain(holder.spec)
