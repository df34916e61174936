"""Precomputes which parameters each choice of a node (resource, operation, mode) shows.

Most conditions of a large node depend only on such choices. A plan evaluates those once; for a node
it remains to overlay its values on the defaults and to evaluate the few other conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.parameter_outline import (
    Outline,
    build_outline,
    list_tests,
)
from grounded_builder.domains.n8n.parameters.partial_conditions import UNMET, KnownValues
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    Declarations,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.visibility import Condition

_MAX_PLANS = 256

OpenCondition = Condition | bool


@dataclass(frozen=True, slots=True)
class VisibilityStep:
    """A declaration with the undecided part of its condition."""

    property: Property
    condition: OpenCondition

    def is_shown(self, level: Any, root: Any) -> bool:
        """Returns whether the declaration is shown with these values."""
        condition = self.condition
        return condition if condition.__class__ is bool else condition.holds(level, root)  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A declaration for which n8n can report issues; ``inside`` is the route of its collection."""

    step: VisibilityStep
    inside: Route


@dataclass(frozen=True, slots=True)
class VisibilityPlan:
    """The root level for one combination of choices.

    ``fixed_values`` and ``final_values`` are the default values of names without undecided
    conditions, before and after hidden values are dropped; ``fixed_fillers`` and ``final_fillers``
    fill a given value. The other names are in ``conditional_fillers``, in n8n's order, and in
    ``final_conditional``, the last declaration first.
    """

    fixed_values: Mapping[str, Any]
    fixed_fillers: Mapping[str, Property]
    conditional_fillers: tuple[VisibilityStep, ...]
    final_values: Mapping[str, Any]
    final_fillers: Mapping[str, Property]
    final_conditional: tuple[tuple[VisibilityStep, ...], ...]
    suspects: tuple[Suspect, ...]
    steps: Mapping[str, tuple[VisibilityStep, ...]]


def plan_for(declarations: Declarations, given: Mapping[str, Any]) -> VisibilityPlan:
    """Returns the plan for the choices among these values, cached on the declarations."""
    plans = declarations.plans
    outline: Outline | None = plans.get(None)
    if outline is None:
        outline = plans[None] = build_outline(declarations.root)
    values = tuple([given.get(name, MISSING) for name in outline.choices])
    key = (values, tuple([value.__class__ for value in values]))
    try:
        known: VisibilityPlan | None = plans.get(key)
    except TypeError:  # a list or an object where a choice belongs
        return _build_plan(declarations, outline, given)
    if known is None:
        if len(plans) > _MAX_PLANS:
            plans.clear()
            plans[None] = outline
        known = plans[key] = _build_plan(declarations, outline, given)
    return known


def _build_plan(
    declarations: Declarations, outline: Outline, given: Mapping[str, Any]
) -> VisibilityPlan:
    steps, chosen, known = _resolve_choices(outline, given)
    fixed_values, fixed_fillers, conditional_fillers = _split_steps(steps, chosen)
    variants = _shown_by_name(outline, known)
    final_values, final_fillers, final_conditional = _plan_final_values(outline, variants, given)
    values = {name: final_values.get(name, MISSING) for name in outline.choices}
    is_same = all(values[name] is chosen[name] for name in outline.choices)
    final = known if is_same else KnownValues(values)
    suspects = tuple(_find_suspects(declarations, declarations.root, final, ()))
    return VisibilityPlan(
        fixed_values,
        fixed_fillers,
        conditional_fillers,
        final_values,
        final_fillers,
        final_conditional,
        suspects,
        variants,
    )


def _resolve_choices(
    outline: Outline, given: Mapping[str, Any]
) -> tuple[list[VisibilityStep], dict[str, Any], KnownValues]:
    """Resolves the choices in n8n's order; returns the steps that remain, and the choices."""
    chosen: dict[str, Any] = dict.fromkeys(outline.choices, MISSING)
    known = KnownValues(chosen)
    steps: list[VisibilityStep] = []
    for run in outline.runs:
        if run.first is not None and known.shows(run.first) == UNMET:
            continue
        for member in run.members:
            left = _remaining_condition(member, known) if run.is_conditional else True
            if left is False:
                continue
            if member.name in chosen:
                chosen[member.name] = member.filled(given.get(member.name, MISSING))
                known.discard_results(member.name)
            else:
                steps.append(VisibilityStep(member, left))
    return steps, chosen, known


