"""Expands plan steps that name a catalog pattern into a subsystem with the pattern's steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic, Rule, new_diagnostic
from grounded_builder.domains.simulink.lower.value_text import text_of
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Plan, Source, Step
from grounded_builder.ir.resolution import Resolution
from grounded_builder.ir.rules.parameters import UNPLACED_VALUE

EXPANDED_PATTERN = Rule.info("SLX302", "expanded-pattern", "A pattern was expanded to blocks.")

_MOST = 200
_EXACT = Resolution("resolved", None, {}, 1.0, "exact", ())


def expand(
    plan: Plan, choices: tuple[StepResolution, ...], registry: Registry
) -> tuple[Plan, tuple[StepResolution, ...], tuple[Diagnostic, ...]]:
    """Returns the plan with accepted patterns as subsystems of their steps, and the findings."""
    if not any(
        resolution.spec is not None and resolution.spec.pattern for resolution in choices[:_MOST]
    ):
        return plan, choices, ()
    out: list[Diagnostic] = []
    step_resolutions: list[StepResolution] = []
    entry: dict[str, str] = {}
    exits: dict[str, str] = {}
    for choice in choices:
        pattern = choice.spec.pattern if choice.spec is not None else None
        if not pattern:
            step_resolutions.append(choice)
            continue
        inner = _expand_pattern(choice, pattern, registry)
        out += _report_unplaced(choice, pattern)
        step = choice.step
        entry[step.id] = f"{step.id}.{pattern['input']}"
        exits[step.id] = f"{step.id}.{pattern['output']}"
        blocks = ", ".join(
            dict.fromkeys(
                resolution.tool.name for resolution in inner if resolution.tool is not None
            )
        )
        message = f'"{step.tool}" was expanded to {blocks}'
        out.append(new_diagnostic(EXPANDED_PATTERN, step.tool_at, message, node=step.id))
        step_resolutions += inner
    step_resolutions = [
        _redirect_inputs(resolution, plan, entry, exits) for resolution in step_resolutions
    ]
    step_resolutions = _move_inputs(step_resolutions, choices, plan, entry, exits)
    return (
        Plan(plan.goal, tuple(resolution.step for resolution in step_resolutions)),
        tuple(step_resolutions),
        tuple(out),
    )


def _expand_pattern(
    choice: StepResolution, pattern: Mapping[str, Any], registry: Registry
) -> list[StepResolution]:
    """Returns the steps of a pattern, each inside a subsystem named after the step.

    An input is a step, the port at which it enters, and the port at which it leaves where that is
    ambiguous.
    """
    outer = choice.step
    values = {**pattern.get("parameters", {})}
    for key, value in outer.params.items():
        known = next((name for name in values if name.casefold() == key.casefold()), None)
        text = text_of(value, None)
        if known is not None and text is not None:
            values[known] = text
    made: list[StepResolution] = []
    for item in pattern["steps"]:
        tool = registry.tools[item["tool"]]
        params = {key: _fill_text(text, values) for key, text in item.get("params", {}).items()}
        inputs = tuple(
            Source(f"{outer.id}.{name}", outer.at, leaving[0] if leaving else None, port)
            for name, port, *leaving in item.get("inputs", ())
        )
        step = Step(
            id=f"{outer.id}.{item['id']}",
            at=outer.at,
            tool=tool.id,
            tool_at=outer.tool_at,
            params=params,
            params_at=outer.params_at,
            inputs=inputs,
            inside=outer.id,
        )
        spec = registry.spec(tool.id, tool.newest)
        made.append(StepResolution(step, _EXACT, tool, tool.newest, spec, dict(spec.preset)))
    return made


def _report_unplaced(choice: StepResolution, pattern: Mapping[str, Any]) -> list[Diagnostic]:
    """Returns findings for parameters of the draft that the pattern does not have."""
    known = pattern.get("parameters", {})
    folded = {name.casefold() for name in known}
    step = choice.step
    return [
        new_diagnostic(
            UNPLACED_VALUE,
            (*step.params_at, key),
            f'{step.tool} has no parameter for "{key}"; its value was not used',
            help=f"its parameters: {', '.join(known)}",
            node=step.id,
            token=key,
        )
        for key in step.params
        if key.casefold() not in folded
    ]


def _fill_text(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _redirect_inputs(
    choice: StepResolution, plan: Plan, entry: Mapping[str, str], exits: Mapping[str, str]
) -> StepResolution:
    """Returns a step whose inputs name the last step of a pattern in place of the pattern."""
    step = choice.step
    if step.inputs is None:
        return choice
    inputs = []
    for source in step.inputs:
        origin = plan.find_step(source.name)
        if origin is not None and origin.id in exits and step.id not in entry:
            inputs.append(replace(source, name=exits[origin.id], output=None))
        else:
            inputs.append(source)
    return replace(choice, step=replace(step, inputs=tuple(inputs)))


def _move_inputs(
    step_resolutions: list[StepResolution],
    choices: tuple[StepResolution, ...],
    plan: Plan,
    entry: Mapping[str, str],
    exits: Mapping[str, str],
) -> list[StepResolution]:
    """Returns the steps with the inputs of a pattern moved to its first step."""
    given: dict[str, tuple[Source, ...]] = {}
    result = any(step.inputs is not None for step in plan.steps)
    follows: dict[str, str] = {}
    for position, choice in enumerate(choices):
        step = choice.step
        before = choices[position - 1].step if position else None
        if step.id in entry:
            sources = step.inputs
            if sources is None and before is not None:
                sources = (Source(exits.get(before.id, before.id), step.at),)
            given[entry[step.id]] = tuple(
                replace(source, name=exits.get(plan.id_of(source.name), source.name), input=None)
                for source in sources or ()
            )
        elif before is not None and before.id in exits and step.inputs is None:
            follows[step.id] = exits[before.id]
    del result
    out: list[StepResolution] = []
    for choice in step_resolutions:
        step = choice.step
        if step.id in given:
            step = replace(step, inputs=(*given[step.id], *(step.inputs or ())))
        elif step.id in follows:
            step = replace(step, inputs=(Source(follows[step.id], step.at),))
        out.append(replace(choice, step=step))
    return out
