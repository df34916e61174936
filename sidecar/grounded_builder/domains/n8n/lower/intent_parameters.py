"""Converts a stated value (schedule, duration, text, field, task) to parameters of a node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grounded_builder.domains.n8n.catalog.compile_tool import NodeSpec
from grounded_builder.domains.n8n.lower.parameter_slots import Slot, best_slot, rank_slot, slots_of
from grounded_builder.domains.n8n.lower.parameters import fit
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.parameters.properties import Property
from grounded_builder.ir.intent import (
    Duration,
    Meaning,
    Reference,
    Schedule,
    Task,
    Value,
)

_NO_BRACES = str.maketrans("{}", "()")
_UNITS = frozenset({"seconds", "minutes", "hours", "days"})
# Parameters that select a node's operation; words for values never select them.
_OPERATION = frozenset({"resource", "operation"})
_EVERY = "returnAll"
_MESSAGE = "message"
_SAME_NAME = 2
"""The last rank of a slot that has the name, its words or its label (``rank_slot``)."""
_PLAIN_TYPES = frozenset({"string", "number", "resourceLocator", "dateTime"})


def express(spec: NodeSpec, preset: Mapping[str, Any], meaning: Meaning) -> dict[str, Any]:
    """Returns the parameters for a value; none where the node has no place for it."""
    match meaning:
        case Schedule():
            return _schedule(spec, preset, meaning)
        case Duration():
            return _duration(spec, preset, meaning)
        case Task():
            return _task(spec, preset, meaning)
        case Reference():
            value = f"={{{{ {meaning.step}.{meaning.field} }}}}"
            return _value_parameters(spec, preset, Value(meaning.kind, value))
        case Value():
            return _value_parameters(spec, preset, meaning)


def _task(spec: NodeSpec, preset: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """Returns the prompt parameters of a node that reads its prompt from elsewhere by default."""
    root = spec.declarations.root.by_name
    made = {"promptType": "define"}
    declared = root.get("promptType", ())
    offered = [option.get("value") for prop in declared for option in prop.raw.get("options") or ()]
    if "define" not in offered or not _shows(spec, {**preset, **made}, root.get("text", ())):
        return {}
    text = task.text.translate(_NO_BRACES)
    return {**made, "text": f"={text}\n\n{{{{ JSON.stringify($json) }}}}"}


def _schedule(spec: NodeSpec, preset: Mapping[str, Any], schedule: Schedule) -> dict[str, Any]:
    """Returns schedule rules or poll times, of which one option takes a cron expression."""
    for slot in slots_of(spec, preset):
        if not (slot.in_list and slot.shown and slot.declared.type == "options"):
            continue
        for option in ("cronExpression", "custom"):
            beside = _beside(spec, preset, slot, option)
            values = [
                option_value.get("value") for option_value in slot.declared.raw.get("options") or ()
            ]
            if option in values and beside is not None:
                entry = {slot.path[2]: option, beside: schedule.cron}
                return {slot.path[0]: {slot.path[1]: [entry]}}
    return {}


def _beside(spec: NodeSpec, preset: Mapping[str, Any], slot: Slot, option: str) -> str | None:
    """Returns the text field that this option of its neighbour shows."""
    for other in slots_of(spec, preset):
        if other.path[:2] != slot.path[:2] or other.declared.type != "string":
            continue
        shown = (other.declared.raw.get("displayOptions") or {}).get("show") or {}
        if shown.get(slot.path[2]) == [option]:
            return other.path[2]
    return None


def _duration(spec: NodeSpec, preset: Mapping[str, Any], duration: Duration) -> dict[str, Any]:
    level = spec.declarations.root.by_name
    if "amount" not in level or "unit" not in level or duration.unit not in _UNITS:
        return {}
    amount = int(duration.amount) if float(duration.amount).is_integer() else duration.amount
    made = {"amount": amount, "unit": duration.unit}
    return made if _shows(spec, {**preset, **made}, level["amount"]) else {}


def _value_parameters(spec: NodeSpec, preset: Mapping[str, Any], value: Value) -> dict[str, Any]:
    """Returns the parameters for a text of that name, with the choice of that name where needed."""
    root = spec.declarations.root.properties
    if value.kind == "method":
        return _pick_option(spec, preset, value)
    if value.kind == "all":
        every = tuple(prop for prop in root if (prop.name, prop.type) == (_EVERY, "boolean"))
        return {_EVERY: True} if _shows(spec, preset, every) else {}
    chosen = (
        {prop.name: value.kind}
        for prop in root
        if prop.type == "options"
        and prop.name not in preset
        and prop.name not in _OPERATION
        and value.kind in [option.get("value") for option in prop.raw.get("options") or ()]
        and _shows(spec, preset, (prop,))
    )
    for added in ({}, *chosen):
        made = _place_value(spec, {**preset, **added}, value)
        if made:
            return {**added, **made}
    return {}


def _pick_option(spec: NodeSpec, preset: Mapping[str, Any], value: Value) -> dict[str, Any]:
    """Returns the option of exactly this value, of a choice whose name ends in the kind
    (``httpMethod``).
    """
    for prop in spec.declarations.root.properties:
        offered = [option.get("value") for option in prop.raw.get("options") or ()]
        is_meant = prop.type == "options" and prop.name.casefold().endswith(value.kind)
        if is_meant and value.text in offered and _shows(spec, preset, (prop,)):
            return {prop.name: value.text}
    return {}


def _place_value(spec: NodeSpec, preset: Mapping[str, Any], value: Value) -> dict[str, Any]:
    shown = [slot for slot in slots_of(spec, preset) if slot.shown]
    fit_for_text = [slot for slot in shown if slot.declared.type in _PLAIN_TYPES]
    best = best_slot(value.kind, value.text, fit_for_text, set())
    rank = None if best is None else rank_slot(value.kind, best)
    if rank is not None and rank[0] > _SAME_NAME and value.kind != _MESSAGE:
        return {}  # the name of another thing that has the word among its own
    key = ".".join(best.path) if best is not None else value.kind
    fitting = fit(spec, preset, {key: value.text}, (), "")
    paths = [path for path in fitting.origin if all(isinstance(part, str) for part in path)]
    slots = {slot.path: slot for slot in slots_of(spec, fitting.parameters) if slot.shown}
    slot = slots.get(tuple(str(part) for part in paths[0])) if paths else None
    if slot is None or slot.declared.type not in _PLAIN_TYPES or slot.path[0] in preset:
        return {}
    if slot.declared.type == "number" and not value.text.isdigit():
        return {}
    is_id = slot.declared.type == "string" and slot.label.endswith(" ID")
    if is_id and not any(char.isdigit() for char in value.text):
        return {}  # a name where n8n looks up an id
    made = {name: value for name, value in fitting.parameters.items() if name not in preset}
    if set(made) - {slot.path[0]}:
        return {}  # only another operation would show it
    if slot.declared.type == "resourceLocator" and len(slot.path) == 1:
        made[slot.path[0]] = _locate(made[slot.path[0]], slot, value)
    return made


def _locate(value: Any, slot: Slot, request_value: Value) -> Any:
    """Returns a locator by name: requests contain names, ids only where names are not accepted."""
    modes = [mode.get("name") for mode in slot.declared.raw.get("modes") or ()]
    if request_value.kind == "url" or "name" not in modes or not isinstance(value, dict):
        return value
    return {**value, "mode": "name"}


def _shows(spec: NodeSpec, values: Mapping[str, Any], declared: tuple[Property, ...]) -> bool:
    simple, _ = fill(spec.declarations, dict(values))
    return any(prop.is_shown(simple, simple) for prop in declared)