def _shown_by_name(outline: Outline, known: KnownValues) -> dict[str, tuple[VisibilityStep, ...]]:
    """Returns the declarations of each name that may be shown, in the order of the names."""
    alive: list[tuple[int, VisibilityStep]] = []
    for group in outline.groups:
        if group.first is None or known.shows(group.first) != UNMET:
            for place, prop in group.members:
                left = _remaining_condition(prop, known)
                if left is not False:
                    alive.append((place, VisibilityStep(prop, left)))
    alive.sort(key=_position)
    shown: dict[str, tuple[VisibilityStep, ...]] = {}
    for _, step in alive:
        name = step.property.name
        shown[name] = (*shown[name], step) if name in shown else (step,)
    return shown


def _position(entry: tuple[int, VisibilityStep]) -> int:
    return entry[0]


def _split_steps(
    steps: list[VisibilityStep], chosen: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Property], tuple[VisibilityStep, ...]]:
    """Separates the names with undecided conditions, or on which these depend, from the others."""
    undecided = {step.property.name for step in steps if step.condition is not True}
    for step in steps:
        if isinstance(step.condition, Condition):
            undecided |= {_first_key(test.path) for test in list_tests(step.condition) if test.path}
    fillers = {step.property.name: step.property for step in steps}
    for name in undecided:
        fillers.pop(name, None)
    values = {name: value for name, value in chosen.items() if value is not MISSING}
    for name, prop in fillers.items():
        value = prop.filled(MISSING)
        if value is not MISSING:
            values[name] = value
    return values, fillers, tuple(step for step in steps if step.property.name in undecided)


def _first_key(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _plan_final_values(
    outline: Outline, variants: Mapping[str, tuple[VisibilityStep, ...]], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Property], tuple[tuple[VisibilityStep, ...], ...]]:
    """Determines what fills each name in the end: the last shown declaration in n8n's order."""
    values: dict[str, Any] = {}
    fillers: dict[str, Property] = {}
    conditional: list[tuple[VisibilityStep, ...]] = []
    last, names = outline.last, outline.choices
    for name, variant in variants.items():
        ordered: Sequence[VisibilityStep] = variant
        if len(variant) > 1:
            ordered = sorted(variant, key=lambda step: last[id(step.property)], reverse=True)
        winner = ordered[0]
        prop = winner.property
        if winner.condition is not True or (prop.type == "fixedCollection" and prop.default):
            cut = next(
                (i for i, step in enumerate(ordered) if step.condition is True), len(ordered)
            )
            conditional.append(tuple(ordered[: cut + 1]))
            continue
        fillers[name] = prop
        value = given.get(name, MISSING) if name in names else MISSING
        result = _default_container(prop) if prop.type in CONTAINERS else prop.filled(value)
        if result is not MISSING:
            values[name] = result
    for name in names:
        fillers.pop(name, None)
    return values, fillers, tuple(conditional)


def _default_container(prop: Property) -> Any:
    """Returns the value that n8n uses for a container that is not given."""
    if prop.type == "fixedCollection":
        return {}
    if prop.multiple is True:
        return prop.default if isinstance(prop.default, list) else []
    return prop.default


def _find_suspects(
    declarations: Declarations, level: Level, final: KnownValues, inside: Route
) -> Iterable[Suspect]:
    """Yields the declarations whose issues n8n can see; it looks for nested ones at the root."""
    for suspect in level.suspects:
        left = _remaining_condition(suspect, final)
        if suspect.type == "collection":
            yield from _find_suspects(
                declarations, declarations.children(suspect), final, (*inside, suspect.name)
            )
        elif left is not False or suspect.raw.get("validateType"):
            yield Suspect(VisibilityStep(suspect, left), inside)


def _remaining_condition(prop: Property, known: KnownValues) -> OpenCondition:
    """Returns the undecided part of a declaration's condition."""
    condition = prop.condition
    return condition if condition.__class__ is bool else known.narrow(condition)  # type: ignore[arg-type]
