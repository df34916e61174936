"""What follows from the choices of a node (resource, operation, mode), worked out once for each.

Most conditions of a large node ask for such choices only. A plan has answered those: what remains
to be done for a node is to lay its values over the defaults and to ask the few other conditions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grounded_builder.diagnostics import Route
from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING
from grounded_builder.domains.n8n.parameters.parameter_outline import Outline, outline_of, tests_of
from grounded_builder.domains.n8n.parameters.partial_conditions import UNMET, Known
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    Declarations,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.visibility import Condition

_MOST_PLANS = 256

Open = Condition | bool


@dataclass(frozen=True, slots=True)
class VisibilityStep:
    """A declaration with what is left of its condition."""

    property: Property
    condition: Open

    def shown(self, level: Any, root: Any) -> bool:
        """Returns whether it is shown among these values."""
        condition = self.condition
        return condition if condition.__class__ is bool else condition.holds(level, root)  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class Suspect:
    """A declaration that n8n can find fault with; ``inside`` leads to the collection it is in."""

    step: VisibilityStep
    inside: Route


@dataclass(frozen=True, slots=True)
class VisibilityPlan:
    """The root level for one set of choices.

    ``fixed_values`` and ``final_values`` are the values of names nobody asks anything more about,
    as they are when not given; ``fixed_fillers`` and ``final_fillers`` say who fills them when
    given. The other names follow in ``conditional_fillers``, in n8n's order, and in
    ``final_conditional``, the last first.
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
    """Returns the plan for the choices among these values, made on first use."""
    plans = declarations.plans
    outline: Outline | None = plans.get(None)
    if outline is None:
        outline = plans[None] = outline_of(declarations.root)
    values = tuple([given.get(name, MISSING) for name in outline.choices])
    key = (values, tuple([value.__class__ for value in values]))
    try:
        known: VisibilityPlan | None = plans.get(key)
    except TypeError:  # a list or an object where a choice belongs
        return _make(declarations, outline, given)
    if known is None:
        if len(plans) > _MOST_PLANS:
            plans.clear()
            plans[None] = outline
        known = plans[key] = _make(declarations, outline, given)
    return known


def _make(declarations: Declarations, outline: Outline, given: Mapping[str, Any]) -> VisibilityPlan:
    steps, chosen, known = _settle_choices(outline, given)
    settled, settle, settling = _divide(steps, chosen)
    variants = _shown_by_name(outline, known)
    entries, keep, keeping = _plan_keeping(outline, variants, given)
    values = {name: entries.get(name, MISSING) for name in outline.choices}
    is_same = all(values[name] is chosen[name] for name in outline.choices)
    final = known if is_same else Known(values)
    suspects = tuple(_suspects(declarations, declarations.root, final, ()))
    return VisibilityPlan(settled, settle, settling, entries, keep, keeping, suspects, variants)


def _settle_choices(
    outline: Outline, given: Mapping[str, Any]
) -> tuple[list[VisibilityStep], dict[str, Any], Known]:
    """Walks n8n's order with the choices alone; gives the steps that may count, and the choices."""
    chosen: dict[str, Any] = dict.fromkeys(outline.choices, MISSING)
    known = Known(chosen)
    steps: list[VisibilityStep] = []
    for run in outline.runs:
        if run.first is not None and known.shows(run.first) == UNMET:
            continue
        for member in run.members:
            left = _left(member, known) if run.is_conditional else True
            if left is False:
                continue
            if member.name in chosen:
                chosen[member.name] = member.filled(given.get(member.name, MISSING))
                known.changed(member.name)
            else:
                steps.append(VisibilityStep(member, left))
    return steps, chosen, known


def _shown_by_name(outline: Outline, known: Known) -> dict[str, tuple[VisibilityStep, ...]]:
    """Returns the declarations of each name that may be shown, in the order of the names."""
    alive: list[tuple[int, VisibilityStep]] = []
    for group in outline.groups:
        if group.first is None or known.shows(group.first) != UNMET:
            for place, prop in group.members:
                left = _left(prop, known)
                if left is not False:
                    alive.append((place, VisibilityStep(prop, left)))
    alive.sort(key=_place)
    shown: dict[str, tuple[VisibilityStep, ...]] = {}
    for _, step in alive:
        name = step.property.name
        shown[name] = (*shown[name], step) if name in shown else (step,)
    return shown


def _place(one: tuple[int, VisibilityStep]) -> int:
    return one[0]


def _divide(
    steps: list[VisibilityStep], chosen: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Property], tuple[VisibilityStep, ...]]:
    """Part the names that a condition still stands before, or that one asks for, from the rest."""
    lively = {step.property.name for step in steps if step.condition is not True}
    for step in steps:
        if isinstance(step.condition, Condition):
            lively |= {_first(test.path) for test in tests_of(step.condition) if test.path}
    settle = {step.property.name: step.property for step in steps}
    for name in lively:
        settle.pop(name, None)
    settled = {name: value for name, value in chosen.items() if value is not MISSING}
    for name, prop in settle.items():
        value = prop.filled(MISSING)
        if value is not MISSING:
            settled[name] = value
    return settled, settle, tuple(step for step in steps if step.property.name in lively)


def _first(path: str) -> str:
    return path.partition(".")[0].partition("[")[0]


def _plan_keeping(
    outline: Outline, variants: Mapping[str, tuple[VisibilityStep, ...]], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Property], tuple[tuple[VisibilityStep, ...], ...]]:
    """States for each name who fills it in the end: of those shown the last in n8n's order."""
    entries: dict[str, Any] = {}
    keep: dict[str, Property] = {}
    keeping: list[tuple[VisibilityStep, ...]] = []
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
            keeping.append(tuple(ordered[: cut + 1]))
            continue
        keep[name] = prop
        value = given.get(name, MISSING) if name in names else MISSING
        result = _unset(prop) if prop.type in CONTAINERS else prop.filled(value)
        if result is not MISSING:
            entries[name] = result
    for name in names:
        keep.pop(name, None)
    return entries, keep, tuple(keeping)


def _unset(prop: Property) -> Any:
    """Returns what n8n puts in place of a container that is not given."""
    if prop.type == "fixedCollection":
        return {}
    if prop.multiple is True:
        return prop.default if isinstance(prop.default, list) else []
    return prop.default


def _suspects(
    declarations: Declarations, level: Level, final: Known, inside: Route
) -> Iterable[Suspect]:
    """The declarations whose faults n8n can see; children of collections it seeks at the root."""
    for suspect in level.suspects:
        left = _left(suspect, final)
        if suspect.type == "collection":
            yield from _suspects(
                declarations, declarations.children(suspect), final, (*inside, suspect.name)
            )
        elif left is not False or suspect.raw.get("validateType"):
            yield Suspect(VisibilityStep(suspect, left), inside)


def _left(prop: Property, known: Known) -> Open:
    """Returns what is left of the condition of a declaration."""
    condition = prop.condition
    return condition if condition.__class__ is bool else known.narrow(condition)  # type: ignore[arg-type]
