"""Fills node parameters with defaults at all depths and drops hidden ones, as n8n does.

The result equals that of NodeHelpers.getNodeParameters with defaults and without hidden values:
first the simple values of a level are determined, including hidden ones, then the shown values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grounded_builder.domains.n8n.parameters.javascript_semantics import MISSING, is_truthy
from grounded_builder.domains.n8n.parameters.properties import (
    CONTAINERS,
    Declarations,
    Level,
    Property,
)
from grounded_builder.domains.n8n.parameters.visibility_plan import VisibilityPlan, plan_for
from grounded_builder.ir.graph import ResolvedNode


@dataclass(frozen=True, slots=True)
class FilledParameters:
    """The root level of a node: visibility plan, simple values and filled parameters."""

    plan: VisibilityPlan
    simple: Mapping[str, Any]
    full: Mapping[str, Any]


def filled_parameters(bound: ResolvedNode) -> FilledParameters:
    """Returns the filled parameters of a node, cached on it; callers must not modify them."""
    known: FilledParameters | None = bound.memo.get("filling")
    if known is None:
        plan = plan_for(bound.spec.declarations, bound.node.params)
        simple, full = fill_planned(bound.spec.declarations, plan, bound.node.params)
        known = bound.memo["filling"] = FilledParameters(plan, simple, full)
    return known


def fill(declarations: Declarations, values: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fills the root level; returns its simple values and the filled parameters."""
    given = values if isinstance(values, Mapping) else {}
    return fill_planned(declarations, plan_for(declarations, given), given)


def fill_planned(
    declarations: Declarations, plan: VisibilityPlan, given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fills the root level with the visibility plan for these values."""
    simple = dict(plan.fixed_values)
    for name, value in given.items():
        if name in plan.fixed_fillers:
            _set_or_remove(simple, name, plan.fixed_fillers[name].filled(value))
    for step in plan.conditional_fillers:
        prop = step.property
        if step.is_shown(simple, simple):
            _set_or_remove(simple, prop.name, prop.filled(given.get(prop.name, MISSING)))
    full = dict(plan.final_values)
    for name, value in given.items():
        if name in plan.final_fillers:
            _set_or_remove(
                full, name, fill_value(declarations, plan.final_fillers[name], value, simple)
            )
    for steps in plan.final_conditional:
        for step in steps:
            if step.is_shown(simple, simple):
                prop = step.property
                value = given.get(prop.name, MISSING)
                _set_or_remove(full, prop.name, fill_value(declarations, prop, value, simple))
                break
    return simple, full


def fill_value(declarations: Declarations, prop: Property, value: Any, root: Any) -> Any:
    """Fills one shown declaration; MISSING yields its default."""
    if prop.type == "collection":
        return fill_collection(declarations, prop, value, root)
    if prop.type == "fixedCollection":
        return fill_fixed_collection(declarations, prop, value, root)
    return prop.filled(value)


def fill_nested_level(
    declarations: Declarations, level: Level, values: Any, root: Any, *, in_collection: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fills a level below the root; ``root`` holds the simple values of the root level."""
    if not is_truthy(values):
        return {}, {}
    simple: dict[str, Any] = {}
    if level.conditional:
        simple = fill_simple_values(level, values, root, in_collection=in_collection)
    return simple, fill_shown_values(
        declarations, level, values, simple, root, in_collection=in_collection
    )


def fill_simple_values(
    level: Level, values: Any, root: Any, *, in_collection: bool
) -> dict[str, Any]:
    """Returns the simple values of a level with defaults.

    Hidden values remain if their name is declared once.
    """
    given = values if values.__class__ is dict else {}
    filled: dict[str, Any] = {}
    duplicated = level.duplicated
    for prop in level.order:
        if prop.type in CONTAINERS:
            continue
        name = prop.name
        value = given.get(name, MISSING)
        if value is MISSING and in_collection:
            continue
        if name in duplicated and not prop.is_shown(filled, root):
            continue
        _set_or_remove(filled, name, prop.filled(value))
    return filled


def fill_shown_values(
    declarations: Declarations,
    level: Level,
    values: Any,
    simple: dict[str, Any],
    root: Any,
    *,
    in_collection: bool,
) -> dict[str, Any]:
    """Returns all shown values of a level, filled at all depths; the last of equal names wins."""
    given = values if values.__class__ is dict else {}
    full: dict[str, Any] = {}
    for prop in level.order:
        value = given.get(prop.name, MISSING)
        if (value is MISSING and in_collection) or not prop.is_shown(simple, root):
            continue
        _set_or_remove(full, prop.name, fill_value(declarations, prop, value, root))
    return full


def fill_collection(declarations: Declarations, prop: Property, value: Any, root: Any) -> Any:
    """Fills a collection; its children get no defaults."""
    if prop.multiple is True:
        if value is not MISSING:
            return value
        return prop.default if isinstance(prop.default, list) else []
    if value is MISSING:
        return prop.default
    level = declarations.children(prop)
    return fill_nested_level(declarations, level, value, root, in_collection=True)[1]


def fill_fixed_collection(
    declarations: Declarations, prop: Property, value: Any, root: Any
) -> dict[str, Any]:
    """Fills the groups that are set; drops unknown groups and empty single ones."""
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
                fill_nested_level(declarations, level, item, root, in_collection=False)[1]
                for item in items
            ]
        else:
            single = fill_nested_level(declarations, level, entry, root, in_collection=False)[1]
            if single:
                filled[name] = single
    return filled


def _set_or_remove(values: dict[str, Any], name: str, value: Any) -> None:
    """Sets a value, or removes it if the new value is undefined."""
    if value is MISSING:
        values.pop(name, None)
    else:
        values[name] = value
