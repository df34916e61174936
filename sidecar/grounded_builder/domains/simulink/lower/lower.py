"""Lowers a plan: blocks with fitted parameters, lines between ports, subsystems, positions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from grounded_builder.catalog.registry import Registry
from grounded_builder.diagnostics import Diagnostic
from grounded_builder.domains.simulink.lower.containment import check_containment
from grounded_builder.domains.simulink.lower.parameters import Fitting, fit
from grounded_builder.domains.simulink.lower.patterns import expand
from grounded_builder.domains.simulink.lower.ports import (
    StepPorts,
    find_block_ports,
    find_subsystem_ports,
)
from grounded_builder.domains.simulink.lower.releases import check_stated_releases
from grounded_builder.domains.simulink.lower.self_loops import check_self_loops
from grounded_builder.domains.simulink.lower.simulation_settings import read_settings
from grounded_builder.domains.simulink.lower.subsystem_borders import Nesting
from grounded_builder.domains.simulink.lower.subsystems import is_plain
from grounded_builder.domains.simulink.lower.undefined_ports import check_undefined_ports
from grounded_builder.domains.simulink.lower.variable_inputs import widen
from grounded_builder.domains.simulink.lower.wiring import Wire, wires
from grounded_builder.domains.simulink.read.document import SHAPE
from grounded_builder.ir.lowering import Lowered, ResolvedPlan, StepResolution
from grounded_builder.ir.options import CompileOptions
from grounded_builder.ir.plan import Plan
from grounded_builder.ir.unique_names import UniqueNames

_LONGEST_NAME = 60


_LONGEST_NAME = 40
# A longer sentence describes the purpose of a model, not a block.
_MOST_NAME_WORDS = 4
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")


def lower(
    plan: Plan, choices: tuple[StepResolution, ...], registry: Registry, options: CompileOptions
) -> Lowered:
    """Returns the model of a plan; unresolved steps become blocks without a type."""
    del options
    settings, unread = read_settings(plan)
    plan, choices, expanded = expand(plan, choices, registry)
    names = _name_blocks(choices)
    fittings = {choice.step.id: _fit_choice(choice, names[choice.step.id]) for choice in choices}
    held = _count_held_blocks(choices)
    sockets = {
        choice.step.id: _find_ports(choice, fittings[choice.step.id], held) for choice in choices
    }
    drawn, unwired = wires(plan, sockets)
    widened = widen(choices, fittings, drawn, sockets)
    steps = {source.at for step in plan.steps for source in step.inputs or () if source.back}
    nesting = Nesting(choices, names, fittings, frozenset(steps))
    nesting.connect(drawn)
    results = (d for fitting in fittings.values() for d in fitting.diagnostics)
    everything: tuple[Diagnostic, ...] = (
        *check_stated_releases(plan),
        *unread,
        *expanded,
        *results,
        *unwired,
        *check_self_loops(plan, choices, fittings, drawn),
        *widened,
        *check_undefined_ports(choices, drawn),
        *check_containment({choice.step.id: choice for choice in choices}),
        *nesting.diagnostics,
    )
    document = {
        "simulink": SHAPE,
        "kind": "model",
        "name": _model_name(plan),
        "layout": "plan",
        **({"settings": dict(settings)} if settings else {}),
        "system": nesting.root.system(),
    }
    resolved = _build_resolved_plan(choices, fittings, drawn)
    return Lowered(document, nesting.origins(), everything, resolved)


def _fit_choice(choice: StepResolution, name: str) -> Fitting:
    if choice.spec is None:
        return Fitting()
    step = choice.step
    return fit(choice.spec, choice.preset, step.params, step.params_at, name)


def _count_held_blocks(choices: tuple[StepResolution, ...]) -> Mapping[str, Counter[str]]:
    """Returns the blocks that steps add to each group, by BlockType."""
    held: dict[str, Counter[str]] = {}
    for choice in choices:
        if choice.step.inside and choice.spec is not None:
            held.setdefault(choice.step.inside, Counter())[choice.spec.block_type] += 1
    return held


def _find_ports(
    choice: StepResolution, fitting: Fitting, held: Mapping[str, Counter[str]]
) -> StepPorts:
    if is_plain(choice.spec):
        return find_subsystem_ports(choice.spec, held.get(choice.step.id, Counter()))
    return find_block_ports(choice.spec, fitting.parameters)


def _model_name(plan: Plan) -> str:
    """Returns a valid MATLAB name for a model: letters, digits and underscores."""
    words = "".join(mark if mark.isascii() and mark.isalnum() else " " for mark in plan.goal)
    name = "_".join(words.split())[:_LONGEST_NAME].strip("_").lower()
    if not name:
        return "model"
    return name if name[0].isalpha() else f"model_{name}"


def _build_resolved_plan(
    choices: tuple[StepResolution, ...], fittings: Mapping[str, Fitting], drawn: tuple[Wire, ...]
) -> ResolvedPlan:
    nodes = tuple(
        {
            "id": choice.step.id,
            "tool_id": choice.tool.id if choice.tool is not None else None,
            "params": dict(fittings[choice.step.id].parameters),
        }
        for choice in choices
    )
    connections = tuple(
        {
            "from": f"{wire.source}:{wire.start.kind}:{wire.start.index}",
            "to": f"{wire.target}:{wire.end.kind}:{wire.end.index}",
        }
        for wire in drawn
    )
    groups: dict[str, list[str]] = {}
    for resolution in choices:
        if resolution.step.inside:
            groups.setdefault(resolution.step.inside, []).append(resolution.step.id)
    order = [choice.step.id for choice in choices]
    return ResolvedPlan(nodes, connections, {"order": order, "groups": groups})


def _name_blocks(choices: tuple[StepResolution, ...]) -> dict[str, str]:
    """Returns a name for the block of each step, by id; duplicates in a diagram are numbered."""
    diagrams: dict[str, UniqueNames] = {}
    names: dict[str, str] = {}
    for choice in choices:
        where = choice.step.inside or ""
        diagram = diagrams.setdefault(where, UniqueNames(first=1, separator=""))
        names[choice.step.id] = diagram.claim(_name_block(choice))
    return names


def _name_block(choice: StepResolution) -> str:
    """Returns the name of a block: the action of its step if it is short, else the block's own."""
    step = choice.step
    action = " ".join(_CONTROL.sub(" ", step.action).split())
    is_short = len(action) <= _LONGEST_NAME and len(action.split()) <= _MOST_NAME_WORDS
    if action and action != step.tool and is_short:
        return action[:1].upper() + action[1:]
    if choice.tool is not None:
        return choice.tool.name
    return " ".join(_CONTROL.sub(" ", step.tool or step.id).split())[:_LONGEST_NAME] or "Block"
