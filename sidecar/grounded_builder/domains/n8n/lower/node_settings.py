"""Separates the settings of a step from its parameters, and reads their usual spellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.catalog.name_index import fold_name
from grounded_builder.diagnostics import Diagnostic, new_diagnostic
from grounded_builder.domains.n8n.step_settings import ON_ERROR, STEP_SETTINGS
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Setting, Step
from grounded_builder.ir.rules.parameters import RENAMED_PARAMETER
from grounded_builder.ir.rules.reading import LOOSE_SHAPE, MALFORMED_STEP

_NAMES = {fold_name(name): name for name in STEP_SETTINGS}
# The values of "On Error" and their labels in the editor of n8n 2.41 (nodeSettings.onError).
_ON_ERROR = {fold_name(value): value for value in ON_ERROR} | {
    "stop": "stopWorkflow",
    "continue": "continueRegularOutput",
    "continueusingerroroutput": "continueErrorOutput",
    "erroroutput": "continueErrorOutput",
}
_RETRIES = ("maxTries", "waitBetweenTries")


def separate_settings(
    choices: tuple[StepResolution, ...],
) -> tuple[tuple[StepResolution, ...], list[Diagnostic]]:
    """Returns the steps with their settings in n8n's words, and without settings as parameters."""
    diagnostics: list[Diagnostic] = []
    separated = tuple(
        replace(choice, step=_separate(choice.step, choice.spec, diagnostics)) for choice in choices
    )
    return separated, diagnostics


def _separate(step: Step, spec: Any, out: list[Diagnostic]) -> Step:
    declared: Mapping[str, Any] = spec.declarations.root.by_name if spec is not None else {}
    settings, params = dict(step.settings), dict(step.params)
    for key in step.params if spec is not None else ():
        name = _NAMES.get(fold_name(key))
        if name is None or key in declared or name in declared:
            continue
        at = (*step.params_at, key)
        settings.setdefault(name, Setting(params.pop(key), at))
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
