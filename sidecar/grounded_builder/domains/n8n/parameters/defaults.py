"""Fill in defaults and drop what is not shown, as n8n does before it looks at parameters.

The result is that of NodeHelpers.getNodeParameters with defaults and without hidden values: first
the simple values of a level are settled, hidden ones too, then everything shown among them is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, is_true
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    Declarations,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.visibility_plan import VisibilityPlan, plan_for
from grounded_builder.ir.graph import ResolvedNode


@dataclass(frozen=True, slots=True)
class Filling:
    """The root level of a node: its plan, the settled simple values, the filled parameters."""

    plan: VisibilityPlan
    simple: Mapping[str, Any]
    full: Mapping[str, Any]


def filling_of(bound: ResolvedNode) -> Filling:
    """The filled parameters of a bound node, worked out once for all passes; nobody writes them."""
    known: Filling | None = bound.memo.get("filling")
    if known is None:
        plan = plan_for(bound.spec.declarations, bound.node.params)
        simple, full = fill_planned(bound.spec.declarations, plan, bound.node.params)
        known = bound.memo["filling"] = Filling(plan, simple, full)
    return known


def fill(declarations: Declarations, values: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fills the root level; returns the settled simple values and the filled parameters."""
    given = values if isinstance(values, Mapping) else {}
    return fill_planned(declarations, plan_for(declarations, given), given)


def fill_planned(
    declarations: Declarations, plan: VisibilityPlan, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the same with the plan for these values at hand."""
    simple = dict(plan.fixed_values)
    for name, value in given.items():
        if name in plan.fixed_fillers:
            _put(simple, name, plan.fixed_fillers[name].filled(value))
    for step in plan.conditional_fillers:
        prop = step.property
        if step.shown(simple, simple):
            _put(simple, prop.name, prop.filled(given.get(prop.name, MISSING)))
    full = dict(plan.final_values)
    for name, value in given.items():
        if name in plan.final_fillers:
            _put(full, name, fill_value(declarations, plan.final_fillers[name], value, simple))
    for steps in plan.final_conditional:
        for step in steps:
            if step.shown(simple, simple):
                prop = step.property
                value = given.get(prop.name, MISSING)
                _put(full, prop.name, fill_value(declarations, prop, value, simple))
                break
    return simple, full


def fill_value(declarations: Declarations, prop: Property, value: Any, root: Any) -> Any:
    """Fills one declaration that is shown; MISSING in gives its default."""
    if prop.type == "collection":
        return fill_collection(declarations, prop, value, root)
    if prop.type == "fixedCollection":
        return fill_fixed(declarations, prop, value, root)
    return prop.filled(value)


def fill_below(
    declarations: Declarations, level: Level, values: Any, root: Any, *, in_collection: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fills a level below the root; ``root`` holds the settled simple values of the root level."""
    if not is_true(values):
        return {}, {}
    simple: dict[str, Any] = {}
    if level.conditional:
        simple = settle_simple(level, values, root, in_collection=in_collection)
    return simple, keep_shown(
        declarations, level, values, simple, root, in_collection=in_collection
    )


def settle_simple(level: Level, values: Any, root: Any, *, in_collection: bool) -> dict[str, Any]:
    """The simple values of a level with defaults; names that are declared once stay when hidden."""
    given = values if values.__class__ is dict else {}
    settled: dict[str, Any] = {}
    duplicated = level.duplicated
    for prop in level.order:
        if prop.type in CONTAINERS:
            continue
        name = prop.name
        value = given.get(name, MISSING)
        if value is MISSING and in_collection:
            continue
        if name in duplicated and not prop.shown(settled, root):
            continue
        _put(settled, name, prop.filled(value))
    return settled


def keep_shown(
    declarations: Declarations,
    level: Level,
    values: Any,
    simple: dict[str, Any],
    root: Any,
    *,
    in_collection: bool,
) -> dict[str, Any]:
    """Everything shown at a level, filled at all depths; of equal names the last one stays."""
    given = values if values.__class__ is dict else {}
    full: dict[str, Any] = {}
    for prop in level.order:
        value = given.get(prop.name, MISSING)
        if (value is MISSING and in_collection) or not prop.shown(simple, root):
            continue
        _put(full, prop.name, fill_value(declarations, prop, value, root))
    return full


def fill_collection(declarations: Declarations, prop: Property, value: Any, root: Any) -> Any:
    """Fills a collection: its children get no defaults."""
    if prop.multiple is True:
        if value is not MISSING:
            return value
        return prop.default if isinstance(prop.default, list) else []
    if value is MISSING:
        return prop.default
    level = declarations.children(prop)
    return fill_below(declarations, level, value, root, in_collection=True)[1]


def fill_fixed(declarations: Declarations, prop: Property, value: Any, root: Any) -> dict[str, Any]:
    """Fills the groups that are set; unknown groups and empty single ones are dropped."""
    source = prop.default if value is MISSING else value
    filled: dict[str, Any] = {}
    if source.__class__ is not dict:
        return filled
    for name, entry in source.items():
        level = declarations.group(prop, name)
        if level is None:
            continue
        if prop.multiple is True:
            items = entry if isinstance(entry, list | str) else ()
            filled[name] = [
                fill_below(declarations, level, item, root, in_collection=False)[1]
                for item in items
            ]
        else:
            single = fill_below(declarations, level, entry, root, in_collection=False)[1]
            if single:
                filled[name] = single
    return filled


def _put(values: dict[str, Any], name: str, value: Any) -> None:
    """Set a value; undefined unsets it."""
    if value is MISSING:
        values.pop(name, None)
    else:
        values[name] = value
