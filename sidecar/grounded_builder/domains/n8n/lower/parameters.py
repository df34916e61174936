"""Fits the loosely named parameters of a step into those of its node."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from grounded_builder.catalog.likeness import find_nearest
from grounded_builder.compiler.unread_keys import states_nothing
from grounded_builder.diagnostics import Diagnostic, Route, Rule, new_diagnostic
from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.durations import read_duration
from grounded_builder.domains.n8n.lower.parameter_slots import (
    SINGLE,
    Slot,
    best_slot,
    rank_slot,
    slots_of,
)
from grounded_builder.domains.n8n.lower.parameter_words import words
from grounded_builder.domains.n8n.lower.schedule import as_schedule, show_schedule
from grounded_builder.domains.n8n.lower.values import fit_shape
from grounded_builder.domains.n8n.parameters.cron import find_cron_fault
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.ir.rules.parameters import RENAMED_PARAMETER, UNPLACED_VALUE
from grounded_builder.ir.rules.reading import LOOSE_SHAPE

ADDED_SETTING = Rule.info(
    "GB343", "added-setting", "A setting was added that a written parameter needs."
)

_NAMED = 12
_CONVERTS = "looseTypeValidation"
_LOOSE = 3  # the class of `rank_slot` from which names share only some words


@dataclass(slots=True)
class Fitting:
    """The parameters fitted so far; ``origin`` maps a path in them to the draft's key.

    ``places`` are routes in the draft of parameters that are not written among the others.
    ``loose`` is how many drafted keys are no names of parameters.
    """

    parameters: dict[str, Any]
    origin: dict[tuple[str | int, ...], str] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    places: dict[str, Route] = field(default_factory=dict)
    fixed: frozenset[str] = frozenset()
    loose: int = 0


def fit(
    spec: NodeSpec,
    preset: Mapping[str, Any],
    params: Mapping[str, Any],
    at: Route,
    node: str,
    fixed: Collection[str] = (),
) -> Fitting:
    """Fits drafted parameters; those without a place are reported by name and omitted.

    A parameter that is hidden is shown by what one setting of others does, except of the ``fixed``.
    """
    fitting = Fitting(dict(preset), fixed=frozenset(fixed))
    # Values are put into the collections of the draft, which may be fitted again for another tool.
    params = {key: deepcopy(value) for key, value in params.items()}
    texts = {key: _times_slot(key, params[key], spec, preset) for key in params}
    exact = [key for key in params if not texts[key] and _is_exact(key, params, spec, preset)]
    fitting.loose = len(params) - len(exact)
    for key in exact:
        value = _first_shaped(params[key], spec.declarations.root.by_name[key], spec, fitting)
        fitting.parameters[key] = value
        fitting.origin[(key,)] = key
    for key in exact:
        _split_duration(key, params, spec, fitting)
    for key in exact:
        _reveal_exact(key, spec, fitting, at, node)
    for key in exact:
        _yield_to_shown(key, set(exact), spec, fitting)
    exact = [key for key in exact if key in fitting.parameters]
    taken: set[tuple[str, ...]] = {(key,) for key in exact}
    taken |= {(key,) for key in preset if key in fitting.fixed}
    for key in params:
        if key in fitting.parameters and (key,) in fitting.origin:
            continue
        slots = slots_of(spec, fitting.parameters)
        slot = texts[key]
        if slot is None or not _put(slot, params[key], spec, fitting):
            slot = _place(key, params[key], slots, taken, spec, fitting)
        if slot is None and states_nothing(params[key]):
            note = f'{spec.id} has no parameter for "{key}" here; its empty value was not used'
            fitting.diagnostics.append(new_diagnostic(LOOSE_SHAPE, (*at, key), note, node=node))
            continue
        if slot is None:
            fitting.diagnostics.append(_report_unplaced(key, slots, at, node, spec))
            continue
        taken.add(slot.path)
        fitting.origin[slot.path] = key
        if slot.path != (key,):
            fitting.diagnostics.append(_report_renamed(key, slot, at, node))
    _convert_types_of_filters(spec, fitting)
    return fitting


def _is_exact(
    key: str, params: Mapping[str, Any], spec: NodeSpec, preset: Mapping[str, Any]
) -> bool:
    """Returns whether a key names a parameter: not a hidden single one for a group of values."""
    declared = spec.declarations.root.by_name.get(key, ())
    if not isinstance(params[key], dict | list) or any(p.type not in SINGLE for p in declared):
        return bool(declared)
    named = {
        name: value for name, value in params.items() if name in spec.declarations.root.by_name
    }
    simple, _ = fill(spec.declarations, {**preset, **named})
    return any(prop.is_shown(simple, simple) for prop in declared)


def _convert_types_of_filters(spec: NodeSpec, fitting: Fitting) -> None:
    """Lets n8n convert types where a filter asks for it; the editor reads this setting."""
    filters = [value for value in fitting.parameters.values() if isinstance(value, dict)]
    options = [value["options"] for value in filters if isinstance(value.get("options"), dict)]
    declared = spec.declarations.root.by_name.get(_CONVERTS, ())
    if _CONVERTS in fitting.parameters or not any(
        chosen.get("typeValidation") == "loose" for chosen in options
    ):
        return
    simple, _ = fill(spec.declarations, dict(fitting.parameters))
    if any(prop.is_shown(simple, simple) for prop in declared):
        fitting.parameters[_CONVERTS] = True


def _place(
    key: str,
    value: Any,
    slots: list[Slot],
    taken: set[tuple[str, ...]],
    spec: NodeSpec,
    fitting: Fitting,
) -> Slot | None:
    """Puts a value into the slot that its name means best and returns it, None without one.

    Where that slot cannot be shown, another one of the same words takes the value.
    """
    slot = best_slot(key, value, slots, taken)
    if slot is None or _is_loose(key, slot):
        by_option = _place_by_option(key, value, slots, taken, spec, fitting)
        if by_option is not None:
            return by_option
        by_times = _place_times(value, slots, taken, spec, fitting) or _place_duration(
            value, slots, taken, fitting
        )
        if by_times is not None:
            return by_times
        if slot is not None and (states_nothing(value) or _is_other_kind(value, slot)):
            return None
    while slot is not None and not _put(slot, value, spec, fitting):
        path = slot.path
        slots = [other for other in slots if other.shown or other.path != path]
        slots = [other for other in slots if other.path != path or not slot.shown]
        slot = best_slot(key, value, slots, taken)
        if slot is not None and _is_loose(key, slot):
            return None
    return slot


def _is_loose(key: str, slot: Slot) -> bool:
    rank = rank_slot(key, slot)
    return rank is None or rank[0] >= _LOOSE


def _place_by_option(
    key: str,
    value: Any,
    slots: list[Slot],
    taken: set[tuple[str, ...]],
    spec: NodeSpec,
    fitting: Fitting,
) -> Slot | None:
    """Puts a value beside the one choice that has an option of this name, if it shows one field.

    Of ``{"cron": "0 8 * * *"}`` the option is "Custom (Cron)" and the field ``expression``.
    """
    wanted = set(words(key))
    if isinstance(value, dict | list) or not wanted:
        return None
    fields = [
        slot
        for choice in slots
        if choice.shown and len(choice.path) > 1 and choice.declared.type == "options"
        for option in choice.declared.raw.get("options") or ()
        if wanted <= {*words(str(option.get("value"))), *words(str(option.get("name")))}
        for slot in slots
        if slot.path[:-1] == choice.path[:-1]
        and slot.path not in taken
        and (slot.declared.raw.get("displayOptions") or {}).get("show")
        == {choice.path[-1]: [option.get("value")]}
    ]
    if len(fields) != 1 or not _put(fields[0], value, spec, fitting):
        return None
    return fields[0]


def _place_times(
    value: Any, slots: list[Slot], taken: set[tuple[str, ...]], spec: NodeSpec, fitting: Fitting
) -> Slot | None:
    """Puts times in words into the one parameter of a schedule that is shown and free.

    Where other keys are loose too, the times may be stated by several of them together.
    """
    if fitting.loose > 1:
        return None
    free = [
        slot
        for slot in slots
        if len(slot.path) == 1
        and slot.shown
        and slot.declared.type == "fixedCollection"
        and not any(path[0] == slot.path[0] for path in taken)
        and as_schedule(value, slot.declared) is not value
    ]
    return free[0] if len(free) == 1 and _put(free[0], value, spec, fitting) else None


def _is_other_kind(value: Any, slot: Slot) -> bool:
    """Returns whether a text is none of a number or a choice, so that only words are shared."""
    made = fit_shape(value, slot.declared)
    if not isinstance(made, str) or made.startswith("="):
        return False
    return slot.declared.type in ("number", "boolean")


def _put(slot: Slot, value: Any, spec: NodeSpec, fitting: Fitting) -> bool:
    """Puts a value into a slot, revealing the slot where one setting does it; returns False when
    the slot stays hidden or has a value.
    """
    root = spec.declarations.root.by_name[slot.path[0]]
    # What is inside a collection needs this one, not another of the same name.
    shown_by = root if len(slot.path) == 1 else (slot.root,)
    if _has_value(slot, fitting) or (not slot.shown and not _reveal(shown_by, spec, fitting)):
        return False
    made = (
        _first_shaped(value, root, spec, fitting)
        if len(slot.path) == 1
        else fit_shape(value, slot.declared)
    )
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
    _select_beside(slot.declared, place)
    return True


def _has_value(slot: Slot, fitting: Fitting) -> bool:
    """Returns whether a nested slot has a value already."""
    place: Any = fitting.parameters
    for step in slot.path:
        if isinstance(place, list):
            place = place[0] if place else None
        if not isinstance(place, dict) or step not in place:
            return False
        place = place[step]
    return len(slot.path) > 1


def _select_beside(declared: Property, place: dict[str, Any]) -> None:
    """Sets the choices beside a nested parameter without which it is hidden, unless written."""
    wanted = (declared.raw.get("displayOptions") or {}).get("show")
    for key, values in (wanted if isinstance(wanted, dict) else {}).items():
        if key[0] not in "@/" and isinstance(values, list) and len(values) == 1:
            place.setdefault(key, values[0])


def _split_duration(key: str, params: Mapping[str, Any], spec: NodeSpec, fitting: Fitting) -> None:
    """Replaces a duration in words, written for a number, by the number and its unit."""
    slots = slots_of(spec, fitting.parameters) if isinstance(params[key], str) else []
    shown = [slot.declared for slot in slots if slot.shown and len(slot.path) == 1]
    if not any(prop.name == key and prop.type == "number" for prop in shown):
        return
    read = read_duration(params[key], shown)
    if read is not None and read[1] not in params:
        fitting.parameters |= {key: read[0], read[1]: read[2]}
        fitting.origin[(read[1],)] = key


def _place_duration(
    value: Any, slots: list[Slot], taken: set[tuple[str, ...]], fitting: Fitting
) -> Slot | None:
    """Puts a duration in words into the one number with a unit beside it that is shown and free."""
    if fitting.loose > 1 or not isinstance(value, str):
        return None
    root = [slot for slot in slots if slot.shown and len(slot.path) == 1]
    read = read_duration(value, (slot.declared for slot in root))
    free = [slot for slot in root if slot.declared.type == "number" and slot.path not in taken]
    if read is None or len(free) != 1 or (read[1],) in taken:
        return None
    fitting.parameters |= {free[0].path[0]: read[0], read[1]: read[2]}
    return free[0]


def _times_slot(key: str, value: Any, spec: NodeSpec, preset: Mapping[str, Any]) -> Slot | None:
    """Returns the place of a cron expression that is written for a whole list of times."""
    declared = spec.declarations.root.by_name.get(key, ())
    is_list = any(prop.type == "fixedCollection" for prop in declared)
    if not is_list or not isinstance(value, str) or find_cron_fault(value) is not None:
        return None
    inside = [slot for slot in slots_of(spec, preset) if slot.in_list and slot.path[0] == key]
    return best_slot("cronExpression", value, inside, set())


def _reveal(candidates: tuple[Property, ...], spec: NodeSpec, fitting: Fitting) -> bool:
    """Sets the values that show a hidden parameter, unless the draft or the tool sets others."""
    for candidate in candidates:
        wanted = (candidate.raw.get("displayOptions") or {}).get("show")
        if not isinstance(wanted, dict) or any(key[0] in "@/" for key in wanted):
            continue
        simple, _ = fill(spec.declarations, dict(fitting.parameters))
        added = {
            key: next((v for v in values if _offers(key, v, spec, simple)), values[0])
            for key, values in wanted.items()
            if isinstance(values, list) and values and simple.get(key) not in values
        }
        held = fitting.parameters.keys() | fitting.fixed
        if any(key in held or isinstance(v, dict) for key, v in added.items()):
            continue
        tried = {**fitting.parameters, **added}
        simple, _ = fill(spec.declarations, dict(tried))
        is_offered = all(_offers(key, value, spec, simple) for key, value in added.items())
        if is_offered and candidate.is_shown(simple, simple):
            fitting.parameters.update(added)
            return True
    return False


def _offers(key: str, value: Any, spec: NodeSpec, simple: Mapping[str, Any]) -> bool:
    """Returns whether a parameter takes a value with these settings: one of its shown options."""
    return any(
        prop.type != "options"
        or value in [o.get("value") for o in prop.raw.get("options") or () if isinstance(o, dict)]
        for prop in spec.declarations.root.by_name.get(key, ())
        if prop.is_shown(simple, simple)
    )


def _reveal_exact(key: str, spec: NodeSpec, fitting: Fitting, at: Route, node: str) -> None:
    """Shows a hidden parameter that the draft names exactly, if one set of choices shows it."""
    declared = spec.declarations.root.by_name[key]
    simple, _ = fill(spec.declarations, dict(fitting.parameters))
    if any(prop.is_shown(simple, simple) for prop in declared):
        return
    before = dict(fitting.parameters)
    for prop in declared:
        if _reveal((prop,), spec, fitting):
            added = {k: v for k, v in fitting.parameters.items() if k not in before}
            text = ", ".join(f"{name}={value}" for name, value in added.items())
            message = f'"{key}" needs {text}, which was set'
            fitting.diagnostics.append(
                new_diagnostic(ADDED_SETTING, (*at, key), message, node=node)
            )
            return


def _yield_to_shown(key: str, exact: Collection[str], spec: NodeSpec, fitting: Fitting) -> None:
    """Removes a parameter that stays hidden where a shown one of the same words can take it.

    Mattermost's message/post shows ``channelId``, while ``channel`` belongs to another operation.
    """
    declared = spec.declarations.root.by_name[key]
    simple, _ = fill(spec.declarations, dict(fitting.parameters))
    if key in fitting.fixed or any(prop.is_shown(simple, simple) for prop in declared):
        return
    slots = [slot for slot in slots_of(spec, fitting.parameters) if slot.shown]
    shown = [
        slot
        for slot in slots
        if slot.path[0] not in exact and (len(slot.path) == 1 or slot.path[-1] == key)
    ]
    slot = best_slot(key, fitting.parameters[key], shown, set())
    if slot is not None and not _is_loose(key, slot):
        del fitting.parameters[key], fitting.origin[(key,)]


def _first_shaped(
    value: Any, declared: tuple[Property, ...], spec: NodeSpec, fitting: Fitting
) -> Any:
    """Shapes a value for the shown declaration of its name, else for the first."""
    simple, _ = fill(spec.declarations, dict(fitting.parameters))
    shown = next((prop for prop in declared if prop.is_shown(simple, simple)), declared[0])
    made = fit_shape(value, shown)
    if shown.type == "fixedCollection" and isinstance(made, dict):
        _fit_filters_inside(made, shown, spec)
    return made


def _fit_filters_inside(groups: dict[str, Any], declared: Property, spec: NodeSpec) -> None:
    """Shapes the filters in the entries of a collection, such as the rules of Switch."""
    for name, entries in groups.items():
        level = spec.declarations.group(declared, name)
        filters = [prop for prop in level.properties if prop.type == "filter"] if level else []
        for entry in entries if isinstance(entries, list) else [entries]:
            for prop in filters if isinstance(entry, dict) else ():
                if prop.name in entry:
                    entry[prop.name] = fit_shape(entry[prop.name], prop)


def _report_renamed(key: str, slot: Slot, at: Route, node: str) -> Diagnostic:
    return new_diagnostic(
        RENAMED_PARAMETER, (*at, key), f'"{key}" is the parameter {".".join(slot.path)}', node=node
    )


def _report_unplaced(
    key: str, slots: list[Slot], at: Route, node: str, spec: NodeSpec
) -> Diagnostic:
    names = list(dict.fromkeys(".".join(slot.path) for slot in slots if slot.shown))
    near = find_nearest(key, names)
    names = list(dict.fromkeys((*near, *names)))
    shape = next((text for s in slots if s.shown and (text := show_schedule(s.declared))), "")
    return new_diagnostic(
        UNPLACED_VALUE,
        (*at, key),
        f'{spec.id} has no parameter for "{key}" here; its value was not used',
        help=f"{shape}its parameters: {', '.join(names[:_NAMED])}"
        + (", ..." if len(names) > _NAMED else ""),
        node=node,
        token=key,
        alternatives=near,
    )
