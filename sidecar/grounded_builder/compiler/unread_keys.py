"""Reports unread, unusable or mistyped plan keys; moves unread step keys to parameters."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.diagnostics import Diagnostic, Related, Route, new_diagnostic
from grounded_builder.diagnostics.json_kind import name_json_kind
from grounded_builder.ir.plan import Plan, Step
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, UNREAD_KEY

_STEP = "a plan's step"
_MAX_KEY_CHARS = 80
_MOVE = 'write its content under "params", or leave it out'


def states_nothing(value: Any) -> bool:
    """Returns whether a value is null or an empty text, list or object."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def is_prose(value: Any) -> bool:
    """Returns whether a value is a text of several words."""
    return isinstance(value, str) and len(value.split()) > 1


def report_unread(key: str, value: Any, at: Route, owner: str) -> Diagnostic:
    """Returns the finding for a key that its owner does not have; a note if it states nothing."""
    message = f'"{key[:_MAX_KEY_CHARS]}" is not a key of {owner} and was ignored'
    if states_nothing(value):
        return new_diagnostic(LOOSE_SHAPE, at, message)
    return new_diagnostic(UNREAD_KEY, at, message, help=_MOVE, token=key[:_MAX_KEY_CHARS])


def report_unused(key: str, at: Route, reason: str, help_: str) -> Diagnostic:
    """Returns the finding for a key with a value that cannot be used."""
    message = f'"{key[:_MAX_KEY_CHARS]}" {reason}; its value was not used'
    return new_diagnostic(UNREAD_KEY, at, message, help=help_, token=key[:_MAX_KEY_CHARS])


def note_loose(at: Route, message: str) -> Diagnostic:
    """Returns the note about a part of a plan that is read although its shape is unusual."""
    return new_diagnostic(LOOSE_SHAPE, at, message)


def report_type(key: str, value: Any, at: Route, expected: str) -> Diagnostic:
    """Returns the finding for a key whose value has another type than the expected one."""
    reason = f"is {name_json_kind(value)}, not {expected}"
    return report_unused(key, at, reason, f"write {expected}, or leave the key out")


def note_unread_keys(step: Step) -> tuple[Diagnostic, ...]:
    """Returns a note for each unread key of a step whose tool is unknown."""
    return tuple(
        new_diagnostic(LOOSE_SHAPE, at, report_unread(key, value, at, _STEP).message)
        for key, (value, at) in step.unread.items()
    )


def drop_file_keys(plan: Plan, file_keys: Container[str]) -> tuple[Plan, tuple[Diagnostic, ...]]:
    """Returns a plan without the keys that keep what a file states, and one note for each key."""
    notes: dict[str, Diagnostic] = {}
    steps: list[Step] = []
    for step in plan.steps:
        dropped = [key for key in step.unread if key in file_keys]
        for key in dropped:
            message = f'"{key}" restores a file and was not compiled'
            notes.setdefault(key, new_diagnostic(LOOSE_SHAPE, step.unread[key][1], message))
        unread = {key: place for key, place in step.unread.items() if key not in file_keys}
        steps.append(replace(step, unread=unread) if dropped else step)
    return replace(plan, steps=tuple(steps)), tuple(notes.values())


def names_steps(value: Any, ids: Container[str]) -> bool:
    """Returns whether a value is the id of a step, or a list of ids."""
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in ids for name in names)


def place_unread_keys(
    step: Step,
    parameters: Container[str],
    taken: Container[str] = (),
    others: Container[str] = (),
) -> tuple[Step, tuple[Diagnostic, ...]]:
    """Returns a step whose unread keys became parameters or remarks, and the findings.

    ``parameters`` are the names of the parameters of the step's tool, ``taken`` the keys that are
    read later, ``others`` the ids of the other steps; a list of them is left to the domain as a
    parameter. A text of several words that is no parameter is a remark. Every other value that
    nothing reads is reported.
    """
    params, places = dict(step.params), dict(step.param_places)
    remarks = [step.remarks] if step.remarks else []
    findings: list[Diagnostic] = []
    for key, (value, at) in step.unread.items():
        if key in taken:
            continue
        if key in parameters and key not in params and value is not None:
            params[key], places[key] = value, at
            message = f'"{key}" was read as a parameter of the step'
            findings.append(new_diagnostic(LOOSE_SHAPE, at, message, node=step.id))
        elif key not in params and names_steps(value, others):
            params[key], places[key] = value, at
        elif key in parameters and params.get(key) == value:
            continue
        elif key in parameters:
            reason = 'is on the step and in "params"'
            findings.append(report_unused(key, at, reason, "write one of the two values"))
        elif is_prose(value):
            remarks.append(f"{key}: {value}")
            message = f'"{key}" was read as a remark on the step'
            findings.append(new_diagnostic(LOOSE_SHAPE, at, message, node=step.id))
        else:
            findings.append(replace(report_unread(key, value, at, _STEP), node=step.id))
    if not step.unread:
        return step, ()
    placed = replace(
        step, params=params, param_places=places, remarks="\n".join(remarks), unread={}
    )
    return placed, tuple(findings)


def join_equal_findings(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Returns findings in which the same unread key of several steps is one, with all places."""
    joined: list[Diagnostic] = []
    positions: dict[tuple[str, str], int] = {}
    for finding in findings:
        key = (finding.code, finding.message)
        position = positions.setdefault(key, len(joined))
        if finding.rule != UNREAD_KEY or position == len(joined):
            joined.append(finding)
            continue
        first, place = joined[position], Related(finding.at, "here too")
        joined[position] = replace(first, related=(*first.related, place))
    return joined


def as_mapping(value: Any) -> Mapping[str, Any]:
    """Returns a value that is an object, an empty one for anything else."""
    return value if isinstance(value, dict) else {}
