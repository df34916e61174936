"""Fit the loosely named parameters of a step into those of its node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.parameter_slots import Slot, best_slot, slots_of
from grounded_builder.domains.n8n.lower.values import fit_shape
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.ir.rules.parameters import RENAMED_PARAMETER, UNPLACED_VALUE

_NAMED = 12


@dataclass(slots=True)
class Fitting:
    """The parameters fitted so far; ``origin`` maps a path in them to the draft's key."""

    parameters: dict[str, Any]
    origin: dict[tuple[str | int, ...], str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def fit(
    spec: NodeSpec, preset: Mapping[str, Any], params: Mapping[str, Any], at: Route, node: str
) -> Fitting:
    """Fits drafted parameters; those without a place are reported by name and omitted."""
    fitting = Fitting(dict(preset))
    exact = [key for key in params if key in spec.declarations.root.by_name]
    for key in exact:
        value = _first_shaped(params[key], spec.declarations.root.by_name[key], spec, fitting)
        fitting.parameters[key] = value
        fitting.origin[(key,)] = key
    taken: set[tuple[str, ...]] = {(key,) for key in exact}
    for key in params:
        if key in fitting.parameters and (key,) in fitting.origin:
            continue
        slots = slots_of(spec, fitting.parameters)
        slot = best_slot(key, params[key], slots, taken)
        if slot is None or not _put(slot, params[key], spec, fitting):
            fitting.diagnostics.append(_report_unplaced(key, slots, at, node, spec))
            continue
        taken.add(slot.path)
        fitting.origin[slot.path] = key
        if slot.path != (key,):
            fitting.diagnostics.append(_report_renamed(key, slot, at, node))
    return fitting


def _put(slot: Slot, value: Any, spec: NodeSpec, fitting: Fitting) -> bool:
    """Puts a value into a slot, revealing the slot where one setting does it; returns False when
    hidden.
    """
    root = spec.declarations.root.by_name[slot.path[0]]
    if not slot.shown and not _reveal(root, slot, spec, fitting):
        return False
    made = fit_shape(value, slot.declared)
    place: Any = fitting.parameters
    if len(slot.path) == 1:
        place[slot.path[0]] = made
        return True
    *outer, last = slot.path
    for step in outer[:-1] if slot.in_list else outer:
        place = place.setdefault(step, {})
        if not isinstance(place, dict):
            return False
    if slot.in_list:
        groups = place.setdefault(outer[-1], [{}])
        place = groups[0] if isinstance(groups, list) and groups else None
    if not isinstance(place, dict):
        return False
    place[last] = made
    return True


def _reveal(candidates: tuple[Property, ...], slot: Slot, spec: NodeSpec, fitting: Fitting) -> bool:
    """Sets the values that show a hidden parameter, unless the draft or the tool sets others."""
    for candidate in candidates:
        if len(slot.path) == 1 and candidate is not slot.declared:
            continue
        wanted = (candidate.raw.get("displayOptions") or {}).get("show")
        if not isinstance(wanted, dict) or any(key[0] in "@/" for key in wanted):
            continue
        simple, _ = fill(spec.declarations, dict(fitting.parameters))
        added = {
            key: values[0]
            for key, values in wanted.items()
            if isinstance(values, list) and values and simple.get(key) not in values
        }
        if any(key in fitting.parameters or isinstance(v, dict) for key, v in added.items()):
            continue
        tried = {**fitting.parameters, **added}
        simple, _ = fill(spec.declarations, dict(tried))
        if candidate.is_shown(simple, simple):
            fitting.parameters.update(added)
            return True
    return False


def _first_shaped(
    value: Any, declared: tuple[Property, ...], spec: NodeSpec, fitting: Fitting
) -> Any:
    """Shapes a value for the shown declaration of its name, else for the first."""
    simple, _ = fill(spec.declarations, dict(fitting.parameters))
    shown = next((prop for prop in declared if prop.is_shown(simple, simple)), declared[0])
    return fit_shape(value, shown)


def _report_renamed(key: str, slot: Slot, at: Route, node: str) -> Diagnostic:
    return new_diagnostic(
        RENAMED_PARAMETER, (*at, key), f'"{key}" is the parameter {".".join(slot.path)}', node=node
    )


def _report_unplaced(
    key: str, slots: list[Slot], at: Route, node: str, spec: NodeSpec
) -> Diagnostic:
    names = list(dict.fromkeys(".".join(slot.path) for slot in slots if slot.shown))
    near = find_nearest(key, names)
    return new_diagnostic(
        UNPLACED_VALUE,
        (*at, key),
        f'{spec.id} has no parameter for "{key}" here; its value was not used',
        help=f"its parameters: {', '.join(names[:_NAMED])}{', ...' if len(names) > _NAMED else ''}",
        node=node,
        token=key,
        alternatives=near,
    )
