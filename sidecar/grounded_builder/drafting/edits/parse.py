"""Parses edits from a JSON value, and reports every departure from their shape."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, get_args

from grounded_builder.compiler.read_plan import read_plan
from grounded_builder.diagnostics import Diagnostic, Route, new_diagnostic
from grounded_builder.ir.edit_operations import (
    Add,
    Change,
    Connect,
    Position,
    Relation,
    Remove,
    Rename,
    Replace,
    Set,
    Switch,
)
from grounded_builder.ir.plan import Step
from grounded_builder.ir.rules.reading import MALFORMED_STEP, TOO_LARGE

MOST = 100
_VERBS = (
    "add", "replace", "set", "remove", "connect", "disconnect", "rename", "disable", "enable",
)  # fmt: skip
_RELATIONS: tuple[Relation, ...] = get_args(Relation)
_HELP = 'write {"changes": [{"add": {"tool": ...}, "after": "node"}, {"remove": "node"}, ...]}'


def read_changes(
    document: Any, step_settings: Collection[str] = ()
) -> tuple[tuple[Change, ...], tuple[Diagnostic, ...]]:
    """Reads the edits; malformed ones are reported, and the others are read.

    ``step_settings`` are the settings of a node that a step can state beside its parameters.
    """
    at: Route = ("changes",)
    entries = document.get("changes") if isinstance(document, dict) else document
    if isinstance(document, list):
        at = ()
    elif isinstance(document, dict) and entries is None and any(v in document for v in _VERBS):
        entries, at = [document], ()
    if not isinstance(entries, list) or not entries:
        return (), (new_diagnostic(MALFORMED_STEP, at, "there are no changes", help=_HELP),)
    if len(entries) > MOST:
        message = f"there are {len(entries)} changes, the limit is {MOST}"
        return (), (new_diagnostic(TOO_LARGE, at, message, help="send fewer changes at a time"),)
    single = isinstance(document, dict) and at == ()
    changes: list[Change] = []
    steps, notes = _steps(entries, at, step_settings, single=single)
    diagnostics = [*notes]
    for index, entry in enumerate(entries):
        here = at if single else (*at, index)
        change = _change(entry, here, steps.get(index), step_settings)
        if isinstance(change, Diagnostic):
            diagnostics.append(change)
        elif change is not None:
            changes.append(change)
    return tuple(changes), tuple(diagnostics)


def _steps(
    entries: list[Any], at: Route, step_settings: Collection[str], *, single: bool
) -> tuple[dict[int, Step], tuple[Diagnostic, ...]]:
    """Returns the steps of all additions, by the index of their edit, with unique ids."""
    drafted = [
        (index, entry["add"])
        for index, entry in enumerate(entries)
        if isinstance(entry, dict) and isinstance(entry.get("add"), dict)
    ]
    if not drafted:
        return {}, ()
    plan, diagnostics = read_plan(
        {"steps": [step for _, step in drafted]}, step_settings=step_settings
    )
    places = [(*(at if single else (*at, index)), "add") for index, _ in drafted]
    plan_steps = plan.steps if plan is not None else ()
    return (
        {drafted[int(step.at[1])][0]: _move_diagnostic(step, places) for step in plan_steps},
        tuple(replace(item, at=_move_route(item.at, places)) for item in diagnostics),
    )


def _move_route(route: Route, places: list[Route]) -> Route:
    if len(route) > 1 and isinstance(route[1], int) and route[1] < len(places):
        return (*places[route[1]], *route[2:])
    return route


def _move_diagnostic(step: Step, places: list[Route]) -> Step:
    tool_at, params_at = _move_route(step.tool_at, places), _move_route(step.params_at, places)
    settings = {
        name: replace(setting, at=_move_route(setting.at, places))
        for name, setting in step.settings.items()
    }
    at = _move_route(step.at, places)
    return replace(step, at=at, tool_at=tool_at, params_at=params_at, settings=settings)


def _change(
    entry: Any, at: Route, step: Step | None, step_settings: Collection[str]
) -> Change | Diagnostic | None:
    """Returns the change in an entry, else why there is none.

    None for an addition whose step cannot be read, which is reported with the steps.
    """
    verb = next(
        (verb_name for verb_name in _VERBS if isinstance(entry, dict) and verb_name in entry), None
    )
    if verb is None:
        return new_diagnostic(MALFORMED_STEP, at, "a change names no action", help=_HELP)
    if verb == "add":
        if step is not None:
            return Add(step, _position_of(entry, step, at), at)
        if isinstance(entry["add"], dict):
            return None
        hint = 'write {"add": {"tool": ...}, "after": ...}'
        message = 'the value of "add" is not a step'
        return new_diagnostic(MALFORMED_STEP, (*at, verb), message, help=hint)
    message = f'"{verb}" is malformed'
    change = (
        _replace(entry, entry[verb], at, step_settings)
        if verb == "replace"
        else _READERS[verb](entry, entry[verb], at)
    )
    return change or new_diagnostic(MALFORMED_STEP, (*at, verb), message, help=_SHAPES[verb])


def _position_of(entry: Mapping[str, Any], step: Step, at: Route) -> Position:
    """Returns the position of a new step, given in the edit or the step, else after its inputs."""
    inner = entry["add"]
    inline = entry.get("inline") is True or inner.get("inline") is True
    for holder, here in ((entry, at), (inner, (*at, "add"))):
        output = _port(holder.get("output"))
        for relation in _RELATIONS:
            nodes = _names(holder.get(relation))
            if nodes:
                return Position(relation, nodes, (*here, relation), output, inline)
    if step.inputs:
        source = step.inputs[0]
        return Position("after", (source.name,), step.at, source.output, inline)
    return Position("alone", (), at)


def _replace(
    entry: Mapping[str, Any], node: Any, at: Route, step_settings: Collection[str]
) -> Change | None:
    by = entry.get("by", entry.get("with"))
    key = "by" if "by" in entry else "with"
    if isinstance(by, str):
        by = {"tool": by}
    if not _is_name(node) or not isinstance(by, dict):
        return None
    plan, _ = read_plan({"steps": [by]}, step_settings=step_settings)
    if plan is None or plan.steps[0].tool is None:
        return None
    places: list[Route] = [(*at, key)]
    return Replace(node, _move_diagnostic(plan.steps[0], places), at)


def _set(entry: Mapping[str, Any], node: Any, at: Route) -> Change | None:
    params, settings = entry.get("params"), entry.get("settings")
    values = {
        **(params if isinstance(params, dict) else {}),
        **(settings if isinstance(settings, dict) else {}),
    }
    key = "params" if isinstance(params, dict) else "settings"
    return Set(node, values, at, (*at, key)) if _is_name(node) and values else None


def _remove(entry: Mapping[str, Any], node: Any, at: Route) -> Change | None:
    return Remove(node, at, entry.get("join") is not False) if _is_name(node) else None


def _connect(entry: Mapping[str, Any], value: Any, at: Route) -> Change | None:
    wire = value if isinstance(value, dict) else entry
    source, target = wire.get("from"), wire.get("to")
    if not isinstance(source, str) or not isinstance(target, str) or not source or not target:
        return None
    ports = (_port(wire.get("output")), _port(wire.get("input")))
    role = wire.get("as") if _is_name(wire.get("as")) else None
    return Connect(source, target, at, *ports, role=role, cut="disconnect" in entry)


def _rename(entry: Mapping[str, Any], node: Any, at: Route) -> Change | None:
    to = entry.get("to")
    if not _is_name(node) or not isinstance(to, str) or not to.strip():
        return None
    return Rename(node, to.strip(), at)


def _switch(entry: Mapping[str, Any], node: Any, at: Route) -> Change | None:
    return Switch(node, "enable" in entry, at) if _is_name(node) else None


_READERS: dict[str, Callable[[Mapping[str, Any], Any, Route], Change | None]] = {
    "set": _set,
    "remove": _remove,
    "connect": _connect,
    "disconnect": _connect,
    "rename": _rename,
    "disable": _switch,
    "enable": _switch,
}
_WIRE = '{"from": "node", "to": "node"}'
_SHAPES = {
    "replace": 'write {"replace": "node", "by": {"tool": ..., "params": {}}}',
    "set": 'write {"set": "node", "params": {...}}',
    "remove": 'write {"remove": "node"}',
    "connect": f'write {{"connect": {_WIRE}}}',
    "disconnect": f'write {{"disconnect": {_WIRE}}}',
    "rename": 'write {"rename": "node", "to": "name"}',
    "disable": 'write {"disable": "node"}',
    "enable": 'write {"enable": "node"}',
}


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _names(value: Any) -> tuple[str, ...]:
    names = value if isinstance(value, list) else [value]
    return tuple(name for name in names if isinstance(name, str) and name.strip())


def _port(value: Any) -> str | int | None:
    return value if isinstance(value, str | int) and not isinstance(value, bool) else None
