"""Separates node settings of steps from their parameters, and corrects their spellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.api_schema import SETTINGS
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.parameter_slots import rank_slot, slots_of
from grounded_builder.domains.n8n.lower.parameter_words import words
from grounded_builder.domains.n8n.step_settings import ON_ERROR, STEP_SETTINGS
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Setting, Step
from grounded_builder.ir.rules.parameters import RENAMED_PARAMETER, UNPLACED_VALUE
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, MALFORMED_STEP, UNREAD_KEY

_NAMES = {fold_name(name): name for name in STEP_SETTINGS}
# The values of "On Error" and their labels in the editor of n8n 2.41 (nodeSettings.onError).
_ON_ERROR = {fold_name(value): value for value in ON_ERROR} | {
    "stop": "stopWorkflow",
    "continue": "continueRegularOutput",
    "continueusingerroroutput": "continueErrorOutput",
    "erroroutput": "continueErrorOutput",
}
_WORKFLOW = {fold_name(name): name for name in SETTINGS}
# The words of names for the number of tries, as clients of HTTP and queues have them.
_TRIES = frozenset("retry retries try tries attempt attempts".split())
_COUNTS = frozenset("max maximum num number count limit times total enabled".split())
_OF_TRIES = frozenset("of on fail failure error policy options config settings strategy".split())
_MAX_KEY_CHARS = 80
_MAX_DIGITS = 9
_RETRIES = ("maxTries", "waitBetweenTries")


@dataclass(frozen=True, slots=True)
class StepKeys:
    """The keys of a step that are read: parameters of its node, and settings next to them."""

    spec: NodeSpec

    def __contains__(self, key: object) -> bool:
        """Returns whether a key names a parameter, or a setting of the workflow or of tries."""
        return key in self.spec.declarations.root.by_name or (
            isinstance(key, str) and (fold_name(key) in _WORKFLOW or _is_of_retries(key))
        )


def separate_settings(
    choices: tuple[StepResolution, ...], stated: Mapping[str, Any] | None = None
) -> tuple[tuple[StepResolution, ...], dict[str, Setting], list[Diagnostic]]:
    """Returns the steps with their settings in n8n's words and without settings as parameters, the
    settings of the workflow that were among their parameters, and the findings.

    ``stated`` are the settings that the plan has of the workflow, None for a step without a plan.
    """
    diagnostics: list[Diagnostic] = []
    shared: dict[str, Setting] = {}
    separated: list[StepResolution] = []
    for choice in choices:
        step = choice.step
        if choice.spec is not None and stated is not None:
            step = _take_workflow_settings(step, choice.spec, stated, shared, diagnostics)
        if choice.spec is not None:
            step = _take_retries(step, choice.spec, diagnostics)
        separated.append(replace(choice, step=_separate(step, choice.spec, diagnostics)))
    return tuple(separated), shared, diagnostics


def _take_workflow_settings(
    step: Step,
    spec: NodeSpec,
    stated: Mapping[str, Any],
    shared: dict[str, Setting],
    out: list[Diagnostic],
) -> Step:
    """Returns a step without the settings of the workflow, which go to ``shared``."""
    params = dict(step.params)
    for key, value in step.params.items():
        name = _WORKFLOW.get(fold_name(key))
        if name is None or not SETTINGS[name][0](value) or _has_slot(key, spec, params):
            continue
        at = step.place_of((*step.params_at, key))
        first = shared.get(name, Setting(stated.get(name, value), at))
        if first.value != value:
            continue
        shared[name] = first
        del params[key]
        message = f'"{key}" is the setting {name} of the workflow, not a parameter'
        out.append(new_diagnostic(RENAMED_PARAMETER, at, message, node=step.id, token=key))
    return step if len(params) == len(step.params) else replace(step, params=params)


def _take_retries(step: Step, spec: NodeSpec, out: list[Diagnostic]) -> Step:
    """Returns a step whose parameters about tries became settings, or are reported."""
    params, settings = dict(step.params), dict(step.settings)
    for key, value in step.params.items():
        is_own = fold_name(key) in _NAMES
        if is_own or not _is_of_retries(key) or _has_slot(key, spec, params):
            continue
        at = step.place_of((*step.params_at, key))
        del params[key]
        read = _read_retries(value)
        if not read or any(settings[n].value != read[n] for n in read if n in settings):
            message = f'"{key[:40]}" is not a parameter of {spec.id}; its value was not used'
            hint = 'write "settings": {"retryOnFail": true, "maxTries": 3} at the step'
            out.append(
                new_diagnostic(UNPLACED_VALUE, at, message, help=hint, node=step.id, token=key)
            )
            continue
        settings |= {name: Setting(stated, at) for name, stated in read.items()}
        text = ", ".join(f"{name} {orjson.dumps(stated).decode()}" for name, stated in read.items())
        message = f'"{key[:40]}" was read as the settings {text} of the node'
        out.append(new_diagnostic(RENAMED_PARAMETER, at, message, node=step.id, token=key))
    return (
        step if len(params) == len(step.params) else replace(step, params=params, settings=settings)
    )


def _is_of_retries(key: str) -> bool:
    stated = set(words(key[:_MAX_KEY_CHARS]))
    return bool(stated & _TRIES) and stated <= _TRIES | _COUNTS | _OF_TRIES


def _read_retries(value: Any) -> dict[str, Any]:
    """Returns the settings for tries that a value states, {} for one that cannot be read."""
    if isinstance(value, bool):
        return {"retryOnFail": value}
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < _MAX_DIGITS:
        value = int(value)
    if isinstance(value, int):
        return {"retryOnFail": True, "maxTries": value} if value > 0 else {"retryOnFail": False}
    read: dict[str, Any] = {}
    for key, inner in value.items() if isinstance(value, dict) else ():
        name = _NAMES.get(fold_name(key))
        if name is not None:
            read[name] = inner
        elif isinstance(inner, int) and (_is_of_retries(key) or set(words(key)) <= _COUNTS):
            read |= _read_retries(inner)
        else:
            return {}
    return read


def _has_slot(key: str, spec: NodeSpec, params: Mapping[str, Any]) -> bool:
    """Returns whether a node has a parameter that a name can mean."""
    return any(rank_slot(key, slot) is not None for slot in slots_of(spec, params))


def _separate(step: Step, spec: Any, out: list[Diagnostic]) -> Step:
    declared: Mapping[str, Any] = spec.declarations.root.by_name if spec is not None else {}
    settings, params = dict(step.settings), dict(step.params)
    for key in step.params if spec is not None else ():
        name = _NAMES.get(fold_name(key))
        if name is None or key in declared or name in declared:
            continue
        at = step.place_of((*step.params_at, key))
        value = params.pop(key)
        if name in settings and settings[name].value != value:
            message = f'"{key}" differs from the setting {name} of the step; its value was not used'
            hint = "write one of the two values"
            out.append(new_diagnostic(UNREAD_KEY, at, message, help=hint, node=step.id, token=key))
            continue
        settings.setdefault(name, Setting(value, at))
        message = f'"{key}" is the setting {name} of the node, not a parameter'
        out.append(new_diagnostic(RENAMED_PARAMETER, at, message, node=step.id, token=key))
    if "onError" in settings:
        _read_on_error(settings, step, out)
    stated = next((name for name in _RETRIES if name in settings), None)
    if stated is not None and "retryOnFail" not in settings:
        at = settings[stated].at
        settings["retryOnFail"] = Setting(value=True, at=at)
        message = f'"{stated}" of "{step.id}" was read with retryOnFail, without which it is unused'
        out.append(new_diagnostic(LOOSE_SHAPE, at, message, node=step.id))
    if settings == step.settings and len(params) == len(step.params):
        return step
    return replace(step, settings=settings, params=params)


def _read_on_error(settings: dict[str, Setting], step: Step, out: list[Diagnostic]) -> None:
    value, at = settings["onError"].value, settings["onError"].at
    word = _ON_ERROR.get(fold_name(value)) if isinstance(value, str) else None
    if word is not None:
        settings["onError"] = Setting(word, at)
        return
    del settings["onError"]
    shown = value[:40] if isinstance(value, str) else type(value).__name__
    out.append(
        new_diagnostic(
            MALFORMED_STEP,
            at,
            f'onError of "{step.id}" is "{shown}", which n8n does not know',
            help=f"write one of {', '.join(ON_ERROR)}",
            node=step.id,
            token=shown,
            alternatives=find_nearest(shown, ON_ERROR),
        )
    )
