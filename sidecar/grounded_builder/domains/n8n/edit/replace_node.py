"""Replaces the tool of a node, sets its parameters, or enables or disables it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from grounded_builder.diagnostics import Route, new_diagnostic
from grounded_builder.domains.n8n.analysis.ports import effective_parameters
from grounded_builder.domains.n8n.analysis.start_nodes import is_start
from grounded_builder.domains.n8n.edit.build_node import (
    choose_tool,
    fit_parameters,
    with_settings,
)
from grounded_builder.domains.n8n.edit.document import Canvas
from grounded_builder.domains.n8n.edit.nodes_in_request import find_node
from grounded_builder.domains.n8n.edit.rename_node import is_referenced, rename_everywhere
from grounded_builder.domains.n8n.edit.select_tool import most_similar
from grounded_builder.domains.n8n.lower.lower import version_number
from grounded_builder.domains.n8n.lower.parameter_slots import best_slot, slots_of
from grounded_builder.domains.n8n.lower.parameters import fit
from grounded_builder.domains.n8n.parameters.defaults import fill
from grounded_builder.domains.n8n.step_settings import STEP_SETTINGS
from grounded_builder.ir.edit_operations import Position, Replace, Set, Switch
from grounded_builder.ir.graph import ResolvedNode
from grounded_builder.ir.lowering import StepResolution
from grounded_builder.ir.plan import Step
from grounded_builder.ir.resolution import Resolution
from grounded_builder.ir.rules.parameters import UNPLACED_VALUE
from grounded_builder.resolve.diagnose import UNKNOWN_TOOL

_PLAIN = frozenset({"string", "number", "boolean", "dateTime"})


def replace_node(change: Replace, canvas: Canvas) -> None:
    """Replaces the tool of a node; id, position, edges and common parameters stay."""
    name = find_node(change.node, change.at, canvas)
    if name is None:
        return
    old = canvas.resolved_node(name)
    is_first = old.spec is not None and is_start(old)
    spot = Position("beside" if is_first else "after", (name,), change.at)
    choice = choose_tool(change.step, spot, canvas)
    if choice is None or choice.tool is None:
        return
    tool, choice = choice.tool, with_settings(choice, canvas)
    preset = _operation(old, choice, change.at, canvas)
    parameters = fit_parameters(choice, preset, name, canvas)
    carried = _carry_values(old, parameters, choice)
    entry = canvas.node(name)
    entry["parameters"] = carried
    entry["type"] = tool.id
    entry |= {key: setting.value for key, setting in choice.step.settings.items()}
    entry["typeVersion"] = version_number(choice.version)
    _keep_credentials(entry, choice)
    if "webhookId" in entry and not choice.spec.traits.get("webhooks"):
        del entry["webhookId"]
    before = old.tool.name if old.tool is not None else str(old.node.tool)
    canvas.notes.append(f'"{name}": {before} replaced by {tool.name}')
    _rename_after(name, before, tool.name, canvas)


def set_parameters(change: Set, canvas: Canvas) -> None:
    """Fits values into the parameters of a node; a value of None removes one."""
    name = find_node(change.node, change.at, canvas)
    if name is None:
        return
    bound = canvas.resolved_node(name)
    if bound.spec is None or bound.tool is None:
        message = f'the tool of "{name}" is not known: its parameters cannot be set'
        hint = "replace the node, or correct its type"
        canvas.diagnostics.append(
            new_diagnostic(UNKNOWN_TOOL, change.at, message, help=hint, node=name)
        )
        return
    present = deepcopy(dict(bound.node.params))
    values = {}
    for key, value in change.params.items():
        if value is None:
            present.pop(key, None)
            if key in STEP_SETTINGS:
                canvas.node(name).pop(key, None)
        else:
            values[key] = value
    step = Step(name, change.at, tool=bound.tool.id, params=values, params_at=change.params_at)
    choice = StepResolution(
        step,
        Resolution("resolved", bound.tool.id, {}, 1.0, "exact", ()),
        bound.tool,
        bound.version,
        bound.spec,
    )
    choice = with_settings(choice, canvas)
    settings = {key: setting.value for key, setting in choice.step.settings.items()}
    parameters = fit_parameters(choice, present, name, canvas)
    stated = {key: None for key in change.params if key in STEP_SETTINGS} | settings
    changed = any(bound.node.source.get(key) != value for key, value in stated.items())
    if parameters == bound.node.params and not changed:
        canvas.notes.append(f'"{name}" already has these values')
        return
    canvas.node(name)["parameters"] = parameters
    canvas.node(name).update(settings)
    canvas.notes.append(f'"{name}": {", ".join(change.params)} set')


def switch(change: Switch, canvas: Canvas) -> None:
    """Enables or disables a node."""
    name = find_node(change.node, change.at, canvas)
    if name is None:
        return
    entry = canvas.node(name)
    if change.on:
        entry.pop("disabled", None)
    else:
        entry["disabled"] = True
    canvas.notes.append(f'"{name}": {"enabled" if change.on else "disabled"}')


def _operation(
    old: ResolvedNode, choice: StepResolution, at: Route, canvas: Canvas
) -> dict[str, Any]:
    """Returns the operation of the new tool: from its name or the draft, else like the old one."""
    preset = dict(choice.preset)
    rows = choice.tool.operations if choice.tool is not None else ()
    keys = {key for row in rows for key in row.params}
    if preset or keys & set(choice.step.params) or old.tool is None or old.spec is None:
        return preset
    now = effective_parameters(old)
    did = [
        operation for operation in old.tool.operations if operation.params.items() <= now.items()
    ]
    if not did:
        return preset
    does = max(did, key=lambda item: len(item.params))
    texts = (does.name, *(str(value) for value in does.params.values()))
    alike = most_similar(texts, old.node.params, rows)
    if rows and choice.tool is not None and not (alike and alike[0].whole):
        message = f'{choice.tool.name} has no operation equal to "{does.name}"'
        hint = "choose an operation"
        canvas.diagnostics.append(
            new_diagnostic(UNPLACED_VALUE, at, message, help=hint, node=old.node.name)
        )
    return dict(alike[0].params) if alike else preset


def _carry_values(
    old: ResolvedNode, parameters: dict[str, Any], choice: StepResolution
) -> dict[str, Any]:
    """Returns the new parameters with those plain values of the old ones that have a place.

    Ids and options belong to the old tool.
    """
    if old.spec is None:
        return parameters
    declared = old.spec.declarations.root.by_name
    simple, _ = fill(old.spec.declarations, dict(old.node.params))
    for key, value in old.node.params.items():
        kinds = [item.type for item in declared.get(key, ()) if item.is_shown(simple, simple)]
        if not kinds or kinds[0] not in _PLAIN or isinstance(value, dict | list):
            continue
        slots = slots_of(choice.spec, parameters)
        slot = best_slot(key, value, [item for item in slots if item.shown], set())
        if slot is None or slot.declared.type != kinds[0] or len(slot.path) > 1:
            continue
        if slot.path[0] not in parameters:
            fitting = fit(choice.spec, parameters, {slot.path[0]: value}, (), choice.step.id)
            parameters = fitting.parameters
    return parameters


def _keep_credentials(entry: dict[str, Any], choice: StepResolution) -> None:
    held = entry.get("credentials")
    if not isinstance(held, dict):
        return
    takes = {credential.get("name") for credential in choice.spec.variant.get("credentials") or ()}
    entries = {kind: item for kind, item in held.items() if kind in takes}
    if entries:
        entry["credentials"] = entries
    else:
        del entry["credentials"]


def _rename_after(name: str, before: str, after: str, canvas: Canvas) -> None:
    """Renames a node that is named after its old tool, where no other node refers to it."""
    at = name.casefold().find(before.casefold())
    if at < 0 or not before or is_referenced(canvas, name):
        return
    new = canvas.unused_name(name[:at] + after + name[at + len(before) :])
    rename_everywhere(canvas, name, new)
    canvas.notes.append(f'"{name}": renamed to "{new}"')
